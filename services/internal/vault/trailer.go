package vault

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/go-git/go-git/v5/plumbing/object"

	"github.com/winnowhq/winnow/services/internal/memory"
)

// identity signs commits.
type identity struct{ name, email string }

var (
	winnow = identity{"Winnow", "winnow@localhost"}
	hand   = identity{"hand", "hand@localhost"}
)

// Keys of the trailers, in the order in which they are written.
const (
	scopeKey     = "Winnow-Scope"
	versionKey   = "Winnow-Version"
	decisionsKey = "Winnow-Decisions"
	auditKey     = "Winnow-Audit-Head"
)

// Trailer ties a commit to the decisions that it shows.
type Trailer struct {
	// Version of the scope that was rendered, 0 or more.
	Version int64
	// Decisions since the scope's commit before, from First to Last (ids). With
	// 0 decisions both may be empty.
	Decisions   int
	First, Last string
	// AuditHead is the audit chain's signed head, empty where there is none.
	AuditHead string
}

// validate keeps text that would end a trailer early out of it.
func (t Trailer) validate() error {
	if t.Version < 0 || t.Decisions < 0 || t.Decisions > 0 && (t.First == "" || t.Last == "") || (t.First == "") != (t.Last == "") {
		return fmt.Errorf("%w: version %d, %d decisions, %q..%q", ErrTrailer, t.Version, t.Decisions, t.First, t.Last)
	}
	for _, value := range []string{t.First, t.Last, t.AuditHead} {
		if strings.ContainsFunc(value, func(r rune) bool { return r <= ' ' || r > '~' }) || strings.Contains(value, "..") {
			return fmt.Errorf("%w: %q", ErrTrailer, value)
		}
	}
	return nil
}

// message is a commit's whole message.
func message(scope memory.Scope, t Trailer) string {
	var b strings.Builder
	switch t.Decisions {
	case 0:
		fmt.Fprintf(&b, "%s: rendered anew\n\n", scope)
	case 1:
		fmt.Fprintf(&b, "%s: 1 decision\n\n", scope)
	default:
		fmt.Fprintf(&b, "%s: %d decisions\n\n", scope, t.Decisions)
	}
	fmt.Fprintf(&b, "%s: %s\n%s: %d\n", scopeKey, scope, versionKey, t.Version)
	fmt.Fprintf(&b, "%s: %d", decisionsKey, t.Decisions)
	if t.First != "" {
		fmt.Fprintf(&b, ", %s..%s", t.First, t.Last)
	}
	b.WriteByte('\n')
	if t.AuditHead != "" {
		fmt.Fprintf(&b, "%s: %s\n", auditKey, t.AuditHead)
	}
	return b.String()
}

// rendered reads the trailers of a commit of Winnow's; ok is false for every
// other. A commit that a person amended or moved keeps its trailers but has that
// person as its committer: it is theirs.
func rendered(c *object.Commit) (scope memory.Scope, t Trailer, ok bool) {
	if c.Committer.Email != winnow.email {
		return "", Trailer{}, false
	}
	_, body, _ := strings.Cut(c.Message, "\n\n")
	values := map[string]string{}
	for line := range strings.Lines(body) {
		if key, value, found := strings.Cut(strings.TrimSuffix(line, "\n"), ": "); found {
			values[key] = value
		}
	}
	scope, err := memory.ParseScope(values[scopeKey])
	if err != nil {
		return "", Trailer{}, false
	}
	if t.Version, err = strconv.ParseInt(values[versionKey], 10, 64); err != nil {
		return "", Trailer{}, false
	}
	count, span, _ := strings.Cut(values[decisionsKey], ", ")
	if t.Decisions, err = strconv.Atoi(count); err != nil {
		return "", Trailer{}, false
	}
	t.First, t.Last, _ = strings.Cut(span, "..")
	t.AuditHead = values[auditKey]
	return scope, t, t.validate() == nil
}
