package config

import (
	"errors"
	"fmt"
	"maps"
	"os"
	"reflect"
	"slices"
	"strings"

	"github.com/agnivade/levenshtein"
	"github.com/go-viper/mapstructure/v2"
	"github.com/knadh/koanf/parsers/yaml"
	"github.com/knadh/koanf/providers/confmap"
	"github.com/knadh/koanf/providers/file"
	"github.com/knadh/koanf/v2"
)

// Options holds the sources of settings.
type Options struct {
	// File is a YAML file. A missing one is an error when Required says so.
	File     string
	Required bool
	// Environ is as of [os.Environ].
	Environ []string
	// Known are variables with our prefix that are not settings; a trailing
	// underscore makes it a prefix.
	Known []string
	// Flags are values by key that were given on the command line. The key of a
	// secret with _file behind it names the file that holds it.
	Flags map[string]string
}

// Value is the effective value of a setting.
type Value struct {
	Field
	Value  string
	Source string // default, the file's path, the variable's name, or flag
}

// Shown returns the value in a form that may be printed; secrets are masked.
func (v Value) Shown() string {
	if v.Secret && v.Value != "" {
		return "********"
	}
	return v.Value
}

// Load reads all sources into sections that hold the defaults, and returns the effective
// values; a key of several sections is returned once. The error joins a [Problem] for every
// invalid setting; sections and values may be shown even then.
func Load(sections []Section, opts Options) ([]Value, error) {
	l := loader{k: koanf.New("."), fields: map[string]Field{}, sources: map[string]string{}, malformed: map[string]bool{}}
	for _, f := range Fields(sections...) {
		l.fields[f.Key] = f
	}
	l.readFile(opts.File, opts.Required)
	l.readEnv(opts.Environ, opts.Known)
	for _, key := range slices.Sorted(maps.Keys(opts.Flags)) {
		if base, ok := strings.CutSuffix(key, fileSuffix); ok && l.fields[base].Secret {
			l.secretFile(base, opts.Flags[key], "flag")
			continue
		}
		l.fromText(l.fields[key], opts.Flags[key], "flag")
	}
	for _, s := range sections {
		l.decode(s)
	}

	// A field's default is now its effective value.
	loaded := Fields(sections...)
	values := make([]Value, 0, len(loaded))
	for _, f := range loaded {
		v := Value{Field: f, Value: f.Default, Source: l.sources[f.Key]}
		v.Default = l.fields[f.Key].Default
		if v.Source == "" {
			v.Source = "default"
		}
		values = append(values, v)
	}
	return values, errors.Join(l.problems...)
}

type loader struct {
	k       *koanf.Koanf
	fields  map[string]Field
	sources map[string]string

	malformed map[string]bool
	problems  []error
}

func (l *loader) problem(field, what, remedy string) {
	l.problems = append(l.problems, &Problem{Field: field, What: what, Remedy: remedy})
}

// set records one value; a later source replaces an earlier one.
func (l *loader) set(key string, value any, source string) {
	if err := l.k.Load(confmap.Provider(map[string]any{key: value}, "."), nil); err != nil {
		l.problem(key, err.Error(), "")
		return
	}
	l.sources[key] = source
}

func (l *loader) readFile(path string, required bool) {
	if path == "" {
		return
	}
	if _, err := os.Stat(path); errors.Is(err, os.ErrNotExist) && !required {
		return
	}
	found := koanf.New(".")
	if err := found.Load(file.Provider(path), yaml.Parser()); err != nil {
		l.problem(path, err.Error(), "give a readable YAML file")
		return
	}
	for _, key := range found.Keys() {
		value := found.Get(key)
		if f, ok := l.fields[key]; ok {
			l.set(f.Key, value, path)
			continue
		}
		// A map's entries are keys below a field.
		if parent, entry := cutLast(key); l.fields[parent].Type == "map" {
			l.entry(parent, entry, value, path)
			continue
		}
		if base, ok := strings.CutSuffix(key, fileSuffix); ok && l.fields[base].Secret {
			l.secretFile(base, fmt.Sprint(value), path)
			continue
		}
		l.problem(key, "unknown key in "+path, l.nearest(key))
	}
}

// entry sets one entry of a map, in addition to those of earlier sources.
func (l *loader) entry(key, name string, value any, source string) {
	l.set(key+"."+name, value, source)
	l.sources[key] = source
	delete(l.sources, key+"."+name)
}

