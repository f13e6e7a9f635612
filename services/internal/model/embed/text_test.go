package embed_test

import (
	"context"
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/winnowhq/winnow/services/internal/memory"
	"github.com/winnowhq/winnow/services/internal/model/embed"
)

// D23: one text, title before description before content.
func TestTextOrder(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		memory memory.Memory
		want   string
	}{
		"all three":        {memory.Memory{Title: "Pool size", Description: "Why 8", Text: "The pool holds 8."}, "Pool size\nWhy 8\nThe pool holds 8."},
		"content alone":    {memory.Memory{Text: "The pool holds 8."}, "The pool holds 8."},
		"blank parts":      {memory.Memory{Title: " ", Description: "\n", Text: " The pool holds 8.\n"}, "The pool holds 8."},
		"title repeated":   {memory.Memory{Title: "The pool", Text: "The pool holds 8."}, "The pool holds 8."},
		"title over blank": {memory.Memory{Title: "The pool", Description: " ", Text: "The pool holds 8."}, "The pool holds 8."},
		"nothing":          {memory.Memory{}, ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if got := embed.Text(c.memory); got != c.want {
				t.Errorf("Text = %q, want %q", got, c.want)
			}
		})
	}
}

// A proposal and the memory that it becomes have the same text.
func TestProposalHasTheTextOfItsMemory(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		title, text := rapid.String().Draw(t, "title"), rapid.String().Draw(t, "text")
		p := embed.ProposalText(memory.Proposal{Title: title, Text: text})
		m := embed.Text(memory.Memory{Title: title, Text: text})
		if p != m {
			t.Fatalf("proposal %q, memory %q", p, m)
		}
		if !strings.HasSuffix(m, strings.TrimSpace(text)) {
			t.Fatalf("the content is not the end of %q", m)
		}
	})
}

func TestNone(t *testing.T) {
	t.Parallel()
	var none embed.None
	got, err := none.Embed(t.Context(), []string{"a", ""})
	if err != nil || len(got) != 2 || got[0] != nil || got[1] != nil {
		t.Errorf("Embed = %v, %v; want two vectors that are nil", got, err)
	}
	if none.Dim() != 0 {
		t.Errorf("Dim = %d, want 0", none.Dim())
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := none.Embed(ctx, []string{"a"}); err == nil {
		t.Error("a cancelled context went unnoticed")
	}
}
