package message_test

import (
	"strings"
	"testing"

	winnowv1 "github.com/winnowhq/winnow/proto/winnow/v1"
	"github.com/winnowhq/winnow/services/internal/guard/redact"
	"github.com/winnowhq/winnow/services/internal/guard/redact/message"
	"github.com/winnowhq/winnow/services/internal/memory"
)

// A field that is too long only once its secret is replaced is refused at the
// door, and not accepted there to become a dead letter behind it.
func TestProposalGrowsOverItsLimit(t *testing.T) {
	t.Parallel()
	r, err := redact.New(redact.Config{Key: []byte("a key for tests")})
	if err != nil {
		t.Fatal(err)
	}
	const login = "postgres://app:hunter2pw@db "
	p := &winnowv1.ProposalCreated{Scope: "project:shop", Text: "Log in.", Title: login + strings.Repeat("x", memory.MaxLabel-len(login))}
	n, err := message.Proposal(r.Stream("acme"), p)
	if faults := memory.Faults(err); n != 1 || len(faults) != 1 || faults[0].Field != "title" || !faults[0].TooLarge {
		t.Errorf("%d replaced, %v; want one fault of the title", n, err)
	}
	p.Title = login
	if n, err := message.Proposal(r.Stream("acme"), p); n != 1 || err != nil || strings.Contains(p.GetTitle(), "hunter2pw") {
		t.Errorf("%d replaced in %q, %v", n, p.GetTitle(), err)
	}
}
