package event

import (
	"fmt"
	"strings"
)

// SubjectTrace starts the subjects of traces that are too large for an event:
// trace.<principal>.<name>, or trace.<name> of a publisher without a principal.
// The messages of such a subject, in their order, are the trace's bytes and
// nothing else. They are no events: they carry no header that means anything.
//
// Because the principal is a token of its own, the server's publish permissions
// keep every publisher to its own traces, as they do with events. Buckets of the
// object store cannot: they lay down their pieces under random names that say
// nothing of whose they are.
const SubjectTrace = "trace"

// MaxTraceName is the longest name of a trace, in bytes.
const MaxTraceName = 128

// traceScheme starts the address of a trace.
const traceScheme = "trace://"

// TraceURI is the address that a TraceReference has for the trace under this
// name: trace://ci-bot/run-42. An empty principal gives trace:///run-42, which
// only an event without a principal may refer to. The error is ErrSubject.
func TraceURI(principal, name string) (string, error) {
	uri := traceScheme + principal + "/" + name
	_, _, err := ParseTraceURI(uri)
	return uri, err
}

// ParseTraceURI takes such an address apart. The principal is a claim until it
// is compared with that of the event. The error is ErrSubject: a trace's
// messages would have no subject.
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

// TraceSubject is the subject of the messages behind such an address.
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

// validTraceName reports one token of the characters that principals have.
func validTraceName(s string) bool {
	for len(s) > MaxPrincipal && len(s) <= MaxTraceName {
		if !ValidPrincipal(s[:MaxPrincipal]) {
			return false
		}
		s = s[MaxPrincipal:]
	}
	return ValidPrincipal(s)
}
