package review_test

import (
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/winnowhq/winnow/services/internal/change"
	"github.com/winnowhq/winnow/services/internal/ident"
	"github.com/winnowhq/winnow/services/internal/memory"
	"github.com/winnowhq/winnow/services/internal/review"
	"github.com/winnowhq/winnow/services/internal/review/page"
	"github.com/winnowhq/winnow/services/internal/store"
	"github.com/winnowhq/winnow/services/internal/store/postgres/pgtest"
)

const scope = memory.Scope("project:shop")

// world is one digest of its own reviewer, with all rows that it is about.
type world struct {
	*rapid.T
	store  store.Store
	now    time.Time
	digest memory.Digest
	set    change.Set
	stored []string        // memories that are replaced or spot-checked
	gone   map[string]bool // those of them that are archived
	target map[string]string
}

func newWorld(t *rapid.T, s store.Store) *world {
	w := &world{
		T: t, store: s, now: time.Now().UTC().Truncate(time.Microsecond), gone: map[string]bool{}, target: map[string]string{},
	}
	id := ident.New(memory.PrefixDigest)
	w.digest = memory.Digest{
		ID: id, Tenant: memory.DefaultTenant, Reviewer: id, Slot: "2026-W48", Code: page.Code(id), Language: "en",
		Until: w.now, CreatedAt: w.now, ExpiresAt: w.now.Add(time.Hour), Text: "x",
	}
	for range rapid.IntRange(0, 3).Draw(t, "spots") {
		w.spot()
	}
	for range rapid.IntRange(0, 2).Draw(t, "others") {
		w.remember(ident.New(memory.PrefixProposal), rapid.Bool().Draw(t, "archived"))
	}
	for range rapid.IntRange(0, 6).Draw(t, "items") {
		w.item()
	}
	w.set.Digests = []memory.Digest{w.digest}
	w.commit(w.set)
	return w
}

func (w *world) commit(set change.Set) {
	if _, err := w.store.Commit(w.Context(), memory.DefaultTenant, set, store.InboxKey{}); err != nil {
		w.Fatal(err)
	}
}

// proposal adds a proposal with the decision in force on it.
func (w *world) proposal(id string, verdict memory.Verdict, d memory.Decision) memory.Decision {
	d.ID, d.Tenant, d.Scope, d.ProposalID, d.Verdict = ident.New(memory.PrefixDecision), memory.DefaultTenant, scope, id, verdict
	d.Actor, d.Rule, d.Features, d.At, d.Authority = memory.ActorTriage, "ambiguous", []byte(`{}`), w.now, memory.OriginAgent
	w.set.Decisions = append(w.set.Decisions, d)
	w.set.Proposals = append(w.set.Proposals, memory.Proposal{
		ID: id, Tenant: memory.DefaultTenant, Scope: scope, State: verdict.State(), Text: "text of " + id, Principal: "agent",
		Origin: memory.OriginAgent, Authority: memory.OriginAgent, EventID: id, CreatedAt: w.now, LastConfirmed: w.now,
		SeenCount: 1, Target: d.Target, DecisionID: d.ID,
	})
	return d
}

func (w *world) remember(proposal string, archived bool) memory.Memory {
	m := memory.Memory{
		ID: ident.New(memory.PrefixMemory), Tenant: memory.DefaultTenant, Scope: scope, State: memory.StateActive, Kind: memory.KindFact,
		Section: "Notes", Text: "text of " + proposal, Importance: 5, Confidence: 0.5, Principal: "agent", Origin: memory.OriginAgent,
		Authority: memory.OriginAgent, CreatedAt: w.now, LastConfirmed: w.now, SeenCount: 1, ProposalID: proposal,
	}
	if archived {
		m.State, m.ArchivedAt, m.ArchiveReason = memory.StateArchived, w.now, "closed"
		w.gone[m.ID] = true
	}
	w.stored = append(w.stored, m.ID)
	w.set.Memories = append(w.set.Memories, m)
	return m
}

func (w *world) spot() {
	id := ident.New(memory.PrefixProposal)
	m := w.remember(id, false)
	d := w.proposal(id, memory.VerdictPromoted, memory.Decision{MemoryID: m.ID})
	w.set.Memories[len(w.set.Memories)-1].DecisionID = d.ID
	w.digest.Spots = append(w.digest.Spots, memory.DigestSpot{Number: len(w.digest.Spots) + 1, MemoryID: m.ID, DecisionID: d.ID})
}

