package bus

import (
	"errors"
	"fmt"
)

// Refusal is the error of one message that the server will not take however often
// it is tried: it is too large, no stream stores its subject, or this user may not
// publish it.
type Refusal struct {
	At     int // index of the message among those that were to be published
	Reason Reason
}

// Error implements error.
func (r *Refusal) Error() string {
	return fmt.Sprintf("message %d is refused: %s: %s", r.At+1, r.Reason.Class, r.Reason.Text)
}

// Refusals splits an error of [Publisher.Publish]: the messages that were refused,
// and what else went wrong, which may be over in a moment; nil when nothing did.
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
