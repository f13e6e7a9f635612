package event

import (
	"fmt"
	"strings"
)

// SubjectTrace is the first token of the subjects of traces that are too large
// for an event: trace.<principal>.<name>, or trace.<name> of a publisher
// without a principal. The messages of such a subject, in their order, are the
// trace's bytes and nothing else. They are no events: their headers have no
// meaning.
//
// The principal is a token of its own, so the server's publish permissions
// restrict every publisher to its own traces, as with events. Buckets of the
// object store cannot do that: they store their chunks under random names that
// do not identify the publisher.
const SubjectTrace = "trace"

// MaxTraceName is the longest name of a trace, in bytes.
const MaxTraceName = 128

// traceScheme starts the address of a trace.
const traceScheme = "trace://"

// TraceURI returns the address of the trace under this name, for a
// TraceReference: trace://ci-bot/run-42. An empty principal gives
// trace:///run-42, which only an event without a principal may refer to. The
// error is ErrSubject.
func TraceURI(principal, name string) (string, error) {
	uri := traceScheme + principal + "/" + name
	_, _, err := ParseTraceURI(uri)
	return uri, err
}

// ParseTraceURI splits an address into principal and name. The principal is a
// claim until it is compared with that of the event. The error is ErrSubject: a
// trace's messages would have no subject.
func ParseTraceURI(uri string) (principal, name string, err error) {
	rest, ok := strings.CutPrefix(uri, traceScheme)
	principal, name, slash := strings.Cut(rest, "/")
	switch {
	case !ok || !slash:
		return "", "", fmt.Errorf("%w: %.100q is not the address of a trace; write %s<principal>/<name>", ErrSubject, uri, traceScheme)
	case principal != "" && !ValidPrincipal(principal):
		return "", "", invalidPrincipal(principal)
	case !validTraceName(name):
		return "", "", fmt.Errorf("%w: %.100q cannot name a trace; use 1 to %d of A-Z a-z 0-9 - _", ErrSubject, name, MaxTraceName)
	}
	return principal, name, nil
}

// TraceSubject returns the subject of the messages behind an address.
func TraceSubject(uri string) (string, error) {
	principal, name, err := ParseTraceURI(uri)
	switch {
	case err != nil:
		return "", err
	case principal == "":
		return SubjectTrace + "." + name, nil
	}
	return SubjectTrace + "." + principal + "." + name, nil
}

// validTraceName reports whether s is one token of the characters that
// principals have.
func validTraceName(s string) bool {
	for len(s) > MaxPrincipal && len(s) <= MaxTraceName {
		if !ValidPrincipal(s[:MaxPrincipal]) {
			return false
		}
		s = s[MaxPrincipal:]
	}
	return ValidPrincipal(s)
}