// item adds a question; some were answered by other means since.
func (w *world) item() {
	id := ident.New(memory.PrefixProposal)
	advice := rapid.SampledFrom([]memory.Advice{
		memory.AdvicePromote, memory.AdviceReject, memory.AdviceReplace, memory.AdviceReplace, memory.AdviceReview,
	}).Draw(w.T, "advice")
	ask := memory.Decision{Advice: advice}
	if advice == memory.AdviceReplace {
		if len(w.stored) == 0 {
			w.remember(ident.New(memory.PrefixProposal), false)
		}
		ask.Target = rapid.SampledFrom(w.stored).Draw(w.T, "target")
		w.target[id] = ask.Target
	}
	verdict := rapid.SampledFrom([]memory.Verdict{
		memory.VerdictNeedsReview, memory.VerdictNeedsReview, memory.VerdictNeedsReview, memory.VerdictNeedsReview,
		memory.VerdictNeedsReview, memory.VerdictNeedsReview, memory.VerdictNeedsReview, memory.VerdictNeedsReview,
		memory.VerdictPromoted, memory.VerdictRejected, memory.VerdictExpired,
	}).Draw(w.T, "verdict")
	d := w.proposal(id, verdict, ask)
	w.digest.Items = append(w.digest.Items, memory.DigestItem{
		Number: len(w.digest.Items) + 1, ProposalID: id, DecisionID: d.ID, Advice: advice,
	})
}

// anything returns a reply, well formed or not.
func anything() *rapid.Generator[string] {
	piece := rapid.OneOf(
		rapid.Custom(func(t *rapid.T) string {
			return fmt.Sprintf("%d%s", rapid.IntRange(1, 7).Draw(t, "number"), rapid.SampledFrom([]string{"y", "n", " ja", ": n", ": in other words"}).Draw(t, "choice"))
		}),
		rapid.Custom(func(t *rapid.T) string {
			return fmt.Sprintf("p%d%s", rapid.IntRange(1, 4).Draw(t, "spot"), rapid.SampledFrom([]string{"y", "n"}).Draw(t, "choice"))
		}),
		rapid.SampledFrom([]string{"ok", "except", "all y", "all n", "1-3y", "later", "undo", "und", "hm", "\n", "> 1y"}),
	)
	return rapid.Custom(func(t *rapid.T) string { return strings.Join(rapid.SliceOfN(piece, 1, 4).Draw(t, "pieces"), " ") })
}

// sensible returns a reply that names only items of the digest and may be carried out.
func (w *world) sensible() string {
	var pieces, lines []string
	base := rapid.SampledFrom([]string{"", "", "ok", "all n"}).Draw(w.T, "base")
	for _, i := range w.digest.Items {
		switch rapid.IntRange(0, 4).Draw(w.T, "answer") {
		case 0:
			pieces = append(pieces, fmt.Sprintf("%dy", i.Number))
		case 1:
			pieces = append(pieces, fmt.Sprintf("%dn", i.Number))
		case 2:
			lines = append(lines, fmt.Sprintf("%d: in other words", i.Number))
		}
	}
	if base != "" && len(pieces) > 0 {
		base += " except"
	}
	for _, s := range w.digest.Spots {
		pieces = append(pieces, fmt.Sprintf("p%d%s", s.Number, rapid.SampledFrom([]string{"y", "n"}).Draw(w.T, "spot")))
	}
	return strings.TrimSpace(base + " " + strings.Join(pieces, " ") + "\n" + strings.Join(lines, "\n"))
}

// reply carries an answer out and returns the result.
func (w *world) reply(text string) review.Replied {
	w.now = w.now.Add(time.Second)
	decider := review.Decider{
		Stamp: review.Stamp{Tenant: memory.DefaultTenant, Person: w.digest.Reviewer, Now: w.now, NewID: ident.New},
		Store: w.store, Redact: func(s string) string { return s },
	}
	set, done, err := decider.Reply(w.Context(), page.DefaultConfig(), review.Message{
		EventID: ident.New(memory.PrefixEvent), Principal: "gateway", Reviewer: w.digest.Reviewer, Code: w.digest.Code, Text: text,
	})
	if err != nil {
		w.Fatalf("reply %q: %v", text, err)
	}
	w.commit(set)
	return done
}

