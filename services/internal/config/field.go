package config

import (
	"fmt"
	"reflect"
	"strings"
	"time"
)

// Prefix starts the name of every environment variable.
const Prefix = "WINNOW_"

const fileSuffix = "_file"

// Field is one setting.
type Field struct {
	Key     string // such as postgres.url
	Env     string // such as WINNOW_POSTGRES_URL
	Alias   string // a second variable, without our prefix; empty for none
	Type    string // string, bool, int, duration, list, or map
	Default string
	Help    string
	Secret  bool // masked wherever it is shown, and readable from a file
}

// Section is a group of settings: the path above its keys, empty for the top level, and a
// pointer to the struct that holds them. Two sections may have the same keys; the values
// are decoded into both.
type Section struct {
	Key  string
	Into any
}

// walk visits the settings of the group.
func (s Section) walk(visit func(Field, reflect.Value)) {
	prefix := s.Key
	if prefix != "" {
		prefix += "."
	}
	walk(reflect.Indirect(reflect.ValueOf(s.Into)), prefix, visit)
}

// Fields returns the settings of sections that hold the defaults, in the order of their
// declaration. A key of several sections is listed once.
func Fields(sections ...Section) []Field {
	var fields []Field
	seen := map[string]bool{}
	for _, s := range sections {
		s.walk(func(f Field, v reflect.Value) {
			if !seen[f.Key] {
				seen[f.Key] = true
				f.Default = render(v)
				fields = append(fields, f)
			}
		})
	}
	return fields
}

// walk visits the leaves below a struct. The fields of an embedded struct are its
// own, as in Go.
func walk(v reflect.Value, prefix string, visit func(Field, reflect.Value)) {
	t := v.Type()
	for i := range t.NumField() {
		tag := t.Field(i).Tag
		name := tag.Get("koanf")
		if t.Field(i).Anonymous && name == "" {
			walk(v.Field(i), prefix, visit)
			continue
		}
		if name == "" {
			continue
		}
		key := prefix + name
		value := v.Field(i)
		if value.Kind() == reflect.Struct {
			walk(value, key+".", visit)
			continue
		}
		visit(Field{
			Key:    key,
			Env:    envName(key),
			Alias:  tag.Get("env"),
			Type:   typeName(value),
			Help:   tag.Get("help"),
			Secret: tag.Get("secret") == "true",
		}, value)
	}
}

func envName(key string) string {
	return Prefix + strings.ToUpper(strings.ReplaceAll(key, ".", "_"))
}

func typeName(v reflect.Value) string {
	switch {
	case v.Type() == reflect.TypeFor[time.Duration]():
		return "duration"
	case v.Kind() == reflect.Map:
		return "map"
	case v.Kind() == reflect.Slice:
		return "list"
	case v.CanInt():
		return "int"
	default:
		return v.Kind().String()
	}
}

func render(v reflect.Value) string {
	switch v.Kind() {
	case reflect.Map:
		if v.Len() == 0 {
			return ""
		}
		var pairs []string
		for _, k := range sortedKeys(v) {
			pairs = append(pairs, fmt.Sprintf("%v=%v", k, v.MapIndex(k)))
		}
		return strings.Join(pairs, ",")
	case reflect.Slice:
		var items []string
		for i := range v.Len() {
			items = append(items, fmt.Sprint(v.Index(i)))
		}
		return strings.Join(items, ",")
	}
	return fmt.Sprint(v.Interface())
}

func sortedKeys(m reflect.Value) []reflect.Value {
	keys := m.MapKeys()
	for i := 1; i < len(keys); i++ {
		for j := i; j > 0 && keys[j].String() < keys[j-1].String(); j-- {
			keys[j], keys[j-1] = keys[j-1], keys[j]
		}
	}
	return keys
}