func (l *loader) secretFile(key, path, source string) {
	content, err := os.ReadFile(path)
	if err != nil {
		l.problem(key+fileSuffix, err.Error(), "name a file that this user can read")
		return
	}
	l.set(key, strings.TrimRight(string(content), "\r\n"), source+" ("+path+")")
}

func (l *loader) readEnv(environ, known []string) {
	byEnv, byAlias := map[string]Field{}, map[string]Field{}
	for _, f := range l.fields {
		byEnv[f.Env] = f
		if f.Alias != "" {
			byAlias[f.Alias] = f
		}
	}
	sorted := slices.Sorted(slices.Values(environ))
	// Aliases come first, so that a variable with our prefix wins over one that
	// another program may have set.
	for _, pair := range sorted {
		name, value, _ := strings.Cut(pair, "=")
		if f, ok := byAlias[name]; ok {
			l.fromText(f, value, name)
		}
	}
	for _, pair := range sorted {
		name, value, _ := strings.Cut(pair, "=")
		if !strings.HasPrefix(name, Prefix) || isKnown(name, known) {
			continue
		}
		if f, ok := byEnv[name]; ok {
			l.fromText(f, value, name)
			continue
		}
		if base, ok := strings.CutSuffix(name, strings.ToUpper(fileSuffix)); ok && byEnv[base].Secret {
			l.secretFile(byEnv[base].Key, value, name)
			continue
		}
		l.problem(name, "unknown variable", l.nearest(strings.ToLower(strings.TrimPrefix(name, Prefix))))
	}
}

// fromText sets a value from its text; maps are written a=b,c=d.
func (l *loader) fromText(f Field, text, source string) {
	if f.Type != "map" {
		l.set(f.Key, text, source)
		return
	}
	for pair := range strings.SplitSeq(text, ",") {
		name, value, ok := strings.Cut(pair, "=")
		if !ok {
			l.problem(f.Key, fmt.Sprintf("%q from %s is not name=value", pair, source), "write a=b,c=d")
			continue
		}
		l.entry(f.Key, strings.TrimSpace(name), strings.TrimSpace(value), source)
	}
}

func isKnown(name string, known []string) bool {
	return slices.ContainsFunc(known, func(k string) bool {
		return name == k || strings.HasSuffix(k, "_") && strings.HasPrefix(name, k)
	})
}

// decode writes each value of a section separately, so that one malformed value hides no
// other. A problem of a key in two sections is reported once.
func (l *loader) decode(s Section) {
	s.walk(func(f Field, _ reflect.Value) {
		if _, given := l.sources[f.Key]; !given || l.malformed[f.Key] {
			return
		}
		nested := map[string]any{}
		below := strings.TrimPrefix(strings.TrimPrefix(f.Key, s.Key), ".")
		insert(nested, below, l.k.Get(f.Key))
		dec, err := mapstructure.NewDecoder(&mapstructure.DecoderConfig{
			Result:           s.Into,
			TagName:          "koanf",
			Squash:           true,
			WeaklyTypedInput: true,
			DecodeHook: mapstructure.ComposeDecodeHookFunc(
				mapstructure.StringToTimeDurationHookFunc(), mapstructure.StringToSliceHookFunc(",")),
		})
		if err == nil {
			err = dec.Decode(nested)
		}
		if err != nil {
			l.malformed[f.Key] = true
			l.problem(f.Key, fmt.Sprintf("value from %s is not a %s", l.sources[f.Key], f.Type), example(l.fields[f.Key]))
		}
	})
}

func insert(into map[string]any, key string, value any) {
	head, rest, nested := strings.Cut(key, ".")
	if !nested {
		into[head] = value
		return
	}
	below := map[string]any{}
	into[head] = below
	insert(below, rest, value)
}

func example(f Field) string {
	if f.Default == "" {
		return ""
	}
	return "write it like the default " + f.Default
}

// nearest returns the key that was probably meant.
func (l *loader) nearest(key string) string {
	best, least := "", maxTypos+1
	for _, k := range slices.Sorted(maps.Keys(l.fields)) {
		if d := levenshtein.ComputeDistance(strings.ReplaceAll(k, ".", "_"), strings.ReplaceAll(key, ".", "_")); d < least {
			best, least = k, d
		}
	}
	if best == "" {
		return "see `winnow config print` for all keys"
	}
	return "did you mean " + best + "?"
}

// maxTypos is the most wrong letters in a key that nearest recognises.
const maxTypos = 3

func cutLast(key string) (parent, name string) {
	i := strings.LastIndexByte(key, '.')
	if i < 0 {
		return "", key
	}
	return key[:i], key[i+1:]
}
