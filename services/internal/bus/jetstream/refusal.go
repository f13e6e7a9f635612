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

// Codes of the server's answers about one message alone.
const (
	codeMessageTooLarge = natsjs.JSErrCodeStreamMessageExceedsMaximum
	codeHeaderTooLarge  = natsjs.ErrorCode(10097)
)

// unsendable says why a message need not be sent at all; nil when it may.
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

// refusal says that the answer to a message is final; nil when it may be another
// one next time.
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

// denials hears which subjects the server does not let this user publish to. It
// says so beside the publish, which is never answered. Safe for concurrent use.
type denials struct {
	mu      sync.Mutex
	waiting map[*denied]bool
}

// denied are the subjects that were denied during one publish.
type denied struct {
	subjects map[string]chan struct{} // closed when denied
}

// newDenials listens on the connection, before who listened until now.
func newDenials(nc *nats.Conn) *denials {
	d := &denials{waiting: make(map[*denied]bool)}
	before := nc.ErrorHandler()
	nc.SetErrorHandler(func(nc *nats.Conn, sub *nats.Subscription, err error) {
		d.hear(err)
		if before != nil {
			before(nc, sub, err)
		}
	})
	return d
}

// hear tells the publishes under way of a denial, which names its subject in
// quotes.
func (d *denials) hear(err error) {
	text := strings.ToLower(err.Error())
	if !strings.Contains(text, "permissions violation for publish") {
		return
	}
	d.mu.Lock()
	defer d.mu.Unlock()
	for w := range d.waiting {
		for subject, told := range w.subjects {
			if strings.Contains(text, `"`+strings.ToLower(subject)+`"`) {
				close(told)
				delete(w.subjects, subject)
			}
		}
	}
}

// watch waits for denials of the messages' subjects until stop is called.
func (d *denials) watch(out []bus.Outgoing) (subjects map[string]<-chan struct{}, stop func()) {
	w := &denied{subjects: make(map[string]chan struct{})}
	subjects = make(map[string]<-chan struct{})
	for _, o := range out {
		if w.subjects[o.Subject] == nil {
			told := make(chan struct{})
			w.subjects[o.Subject], subjects[o.Subject] = told, told
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

// untilDenied ends the context when one of the subjects is denied.
func untilDenied(ctx context.Context, subjects map[string]<-chan struct{}) (context.Context, context.CancelFunc) {
	ctx, cancel := context.WithCancel(ctx)
	for _, told := range subjects {
		go func() {
			select {
			case <-told:
				cancel()
			case <-ctx.Done():
			}
		}()
	}
	return ctx, cancel
}
