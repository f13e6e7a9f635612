package jetstream

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"sync"

	"github.com/nats-io/nats.go"
	natsjs "github.com/nats-io/nats.go/jetstream"

	"github.com/winnowhq/winnow/services/internal/bus"
)

// Classes of refusals.
const (
	classTooLarge   = "too_large"
	classSubject    = "subject"
	classPermission = "permission"
)

// Codes of the server's errors that concern one message alone.
const (
	codeMessageTooLarge = natsjs.JSErrCodeStreamMessageExceedsMaximum
	codeHeaderTooLarge  = natsjs.ErrorCode(10097)
)

// unsendable returns the reason why the server would refuse a message, or nil.
func (p *Publisher) unsendable(o bus.Outgoing) *bus.Reason {
	if streamFor(o.Subject) == "" {
		return &bus.Reason{Class: classSubject, Text: "no stream stores " + o.Subject}
	}
	if strings.ContainsAny(o.Subject, " \t\r\n*>") {
		return &bus.Reason{Class: classSubject, Text: fmt.Sprintf("%q is no subject to publish to", o.Subject)}
	}
	size, limit := int64(outgoingMsg(o).Size()), p.nc.MaxPayload()
	if limit > 0 && size > limit {
		return &bus.Reason{Class: classTooLarge, Text: fmt.Sprintf("the message has %d bytes and the server takes %d", size, limit)}
	}
	return nil
}

// refusal returns the reason of a final refusal, or nil when another attempt may
// succeed.
func refusal(err error) *bus.Reason {
	var answer natsjs.JetStreamError
	switch {
	case errors.Is(err, nats.ErrMaxPayload):
		return &bus.Reason{Class: classTooLarge, Text: err.Error()}
	case errors.Is(err, nats.ErrBadSubject):
		return &bus.Reason{Class: classSubject, Text: err.Error()}
	case !errors.As(err, &answer) || answer.APIError() == nil:
		return nil
	case answer.APIError().ErrorCode == codeMessageTooLarge, answer.APIError().ErrorCode == codeHeaderTooLarge:
		return &bus.Reason{Class: classTooLarge, Text: answer.APIError().Description}
	}
	return nil
}

// denials passes permission errors to the publishes that they concern. The server reports
// a denied subject through the connection's error handler and never answers the publish.
// Safe for concurrent use.
type denials struct {
	mu      sync.Mutex
	waiting map[*denied]bool
}

// denied tracks the subjects that the server denies during one publish.
type denied struct {
	subjects map[string]chan struct{} // closed when denied
}

// newDenials installs an error handler on the connection, which calls the previous
// handler afterwards.
func newDenials(nc *nats.Conn) *denials {
	d := &denials{waiting: make(map[*denied]bool)}
	before := nc.ErrorHandler()
	nc.SetErrorHandler(func(nc *nats.Conn, sub *nats.Subscription, err error) {
		d.dispatch(err)
		if before != nil {
			before(nc, sub, err)
		}
	})
	return d
}

// dispatch closes the channels of the subject that a permission error quotes, for every
// publish in progress.
func (d *denials) dispatch(err error) {
	text := strings.ToLower(err.Error())
	if !strings.Contains(text, "permissions violation for publish") {
		return
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	for w := range d.waiting {
		for subject, denial := range w.subjects {
			if strings.Contains(text, `"`+strings.ToLower(subject)+`"`) {
				close(denial)
				delete(w.subjects, subject)
			}
		}
	}
}

// watch returns, for each subject of the messages, a channel that is closed when the
// server denies the subject before stop is called.
func (d *denials) watch(out []bus.Outgoing) (subjects map[string]<-chan struct{}, stop func()) {
	w := &denied{subjects: make(map[string]chan struct{})}
	subjects = make(map[string]<-chan struct{})
	for _, o := range out {
		if w.subjects[o.Subject] == nil {
			denial := make(chan struct{})
			w.subjects[o.Subject], subjects[o.Subject] = denial, denial
		}
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	d.waiting[w] = true
	return subjects, func() {
		d.mu.Lock()
		defer d.mu.Unlock()
		delete(d.waiting, w)
	}
}

// untilDenied returns a context that ends when one of the subjects is denied.
func untilDenied(ctx context.Context, subjects map[string]<-chan struct{}) (context.Context, context.CancelFunc) {
	ctx, cancel := context.WithCancel(ctx)
	for _, denial := range subjects {
		go func() {
			select {
			case <-denial:
				cancel()
			case <-ctx.Done():
			}
		}()
	}
	return ctx, cancel
}
