package page

import (
	"errors"
	"fmt"
	"strings"

	"github.com/winnowhq/winnow/services/internal/memory"
)

var (
	// ErrForeign reports a reply whose code or sender is not the digest's. It does not
	// say which, so that it reveals no digests.
	ErrForeign = errors.New("no open digest of this reviewer has this code")
	// ErrExpired reports a reply that came too late.
	ErrExpired = errors.New("the digest has expired")
)

// Why is the reason for which a part of a reply was not understood.
type Why string

// The reasons.
const (
	WhyUnknown       Why = "unknown words"
	WhyEmpty         Why = "no answer"
	WhyNoChoice      Why = "a number without yes or no"
	WhyContradiction Why = "contradicts the rest"
	WhyExcept        Why = "ok and an answer without except between them"
	WhyAlone         Why = "must stand alone"
	WhyText          Why = "an answer or code at the end of a new text"
	WhyRange         Why = "numbers out of range"
	WhyLong          Why = "too long"
)

// NotUnderstoodError is the error of [Parse]. A reply with any such part does nothing.
type NotUnderstoodError struct {
	Code       string   // of the digest, where one was written
	Understood []string // pieces before it, in their canonical form
	Rest       string   // from the first part that was not understood, shortened
	Why        Why
}

func (e *NotUnderstoodError) Error() string {
	s := fmt.Sprintf("reply not understood: %q: %s", e.Rest, e.Why)
	if len(e.Understood) > 0 {
		s += "; understood: " + strings.Join(e.Understood, " ")
	}
	return s
}

// NoItemError reports numbers in a reply that the digest does not have.
type NoItemError struct {
	Names []string // such as 7 or p3
}

func (e *NoItemError) Error() string {
	return "the digest has no item " + strings.Join(e.Names, ", ")
}

// MovedError reports items that were decided otherwise since the digest was sent.
type MovedError struct {
	Items []Moved
}

// Moved is an item that is no open question any more.
type Moved struct {
	Number int
	State  memory.ProposalState
}

func (e *MovedError) Error() string {
	names := make([]string, len(e.Items))
	for i, m := range e.Items {
		names[i] = fmt.Sprintf("%d is %s", m.Number, m.State)
	}
	return "decided otherwise since the digest was sent: " + strings.Join(names, ", ")
}
