package review

import (
	"errors"
	"fmt"
	"strings"
)

var (
	// ErrDependents reports that other decisions rest on the one to be undone; see
	// [DependentsError].
	ErrDependents = errors.New("others depend on it")
	// ErrState reports a row in a state that does not allow the action.
	ErrState = errors.New("not possible now")
)

// Dependent is a decision that rests on another's result.
type Dependent struct {
	Decision string `json:"decision"`
	Subject  string `json:"subject"` // the proposal or memory that it is about
	Why      string `json:"why"`
}

// DependentsError is ErrDependents with the list of decisions.
type DependentsError struct {
	Of   string
	List []Dependent
}

func (e *DependentsError) Error() string {
	var b strings.Builder
	fmt.Fprintf(&b, "%d decision(s) rest on %s:", len(e.List), e.Of)
	for i, d := range e.List {
		if i == 10 {
			fmt.Fprintf(&b, "\n  and %d more", len(e.List)-i)
			break
		}
		fmt.Fprintf(&b, "\n  %s  %s", d.Subject, d.Why)
	}
	b.WriteString("\nundo them too, back into review: --cascade")
	return b.String()
}

// Is makes errors.Is(err, ErrDependents) true.
func (e *DependentsError) Is(target error) bool { return target == ErrDependents }
