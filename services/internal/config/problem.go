package config

import (
	"errors"
	"fmt"
	"slices"
	"strings"
)

// Problem is one error in the settings.
type Problem struct {
	Field  string // the key, or where it was found
	What   string
	Remedy string
}

func (p *Problem) Error() string {
	if p.Remedy == "" {
		return fmt.Sprintf("%s: %s", p.Field, p.What)
	}
	return fmt.Sprintf("%s: %s; %s", p.Field, p.What, p.Remedy)
}

// Problems returns the problems in an error of Load or of a Validate, in the order in which
// they were found, or nil.
func Problems(err error) []*Problem {
	if err == nil {
		return nil
	}
	if joined, ok := err.(interface{ Unwrap() []error }); ok {
		var all []*Problem
		for _, e := range joined.Unwrap() {
			all = append(all, Problems(e)...)
		}
		return all
	}
	var p *Problem
	if errors.As(err, &p) {
		return []*Problem{p}
	}
	return nil
}

// Within turns the error of the Validate of a group at key into problems. A text that
// begins with a name among fields ("zone: …") gets that field's whole key; any other gets
// the group's. Nil stays nil.
func Within(key string, fields []Field, err error) error {
	if err == nil {
		return nil
	}
	if joined, ok := err.(interface{ Unwrap() []error }); ok {
		var all []error
		for _, e := range joined.Unwrap() {
			all = append(all, Within(key, fields, e))
		}
		return errors.Join(all...)
	}
	name, what, told := strings.Cut(err.Error(), ": ")
	if key != "" {
		name = key + "." + name
	}
	parent, _ := cutLast(name) // of an entry of a map
	if told && slices.ContainsFunc(fields, func(f Field) bool { return f.Key == name || f.Type == "map" && f.Key == parent }) {
		return &Problem{Field: name, What: what}
	}
	return &Problem{Field: key, What: err.Error()}
}
