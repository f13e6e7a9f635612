package bus

import (
	"errors"
	"fmt"
)

// Refusal is the error of one message that the server rejects at every attempt: it is
// too large, no stream stores its subject, or this user may not publish it.
type Refusal struct {
	At     int // index of the message among those that were to be published
	Reason Reason
}

// Error implements error.
func (r *Refusal) Error() string {
	return fmt.Sprintf("message %d is refused: %s: %s", r.At+1, r.Reason.Class, r.Reason.Text)
}

// Refusals splits an error of [Publisher.Publish] into the refused messages and the
// rest, which may be transient; rest is nil when there is none.
func Refusals(err error) (refused []*Refusal, rest error) {
	var one *Refusal
	if !errors.As(err, &one) {
		return nil, err
	}
	several, ok := err.(interface{ Unwrap() []error })
	if !ok {
		return []*Refusal{one}, nil
	}
	for _, e := range several.Unwrap() {
		r, other := Refusals(e)
		refused, rest = append(refused, r...), errors.Join(rest, other)
	}
	return refused, rest
}
