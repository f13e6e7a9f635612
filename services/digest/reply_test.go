package digest_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/winnowhq/winnow/pkg/event"
	winnowv1 "github.com/winnowhq/winnow/proto/winnow/v1"
	"github.com/winnowhq/winnow/services/internal/change"
	"github.com/winnowhq/winnow/services/internal/memory"
	pure "github.com/winnowhq/winnow/services/internal/review/page"
)

// asked returns a bench with a digest of four questions, the last one without a
// recommendation, and two spot checks.
func asked(t *testing.T, reviewer, language string) (*bench, memory.Digest) {
	t.Helper()
	b := setup(t)
	b.commit(memory.DefaultTenant, change.Set{Reviewers: []memory.Reviewer{{Principal: reviewer, Language: language}}})
	b.ask(shop, 3)
	b.propose(shop, preference, memory.VerdictNeedsReview)
	b.propose(shop, facts[0], memory.VerdictPromoted)
	b.propose(shop, facts[1], memory.VerdictPromoted)
	b.set(monday)
	d := b.due(reviewer, "2026-W48")
	if len(d.Items) != 4 || len(d.Spots) != 2 {
		t.Fatalf("items %+v, spots %+v", d.Items, d.Spots)
	}
	b.pass(time.Hour)
	return b, d
}

// S3.21, SPEC §13: the effect of each form of an answer, and the gateway's answer in
// the reviewer's language.
func TestAnswers(t *testing.T) {
	t.Parallel()
	const p, r, o = "promoted ", "rejected ", "needs_review "
	for _, c := range []struct {
		language, text string
		states         string
		applied        bool
		says           string
	}{
		{"en", "all y", p + p + p + p, true, "Done: 1, 2, 3, 4 promoted"},
		{"en", "ok", p + p + p + o, true, "Done: 1, 2, 3 promoted; 4 open"},
		{"en", "ok except 3n", p + p + r + o, true, "Done: 1, 2 promoted; 3 rejected; 4 open"},
		{"en", "1y 2n", p + r + o + o, true, "Done: 1 promoted; 2 rejected; 3, 4 open"},
		{"en", "4: Handlers return early.", o + o + o + p, true, "4 promoted in your words"},
		{"en", "1-3n", r + r + r + o, true, "1, 2, 3 rejected"},
		{"en", "later", o + o + o + o, false, "Later"},
		{"en", "undo", o + o + o + o, false, "Nothing to do"},
		{"en", "1y p1y", p + o + o + o, true, "p1 confirmed"},
		{"en", "1y 9n", o + o + o + o, false, "has no 9"},
		{"en", "1y and then we shall see", o + o + o + o, false, "Not understood"},
		{"de", "ok außer 2n", p + r + p + o, true, "2 verworfen"},
		{"de", "1 ja, 2 nein", p + r + o + o, true, "1 übernommen"},
		{"de", "alle nein", r + r + r + r, true, "verworfen"},
		{"de", "später", o + o + o + o, false, "Später"},
		{"de", "1 vielleicht", o + o + o + o, false, "Nichts"},
	} {
		t.Run(c.language+" "+c.text, func(t *testing.T) {
			t.Parallel()
			b, d := asked(t, "anna", c.language)
			before := b.rows()
			a := b.answer("anna", d.Code, c.text)
			if got := b.states(d); got != strings.TrimSpace(c.states) || a.GetApplied() != c.applied {
				t.Errorf("states %s, applied %v; want %s", got, a.GetApplied(), c.states)
			}
			if !strings.Contains(a.GetText(), c.says) || a.GetCode() != d.Code || a.GetDigestId() != d.ID || a.GetReviewer() != "anna" {
				t.Errorf("told %v, want words like %q", a, c.says)
			}
			if !c.applied && b.rows() != before {
				t.Error("rows changed")
			}
			list := b.replies(d)
			if len(list) != 1 || list[0].Text != c.text || list[0].Answer != a.GetText() || list[0].Applied != c.applied ||
				list[0].Principal != "gateway" || (len(list[0].Decisions) > 0) != c.applied {
				t.Errorf("kept %+v", list)
			}
			if n := b.audited("digest.answered", d.ID); n != 1 {
				t.Errorf("%d audit entries, want one", n)
			}
			for _, i := range d.Items {
				if by := b.decision(b.proposal(i.ProposalID).DecisionID); c.applied && by.ID != i.DecisionID && (by.Actor != memory.ActorPerson || by.Principal != "anna") {
					t.Errorf("item %d was decided by %s %s", i.Number, by.Actor, by.Principal)
				}
			}
		})
	}
}

