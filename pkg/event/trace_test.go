package event_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/winnowhq/winnow/pkg/event"
)

func TestTraceAddresses(t *testing.T) {
	t.Parallel()
	long := strings.Repeat("a", event.MaxTraceName)
	for _, c := range []struct{ principal, name, uri, subject string }{
		{"ci-bot", "run-42", "trace://ci-bot/run-42", "trace.ci-bot.run-42"},
		{"", "run-42", "trace:///run-42", "trace.run-42"},
		{"a", long, "trace://a/" + long, "trace.a." + long},
	} {
		uri, err := event.TraceURI(c.principal, c.name)
		if err != nil || uri != c.uri {
			t.Errorf("%s/%s: %q, %v", c.principal, c.name, uri, err)
		}
		subject, err := event.TraceSubject(uri)
		if err != nil || subject != c.subject {
			t.Errorf("%s: subject %q, %v", uri, subject, err)
		}
	}
}

// No address reaches a subject of somebody else or of several traces.
func TestTraceAddressesThatAreNone(t *testing.T) {
	t.Parallel()
	for _, uri := range []string{
		"", "trace://", "trace:///", "trace://ci-bot", "trace://ci-bot/", "https://host/x", "trace://ci.bot/x", "trace://*/x", "trace://a/>",
		"trace://a/b/c", "trace://a/b.c", "trace://a/b*", "trace://a/" + strings.Repeat("a", event.MaxTraceName+1), "trace://a/ü", "TRACE://a/b",
	} {
		if _, err := event.TraceSubject(uri); !errors.Is(err, event.ErrSubject) {
			t.Errorf("%q: %v, want ErrSubject", uri, err)
		}
	}
}