// states returns the rows by id, each with the fields that an answer changes.
func (w *world) states() map[string]string {
	all := map[string]string{}
	for _, p := range w.set.Proposals {
		row, err := w.store.Proposal(w.Context(), memory.DefaultTenant, p.ID)
		if err != nil {
			w.Fatal(err)
		}
		all[p.ID] = string(row.State)
	}
	for _, id := range w.stored {
		row, err := w.store.Memory(w.Context(), memory.DefaultTenant, id)
		if err != nil {
			w.Fatal(err)
		}
		text, _ := json.Marshal([]any{row.State, row.SuccessorID != ""})
		all[id] = string(text)
	}
	return all
}

// wanted returns what the reply should change, by digest.Resolve alone; ok is false
// when it should change nothing.
func (w *world) wanted(text string) (want map[string]string, ok bool) {
	parsed, err := page.Parse(text)
	if err != nil {
		return nil, false
	}
	plan, err := page.Resolve(w.digest, parsed, func(id string) page.ItemState {
		i := slices.IndexFunc(w.set.Proposals, func(p memory.Proposal) bool { return p.ID == id })
		return page.ItemState{State: w.set.Proposals[i].State, DecisionID: w.set.Proposals[i].DecisionID}
	})
	if err != nil {
		return nil, false
	}
	want = map[string]string{}
	for _, a := range plan.Actions {
		switch a.Do {
		case page.DoReject:
			want[a.ProposalID] = string(memory.ProposalRejected)
		case page.DoReplace:
			target := w.target[a.ProposalID]
			if _, twice := want[target]; twice || w.gone[target] {
				return nil, false // two answers change it, or it is out of service
			}
			want[target] = `["archived",true]`
			want[a.ProposalID] = string(memory.ProposalPromoted)
		case page.DoPromote:
			want[a.ProposalID] = string(memory.ProposalPromoted)
		case page.DoRetract:
			if _, twice := want[a.MemoryID]; twice {
				return nil, false
			}
			want[a.MemoryID] = `["archived",false]`
			i := slices.IndexFunc(w.set.Memories, func(m memory.Memory) bool { return m.ID == a.MemoryID })
			want[w.set.Memories[i].ProposalID] = string(memory.ProposalNeedsReview)
		}
	}
	return want, true
}

// For every digest and every reply: what changes is what digest.Resolve says,
// or nothing; the same again changes nothing more; and undo takes it back.
func TestRepliesChangeWhatResolveSays(t *testing.T) {
	t.Parallel()
	s := pgtest.Open(t)
	rapid.Check(t, func(rt *rapid.T) {
		w := newWorld(rt, s)
		text := w.sensible()
		if rapid.IntRange(0, 3).Draw(rt, "kind") == 0 {
			text = anything().Draw(rt, "reply")
		}
		before := w.states()
		want, ok := w.wanted(text)
		done := w.reply(text)
		after := w.states()
		expected := maps.Clone(before)
		maps.Copy(expected, want)
		if !maps.Equal(after, expected) {
			rt.Fatalf("%q changed\n%v to\n%v, want\n%v\n(%s)", text, before, after, expected, done.Answer)
		}
		if done.Applied != (ok && len(want) > 0) || (done.Refused == nil) != ok || done.Answer == "" {
			rt.Fatalf("%q: applied %v, refused %v, says %q; want something done: %v", text, done.Applied, done.Refused, done.Answer, ok)
		}
		if !ok && !strings.Contains(done.Answer, "Nothing was done") {
			rt.Fatalf("%q was refused with %q", text, done.Answer)
		}
		if again := w.reply(text); again.Applied || !maps.Equal(w.states(), after) {
			rt.Fatalf("%q again: %+v", text, again)
		}
		w.undone(done, before, after)
	})
}

// undone checks that undo restores all rows that the reply changed. A retracted spot
// check is active again as a new memory.
func (w *world) undone(done review.Replied, before, after map[string]string) {
	undo := w.reply("undo")
	if undo.Applied != done.Applied || errors.Is(undo.Refused, review.ErrState) {
		w.Fatalf("undo: %+v of %+v", undo, done)
	}
	got := w.states()
	for id, was := range before {
		want := was
		for _, s := range w.digest.Spots {
			if s.MemoryID == id {
				want = after[id] // the one it was is history
				if got[id] == was {
					want = was // or it was only replaced, and is restored
				}
			}
		}
		if got[id] != want {
			w.Fatalf("%s is %s after the undo, want %s", id, got[id], want)
		}
	}
	if again := w.reply("undo"); again.Applied || !maps.Equal(w.states(), got) {
		w.Fatalf("a second undo: %+v", again)
	}
}