// A reply that fits no digest is refused in the reviewer's language.
func TestRefusedInTheReviewersLanguage(t *testing.T) {
	t.Parallel()
	b := setup(t)
	b.commit(memory.DefaultTenant, change.Set{Reviewers: []memory.Reviewer{{Principal: "anna", Language: "de"}}})
	for who, want := range map[string]string{"anna": pure.Refused("de", pure.ErrForeign), "ben": pure.Refused("en", pure.ErrForeign)} {
		if a := b.answer(who, "", "ok"); a.GetApplied() || a.GetText() != want || a.GetDigestId() != "" {
			t.Errorf("%s is told %v, want %q", who, a, want)
		}
	}
}

// Text that a person rewrote has the person as its origin, and secrets in it are
// removed.
func TestNewTextIsThePersonsOwn(t *testing.T) {
	t.Parallel()
	b, d := asked(t, "anna", "en")
	const secret = "AKIAQ3EGRZ7XK5JVN2LM"
	b.answer("anna", d.Code, "1: Never commit to `main`, not even docs.\n2: Key aws_access_key_id="+secret+" is for the bucket.")
	m := b.memoryOf(d.Items[0].ProposalID)
	if m.Text != "Never commit to `main`, not even docs." || m.Origin != memory.OriginHuman || m.Principal != "anna" {
		t.Errorf("memory %+v", m)
	}
	b.answer("anna", d.Code, "what about aws_access_key_id="+secret+"?")
	all := b.rows() + fmt.Sprintf("%+v", b.replies(d))
	rows, err := b.Store().Unpublished(t.Context(), 1000)
	if err != nil {
		t.Fatal(err)
	}
	for _, row := range rows {
		all += string(row.Data)
	}
	if strings.Contains(all, secret) || !strings.Contains(all, "⟨secret:") {
		t.Error("a secret was kept or told")
	}
}

// A reply that is forged, foreign, expired or in the name of another reviewer changes
// nothing (D8, SPEC §13).
func TestRepliesThatMayNot(t *testing.T) {
	t.Parallel()
	b, d := asked(t, "anna", "en")
	b.commit(memory.DefaultTenant, change.Set{Reviewers: []memory.Reviewer{{Principal: "ben", Scope: blog}}})
	b.ask(blog, 2)
	theirs := b.due("ben", "2026-W48")
	before := b.rows()
	for name, c := range map[string]struct {
		sender, reviewer, code, text string
		letter                       bool // else it is answered
	}{
		"wrong code":                {"gateway", "anna", "A2A2", "all y", false},
		"another's code":            {"gateway", "anna", theirs.Code, "all y", false},
		"two codes":                 {"gateway", "anna", d.Code, theirs.Code + " all y", false},
		"a foreign reviewer":        {"gateway", "ben", d.Code, "all y", false},
		"who has no digest":         {"gateway", "local", "", "all y", false},
		"in the own name":           {"ben", "", d.Code, "all y", false},
		"unregistered reviewer":     {"gateway", "nobody", d.Code, "all y", true},
		"reviewer of other tenant":  {"gateway", "zoe", d.Code, "all y", true},
		"gateway of other tenant":   {"acme-gateway", "anna", d.Code, "all y", true},
		"person of other tenant":    {"zoe", "", d.Code, "all y", false},
		"may not speak":             {"bot", "anna", d.Code, "all y", true},
		"may not speak for this":    {"annas-phone", "ben", theirs.Code, "all y", true},
		"a person for another":      {"ben", "anna", d.Code, "all y", true},
		"an agent in its own name":  {"agent", "", d.Code, "all y", true},
		"a gateway in its own name": {"gateway", "", d.Code, "all y", true},
		"an agent as reviewer":      {"gateway", "agent", d.Code, "all y", true},
		"nobody":                    {"stranger", "anna", d.Code, "all y", true},
	} {
		letters := len(b.DeadLetters())
		f := b.DeliverOnce(b.replyEvent(c.sender, &winnowv1.DigestReply{Reviewer: c.reviewer, Code: c.code, Text: c.text}))[0]
		if f.Acked == c.letter || len(b.DeadLetters()) != letters+map[bool]int{true: 1}[c.letter] {
			t.Errorf("%s: %+v", name, f)
		}
		if b.rows() != before {
			t.Fatalf("%s changed rows", name)
		}
	}
	// The default principal, on the bare subject, is an agent like any other.
	bare := b.replyEvent("x", &winnowv1.DigestReply{Reviewer: "anna", Code: d.Code, Text: "all y"})
	bare.Subject = event.SubjectDigestReply
	if f := b.DeliverOnce(bare)[0]; f.Acked || b.rows() != before {
		t.Errorf("on the bare subject: %+v", f)
	}
	for _, a := range emitted[winnowv1.DigestAnswered](b, event.SubjectDigestAnswered) {
		if a.GetApplied() || a.GetDigestId() != "" || !strings.Contains(a.GetText(), "Nothing was done") {
			t.Errorf("told %v", a)
		}
	}
	if len(b.replies(d))+len(b.replies(theirs)) != 0 {
		t.Errorf("a foreign reply was kept with a digest")
	}
	if n := b.audited("digest.refused", "anna"); n == 0 {
		t.Error("nothing of them is in the audit log")
	}

	b.set(d.ExpiresAt.Add(time.Microsecond))
	if a := b.answer("anna", d.Code, "all y"); a.GetApplied() || !strings.Contains(a.GetText(), "expired") || b.rows() != before {
		t.Errorf("after it expired: %v", a)
	}
	if list := b.replies(d); len(list) != 1 || list[0].Applied {
		t.Errorf("replies kept: %+v, want the late one", list)
	}
	b.set(d.ExpiresAt)
	if f := b.DeliverOnce(b.replyEvent("annas-phone", &winnowv1.DigestReply{Reviewer: "anna", Text: "1n " + d.Code}))[0]; !f.Acked || b.rows() == before {
		t.Errorf("in the last moment: %+v", f)
	}
}

