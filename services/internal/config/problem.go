package config

import (
	"errors"
	"fmt"
)

// Problem is one thing that is wrong with the settings.
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

// Problems lists the problems in an error of Load or of a Validate, in the
// order in which they were found; nil when it has none.
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
