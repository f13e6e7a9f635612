package git

import (
	"fmt"
	"strconv"
	"strings"

	"github.com/go-git/go-git/v5/plumbing"
	"github.com/go-git/go-git/v5/plumbing/object"

	"github.com/winnowhq/winnow/services/internal/memory"
	"github.com/winnowhq/winnow/services/internal/vault"
)

// identity is the author and committer of a commit.
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
	signedKey    = "Winnow-Audit-Signed"
	treeKey      = "Winnow-Tree"
)

// message returns a commit's whole message. tree is the tree of the scope's
// folder, which distinguishes a rebased rendering from a changed one.
func message(scope memory.Scope, t vault.Trailer, tree plumbing.Hash) string {
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
	if t.SignedHead != "" {
		fmt.Fprintf(&b, "%s: %s\n", signedKey, t.SignedHead)
	}
	fmt.Fprintf(&b, "%s: %s\n", treeKey, tree)
	return b.String()
}

// rendered parses the trailers of a rendering; ok is false for every other
// commit.
//
// People may rebase, amend or cherry-pick a rendering. The commit then has the
// same trailers and another committer, and counts as a rendering only while the
// scope's folder is unchanged. With a change in the folder, the commit is a hand
// edit.
func (s *session) rendered(c *object.Commit) (scope memory.Scope, t vault.Trailer, ok bool, err error) {
	scope, t, tree, ok := parse(c.Message)
	if !ok || c.Committer.Email == winnow.email {
		return scope, t, ok, nil
	}
	now, err := s.treeIn(c.TreeHash, scopeDir(scope))
	if err != nil || now != tree {
		return "", vault.Trailer{}, false, err
	}
	return scope, t, true, nil
}

// parse is the reverse of message; ok is false for any other message.
func parse(text string) (scope memory.Scope, t vault.Trailer, tree plumbing.Hash, ok bool) {
	_, body, _ := strings.Cut(text, "\n\n")
	values := map[string]string{}
	for line := range strings.Lines(body) {
		if key, value, found := strings.Cut(strings.TrimSuffix(line, "\n"), ": "); found {
			values[key] = value
		}
	}
	scope, err := memory.ParseScope(values[scopeKey])
	if err != nil {
		return "", vault.Trailer{}, tree, false
	}
	count, span, _ := strings.Cut(values[decisionsKey], ", ")
	t.First, t.Last, _ = strings.Cut(span, "..")
	t.AuditHead, t.SignedHead = values[auditKey], values[signedKey]
	t.Version, err = strconv.ParseInt(values[versionKey], 10, 64)
	if err == nil {
		t.Decisions, err = strconv.Atoi(count)
	}
	if err != nil || t.Validate() != nil {
		return "", vault.Trailer{}, tree, false
	}
	return scope, t, plumbing.NewHash(values[treeKey]), true
}