// A reply takes effect once: delivered again, and sent again under another id.
func TestReplayedReply(t *testing.T) {
	t.Parallel()
	b, d := asked(t, "anna", "en")
	const text = "1y 2n 3: In other words. p1n"
	reply := func(text string) *winnowv1.DigestReply {
		return &winnowv1.DigestReply{Reviewer: "anna", Code: d.Code, Text: text}
	}
	for _, f := range b.Deliver(b.replyEvent("gateway", reply("1y 2n p1n"))) {
		if !f.Acked {
			t.Errorf("fate: %+v", f)
		}
	}
	once := b.rows()
	if list := b.replies(d); len(list) != 1 || len(list[0].Decisions) != 3 {
		t.Errorf("replies: %+v, want one with three decisions", list)
	}
	for _, again := range []string{"1y 2n p1n", "2 no 1 yes", "p1n", text} {
		if a := b.answer("anna", d.Code, again); a.GetApplied() || b.rows() != once {
			t.Errorf("%q again: %v", again, a)
		}
	}
	// A later answer changes the first only after an undo.
	if a := b.answer("anna", d.Code, "1n 3y"); a.GetApplied() || !strings.Contains(a.GetText(), "1 promoted") || b.rows() != once {
		t.Errorf("the other way round: %v", a)
	}
	if a := b.answer("anna", d.Code, "undo"); !a.GetApplied() {
		t.Errorf("undo: %v", a)
	}
	if a := b.answer("anna", d.Code, "1n"); !a.GetApplied() || b.proposal(d.Items[0].ProposalID).State != memory.ProposalRejected {
		t.Errorf("after the undo: %v", a)
	}
}

// An item that was decided elsewhere meanwhile is not decided again, and the whole
// reply is refused.
func TestDecidedElsewhere(t *testing.T) {
	t.Parallel()
	b, d := asked(t, "anna", "en")
	set, done, err := b.decider("ben").Answer(t.Context(), d.Items[0].ProposalID, rejected)
	if err != nil {
		t.Fatal(err)
	}
	b.commit(memory.DefaultTenant, set)
	before := b.rows()
	if a := b.answer("anna", d.Code, "1y 2y"); a.GetApplied() || !strings.Contains(a.GetText(), "1 rejected") || b.rows() != before {
		t.Errorf("the other way than elsewhere: %v", a)
	}
	if a := b.answer("anna", d.Code, "1n 2y"); !a.GetApplied() || b.states(d) != "rejected promoted needs_review needs_review" {
		t.Errorf("as elsewhere: %v, %s", a, b.states(d))
	}
	if by := b.proposal(d.Items[0].ProposalID).DecisionID; by != done.Decision {
		t.Errorf("the first is decided by %s, want still by %s", by, done.Decision)
	}
}

