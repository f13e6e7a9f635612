package ops_test

import (
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/winnowhq/winnow/services/internal/memory"
	"github.com/winnowhq/winnow/services/internal/review/page"
	"github.com/winnowhq/winnow/services/internal/store"
	"github.com/winnowhq/winnow/services/ops"
)

// A preview equals the digest that would be sent, and stores nothing. A digest
// on request is published, and only its reviewer can answer it, until it expires
// (S3.26, S3.28).
func TestDigestByHand(t *testing.T) {
	t.Parallel()
	b := setup(t)
	ctx := t.Context()
	if _, made, err := b.ops.PreviewDigest(ctx, "local"); err != nil || made {
		t.Fatalf("made of nothing: %v, %v", made, err)
	}
	b.propose("Handlers should return early, see `http.go`.", review, "convention")
	b.propose("Never commit to `main` directly.", review, "hardrule")
	preview, made, err := b.ops.PreviewDigest(ctx, "local")
	if err != nil || !made || !preview.Preview || len(preview.Items) != 2 {
		t.Fatalf("preview of %d questions, made %v, %v", len(preview.Items), made, err)
	}
	if _, found, err := b.ops.OpenDigest(ctx, "local"); err != nil || found {
		t.Errorf("the preview is on record: %v, %v", found, err)
	}
	sent, made, err := b.ops.SendDigest(ctx, "local")
	if err != nil || !made || sent.Preview {
		t.Fatalf("sent %v, %v", made, err)
	}
	if want := "by-hand " + b.now.Format(time.RFC3339); sent.Slot != want {
		t.Errorf("slot %q, want %q", sent.Slot, want)
	}
	if _, _, err := b.ops.SendDigest(ctx, "local"); !errors.Is(err, store.ErrConflict) {
		t.Errorf("twice in one second: %v, want a conflict", err)
	}
	page, found, err := b.ops.OpenDigest(ctx, "local")
	if err != nil || !found || page.ID != sent.ID {
		t.Errorf("open: %v, %v, %v", page.ID, found, err)
	}
	if _, err := b.ops.DigestOfSlot(ctx, "local", "2026-W47"); !errors.Is(err, store.ErrNotFound) {
		t.Errorf("a week without a digest: %v", err)
	}

	b.ops.Person = "human"
	if done := b.reply("ok " + sent.Code); !done.Refused || done.Applied {
		t.Errorf("somebody else's answer: %+v", done)
	}
	b.ops.Person = "local"
	b.now = sent.ExpiresAt
	if _, found, err := b.ops.OpenDigest(ctx, "local"); err != nil || found {
		t.Errorf("open at its last moment: %v, %v", found, err)
	}
	b.now = b.now.Add(time.Second)
	if done := b.reply("ok"); !done.Refused || done.Applied {
		t.Errorf("an answer that came too late: %+v", done)
	}
	if left := b.waiting(); len(left) != 2 {
		t.Errorf("%d questions left, want both", len(left))
	}
}

// A reply is applied, answered in words and stored. A reply without a request is
// no error; a reply that is not understood is an error.
func TestReplyByHand(t *testing.T) {
	t.Parallel()
	b := setup(t)
	b.propose("Handlers should return early, see `http.go`.", review, "convention")
	b.propose("Never commit to `main` directly.", review, "hardrule")
	sent, _, err := b.ops.SendDigest(t.Context(), "local")
	if err != nil {
		t.Fatal(err)
	}
	for _, c := range []struct {
		text             string
		refused, applied bool
		left             int
	}{
		{"later", false, false, 2},
		{"maybe", true, false, 2},
		{"3y", true, false, 2},
		{"1y " + sent.Code, false, true, 1},
		{"undo", false, true, 2},
		{"undo", false, false, 2},
		{"ok", false, true, 0},
		{"ok", false, false, 0},
	} {
		done := b.reply(c.text)
		if done.Refused != c.refused || done.Applied != c.applied || done.Answer == "" {
			t.Errorf("%q: refused %v, applied %v: %s", c.text, done.Refused, done.Applied, done.Answer)
		}
		if left := b.waiting(); len(left) != c.left {
			t.Errorf("after %q %d are left, want %d", c.text, len(left), c.left)
		}
	}
	page, err := b.ops.DigestOfSlot(t.Context(), "local", sent.Slot)
	if err != nil || len(page.Replies) != 8 || page.Replies[1].Answer == "" {
		t.Errorf("%d replies on record, %v; want all eight", len(page.Replies), err)
	}
}

func (b *bench) reply(text string) ops.Replied {
	b.Helper()
	b.now = b.now.Add(time.Second)
	done, err := b.ops.Reply(b.Context(), text)
	if err != nil {
		b.Fatal(err)
	}
	return done
}

// A scope has one reviewer, a registered person. The configured reviewer gets
// every scope without a registration.
func TestReviewers(t *testing.T) {
	t.Parallel()
	b := setup(t)
	ctx := t.Context()
	for _, r := range []ops.Reviewer{
		{Principal: "nobody"}, {Principal: "agent"}, {Principal: memory.VaultPrincipal(memory.DefaultTenant)},
		{Principal: "human", Scope: "shop"}, {Principal: "human", Language: "fr"},
	} {
		if _, err := b.ops.AddReviewer(ctx, r); err == nil {
			t.Errorf("%+v was taken", r)
		}
	}
	for _, step := range []struct{ who, before string }{{"human", ""}, {"human", ""}, {"local", "human"}} {
		before, err := b.ops.AddReviewer(ctx, ops.Reviewer{Principal: step.who, Scope: scope, Language: "de"})
		if err != nil || before != step.before {
			t.Errorf("%s took it from %q, %v; want %q", step.who, before, err, step.before)
		}
	}
	list, err := b.ops.Reviewers(ctx)
	if err != nil || len(list) != 1 || list[0] != (ops.Reviewer{Principal: "local", Scope: scope, Language: "de"}) {
		t.Errorf("registered: %+v, %v", list, err)
	}
	b.propose("Never commit to `main` directly.", review, "hardrule")
	if page, made, err := b.ops.PreviewDigest(ctx, "local"); err != nil || !made || !strings.Contains(page.Text, "Memory-Triage") {
		t.Errorf("made %v, %v: %s", made, err, page.Text)
	}
	if n, err := b.ops.RemoveReviewer(ctx, "local", "project:other"); !errors.Is(err, store.ErrNotFound) || n != 0 {
		t.Errorf("removed %d of another scope, %v", n, err)
	}
	if n, err := b.ops.RemoveReviewer(ctx, "local"); err != nil || n != 1 {
		t.Errorf("removed %d, %v", n, err)
	}
	if events, err := b.ops.AuditLog(ctx, "human", 0, 10); err != nil || len(events) != 3 {
		t.Errorf("%d entries about human, %v; want added twice and removed", len(events), err)
	}
}

// digests returns the default settings with the bench's person as the reviewer.
func digests() page.Config {
	cfg := page.DefaultConfig()
	cfg.Reviewer = "local"
	return cfg
}
