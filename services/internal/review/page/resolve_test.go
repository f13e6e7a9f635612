package page

import (
	"errors"
	"fmt"
	"reflect"
	"slices"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/winnowhq/winnow/services/internal/memory"
)

// asked5 has one item of every recommendation, and a fifth to promote, and two
// spot checks.
func asked5() memory.Digest {
	d := blank("en")
	for i, a := range []memory.Advice{memory.AdvicePromote, memory.AdviceReject, memory.AdviceReplace, memory.AdviceReview, memory.AdvicePromote} {
		d.Items = append(d.Items, memory.DigestItem{
			Number: i + 1, ProposalID: fmt.Sprintf("prop_%d", i+1), DecisionID: fmt.Sprintf("dec_%d", i+1), Advice: a,
		})
	}
	d.Spots = []memory.DigestSpot{{Number: 1, MemoryID: "mem_1", DecisionID: "dec_m1"}, {Number: 2, MemoryID: "mem_2", DecisionID: "dec_m2"}}
	return d
}

// world holds the states of proposals; others still wait with the digest's own
// decision.
type world map[string]ItemState

func (w world) of(d memory.Digest) func(string) ItemState {
	return func(id string) ItemState {
		if s, moved := w[id]; moved {
			return s
		}
		for _, i := range d.Items {
			if i.ProposalID == id {
				return ItemState{State: memory.ProposalNeedsReview, DecisionID: i.DecisionID}
			}
		}
		return ItemState{}
	}
}

// S3.21: every item can be confirmed or overridden.
func TestWhatRepliesDo(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"ok":                     "Done: 1, 5 promoted; 3 replaced what was stored; 2 rejected; 4 open. Undo within 24 h: undo",
		"ok except 1n 4y":        "Done: 4, 5 promoted; 3 replaced what was stored; 1, 2 rejected. Undo within 24 h: undo",
		"ok except 2y":           "Done: 1, 2, 5 promoted; 3 replaced what was stored; 4 open. Undo within 24 h: undo",
		"1y 2n":                  "Done: 1 promoted; 2 rejected; 3, 4, 5 open. Undo within 24 h: undo",
		"2y 3n":                  "Done: 2 promoted; 3 rejected; 1, 4, 5 open. Undo within 24 h: undo",
		"all n":                  "Done: 1, 2, 3, 4, 5 rejected. Undo within 24 h: undo",
		"all y except 2n":        "Done: 1, 4, 5 promoted; 3 replaced what was stored; 2 rejected. Undo within 24 h: undo",
		"4: Prefers A for tests": "Done: 4 promoted in your words; 1, 2, 3, 5 open. Undo within 24 h: undo",
		"p1y p2n":                "Done: p1 confirmed; p2 taken back; 1, 2, 3, 4, 5 open. Undo within 24 h: undo",
		"later":                  "Later: everything stays open.",
	} {
		r, err := Parse(text)
		if err != nil {
			t.Fatal(err)
		}
		plan, err := Resolve(asked5(), r, world{}.of(asked5()))
		if got := Done("en", plan, 24*time.Hour); err != nil || got != want {
			t.Errorf("%q: %q, %v; want %q", text, got, err, want)
		}
	}
}

func TestUndoIsTheCallersToCarryOut(t *testing.T) {
	t.Parallel()
	plan, err := Resolve(asked5(), Reply{Undo: true}, world{}.of(asked5()))
	if err != nil || !plan.Undo || len(plan.Actions) > 0 {
		t.Errorf("%+v, %v", plan, err)
	}
}

func TestNewTextOnAReplacementReplaces(t *testing.T) {
	t.Parallel()
	plan, err := Resolve(asked5(), Reply{Answers: []Answer{{Number: 3, Choice: Yes, Text: "better"}}}, world{}.of(asked5()))
	want := []Action{{Number: 3, Do: DoReplace, ProposalID: "prop_3", DecisionID: "dec_3", Text: "better"}}
	if err != nil || !slices.Equal(plan.Actions, want) {
		t.Errorf("%+v, %v", plan, err)
	}
}

func TestNumbersThatTheDigestLacks(t *testing.T) {
	t.Parallel()
	_, err := Resolve(asked5(), Reply{Base: BaseRecommended, Answers: []Answer{{Number: 6, Choice: No}}, Spots: []Answer{{Number: 3, Choice: No}}}, world{}.of(asked5()))
	var missing *NoItemError
	if !errors.As(err, &missing) || !slices.Equal(missing.Names, []string{"6", "p3"}) {
		t.Errorf("%v", err)
	}
	if got := Refused("de", err); got != "Nichts wurde getan. Diese Nachricht hat kein 6, p3." {
		t.Error(got)
	}
}

func TestItemsThatMovedOn(t *testing.T) {
	t.Parallel()
	w := world{
		"prop_1": {State: memory.ProposalRejected, DecisionID: "dec_x"},
		"prop_2": {State: memory.ProposalRejected, DecisionID: "dec_y"},
		"prop_4": {State: memory.ProposalExpired, DecisionID: "dec_z"},
		"prop_5": {State: memory.ProposalNeedsReview, DecisionID: "dec_again"},
	}
	_, err := Resolve(asked5(), Reply{Base: BaseRecommended}, w.of(asked5()))
	if got, want := Refused("en", err), "Nothing was done. Decided elsewhere since: 1 rejected, 5 is another question now."; got != want {
		t.Errorf("%q, want %q", got, want)
	}
	// The reply asks for the present state: nothing to do, and no error.
	plan, err := Resolve(asked5(), Reply{Answers: []Answer{{Number: 1, Choice: No}, {Number: 2, Choice: No}}}, w.of(asked5()))
	if err != nil || len(plan.Actions) > 0 || !slices.Equal(plan.Already, []int{1, 2}) || !slices.Equal(plan.Open, []int{3}) {
		t.Errorf("%+v, %v", plan, err)
	}
}