// Two answers that replace one memory conflict: neither is done, and after one of them
// the other is not done silently.
func TestTwoAnswersReplaceTheSame(t *testing.T) {
	t.Parallel()
	b := setup(t)
	stored := b.propose(shop, facts[0], memory.VerdictPromoted)
	for _, size := range []string{"60", "80"} {
		text := strings.Replace(facts[0], "40", size, 1)
		q := b.propose(shop, text, memory.VerdictNeedsReview)
		if q.Advice != memory.AdviceReplace || q.Target != stored.MemoryID {
			// The second is compared with the first, which waits as well: the
			// question is put against the memory all the same.
			p := b.proposal(q.ProposalID)
			q.ID, q.Target, q.Advice, q.At = b.id(memory.PrefixDecision), stored.MemoryID, memory.AdviceReplace, b.now()
			b.commit(memory.DefaultTenant, change.Set{
				Decisions: []memory.Decision{q},
				ProposalUpdates: []change.ProposalUpdate{{
					ID: p.ID, State: p.State, Kind: p.Kind, Section: p.Section, Target: q.Target, DecisionID: q.ID,
					SeenCount: p.SeenCount, LastConfirmed: p.LastConfirmed, Expect: p.Version,
				}},
			})
		}
	}
	b.set(monday)
	d := b.due("local", "2026-W48")
	if len(d.Items) != 2 || d.Items[0].Advice != memory.AdviceReplace || d.Items[1].Advice != memory.AdviceReplace {
		t.Fatalf("items: %+v", d.Items)
	}
	before := b.rows()
	if a := b.answer("local", d.Code, "ok"); a.GetApplied() || b.rows() != before || !strings.Contains(a.GetText(), "Nothing was done") {
		t.Errorf("both: %v", a)
	}
	if a := b.answer("local", d.Code, "1y"); !a.GetApplied() || b.memory(stored.MemoryID).SuccessorID != b.memoryOf(d.Items[0].ProposalID).ID {
		t.Errorf("one: %v, %+v", a, b.memory(stored.MemoryID))
	}
	before = b.rows()
	if a := b.answer("local", d.Code, "2y"); a.GetApplied() || b.rows() != before {
		t.Errorf("the other: %v", a)
	}
	if a := b.answer("local", d.Code, "2n"); !a.GetApplied() {
		t.Errorf("the other, no: %v", a)
	}
}

// Concurrent replies from two devices are decided one after the other: each item once.
func TestRepliesAtOnce(t *testing.T) {
	t.Parallel()
	b, d := asked(t, "anna", "en")
	var seqs []uint64
	for _, text := range []string{"1y 2y", "1n 2n", "all y", "all n", "2y 3n"} {
		seqs = append(seqs, b.Publish(b.replyEvent("gateway", &winnowv1.DigestReply{Reviewer: "anna", Code: d.Code, Text: text}))...)
	}
	for _, f := range b.Await(seqs...) {
		if !f.Acked {
			t.Errorf("fate: %+v", f)
		}
	}
	list := b.replies(d)
	var decided []string
	for _, r := range list {
		decided = append(decided, r.Decisions...)
	}
	for _, i := range d.Items {
		p := b.proposal(i.ProposalID)
		if p.State != memory.ProposalNeedsReview && !slices.Contains(decided, p.DecisionID) {
			t.Errorf("item %d stands by %s, which no reply names", i.Number, p.DecisionID)
		}
		if n := b.audited("proposal.decided", p.ID); n > 2 {
			t.Errorf("item %d was decided %d times", i.Number, n-1)
		}
	}
	if len(list) != 5 || !slices.ContainsFunc(list, func(r memory.DigestReply) bool { return r.Applied }) {
		t.Errorf("replies: %+v", list)
	}
}