// A reply is carried out as a whole or not at all, changes only what it may, and a
// repeat changes nothing.
func TestRepliesAreAllOrNothing(t *testing.T) {
	t.Parallel()
	states := []memory.ProposalState{memory.ProposalNeedsReview, memory.ProposalPromoted, memory.ProposalRejected, memory.ProposalExpired, ""}
	rapid.Check(t, func(r *rapid.T) {
		d, reply := asked5(), anyReply().Draw(r, "reply")
		if rapid.Bool().Draw(r, "numbers that it has") {
			reply.Answers = slices.DeleteFunc(reply.Answers, func(a Answer) bool { return a.Number > len(d.Items) })
			reply.Spots = slices.DeleteFunc(reply.Spots, func(a Answer) bool { return a.Number > len(d.Spots) })
		}
		w := world{}
		for _, i := range d.Items {
			if rapid.IntRange(0, 4).Draw(r, "moved") == 0 {
				w[i.ProposalID] = ItemState{State: rapid.SampledFrom(states).Draw(r, "state"), DecisionID: "dec_later"}
			}
		}
		plan, err := Resolve(d, reply, w.of(d))
		if err != nil {
			if !reflect.DeepEqual(plan, Plan{}) {
				r.Fatalf("%v, and yet %+v", err, plan)
			}
			return
		}
		named := map[int]bool{}
		for _, a := range reply.Answers {
			named[a.Number] = true
		}
		if (reply.Later || reply.Undo) && len(plan.Actions) > 0 {
			r.Fatalf("%q does %+v", reply, plan.Actions)
		}
		after := world{}
		for id, s := range w {
			after[id] = s
		}
		for _, a := range plan.Actions {
			if a.Spot {
				continue
			}
			item := d.Items[a.Number-1]
			if _, moved := w[a.ProposalID]; moved || a.ProposalID != item.ProposalID || a.DecisionID != item.DecisionID {
				r.Fatalf("%+v is not the digest's question", a)
			}
			if reply.Base == BaseRecommended && item.Advice == memory.AdviceReview && !named[a.Number] {
				r.Fatalf("ok decided %d, which only the person can know", a.Number)
			}
			state := memory.ProposalPromoted
			if a.Do == DoReject {
				state = memory.ProposalRejected
			}
			after[a.ProposalID] = ItemState{State: state, DecisionID: "dec_person"}
		}
		again, err := Resolve(d, reply, after.of(d))
		if err != nil {
			var moved *MovedError
			edited := slices.ContainsFunc(reply.Answers, func(a Answer) bool { return a.Text != "" })
			if !edited || !errors.As(err, &moved) {
				r.Fatalf("the second time: %v", err)
			}
			return
		}
		if slices.ContainsFunc(again.Actions, func(a Action) bool { return !a.Spot }) {
			r.Fatalf("the second time: %+v", again.Actions)
		}
	})
}

func TestRepliesOfOthers(t *testing.T) {
	t.Parallel()
	d := asked5()
	for name, c := range map[string]struct {
		d              memory.Digest
		code, reviewer string
		after          time.Duration
		want           error
	}{
		"its own":             {d, "K7Q2", "alice", 0, nil},
		"without a code":      {d, "", "alice", 0, nil},
		"at the last moment":  {d, "K7Q2", "alice", 8 * 24 * time.Hour, nil},
		"too late":            {d, "K7Q2", "alice", 8*24*time.Hour + 1, ErrExpired},
		"wrong code":          {d, "K7Q3", "alice", 0, ErrForeign},
		"foreign":             {d, "K7Q2", "bob", 0, ErrForeign},
		"foreign and late":    {d, "K7Q2", "bob", 1000 * time.Hour, ErrForeign},
		"wrong code and late": {d, "M3R4", "alice", 1000 * time.Hour, ErrForeign},
		"no digest":           {memory.Digest{}, "", "", 0, ErrForeign},
	} {
		if err := CheckReply(c.d, c.code, c.reviewer, monday.Add(c.after)); !errors.Is(err, c.want) {
			t.Errorf("%s: %v, want %v", name, err, c.want)
		}
	}
	if Refused("en", ErrForeign) != Refused("en", errors.New("no such row")) {
		t.Error("the answer tells what exists")
	}
}

func TestEchoInGerman(t *testing.T) {
	t.Parallel()
	plan, err := Resolve(asked5(), Reply{Base: BaseRecommended}, world{}.of(asked5()))
	if got, want := Done("de", plan, 90*time.Minute), "Erledigt: 1, 5 übernommen; 3 anstelle des Bisherigen übernommen; 2 verworfen; 4 offen. Zurücknehmen innerhalb von 90 min: zurück"; err != nil || got != want {
		t.Errorf("%q, %v; want %q", got, err, want)
	}
	if got := Undone("de", 3); got != "Zurückgenommen: 3 Entscheidungen deiner letzten Antwort." {
		t.Error(got)
	}
}
