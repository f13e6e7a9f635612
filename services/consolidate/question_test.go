package consolidate_test

import (
	"slices"
	"testing"
	"time"

	"github.com/winnowhq/winnow/services/consolidate"
	"github.com/winnowhq/winnow/services/internal/consolidation"
	"github.com/winnowhq/winnow/services/internal/consolidation/trigger"
	"github.com/winnowhq/winnow/services/internal/ident"
	"github.com/winnowhq/winnow/services/internal/memory"
	"github.com/winnowhq/winnow/services/internal/review"
	"github.com/winnowhq/winnow/services/internal/store"
)

const (
	portWas = "The checkout service listens on port 8080."
	portIs  = "The checkout service listens on port 8081."
)

func (r *rig) explicit(dry bool, ids ...string) (memory.Run, []memory.RunItem) {
	r.Helper()
	return r.ended(r.want(trigger.Wanted{
		Tenant: tenant, Scope: shop, Strategy: memory.RunExplicit, Trigger: memory.TriggerPerson, Options: memory.RunOptions{IDs: ids, DryRun: dry},
	}))
}

func (r *rig) asked() []memory.Proposal {
	r.Helper()
	list, err := r.Store().Proposals(r.Context(), tenant, store.ProposalQuery{Limit: 1000})
	if err != nil {
		r.Fatal(err)
	}
	return list
}

func (r *rig) decider() *review.Decider {
	return &review.Decider{
		Stamp: review.Stamp{Tenant: tenant, Person: "local", Now: time.Now().UTC().Truncate(time.Microsecond), NewID: ident.New},
		Store: r.Store(), Redact: func(s string) string { return s },
	}
}

// D12: a contradiction is never merged. Both texts stay, a person is asked once which one
// holds, and no later run asks again, whatever the answer was. A dry run asks nothing.
func TestContradictionBecomesOneQuestion(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		answer string
		active int
	}{
		"open": {"", 2}, "no": {review.ActionReject, 2}, "yes": {review.ActionPromote, 1},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			r := setup(t, consolidate.Definition, nil)
			ids := r.texts(portWas, portIs)
			if run, items := r.explicit(true, ids...); run.Refused != 1 || items[0].ProposalID != "" || len(r.asked()) != 0 {
				t.Fatalf("a dry run: %+v, %+v", run, items)
			}
			run, items := r.explicit(false, ids...)
			list := r.asked()
			if run.Refused != 1 || len(list) != 1 || items[0].ProposalID != list[0].ID || len(r.active(shop)) != 2 {
				t.Fatalf("run %+v, %+v, asked %+v", run, items, list)
			}
			p := list[0]
			d, err := r.Store().Decision(t.Context(), tenant, p.DecisionID)
			if err != nil || p.Text != portIs || !p.Offer() || d.Target != ids[0] || d.Rule != consolidation.RuleContradiction || d.Advice != memory.AdviceReview {
				t.Errorf("asked %+v by %+v, %v", p, d, err)
			}
			if c.answer != "" {
				set, _, err := r.decider().Answer(t.Context(), p.ID, review.Answer{Action: c.answer})
				if err != nil {
					t.Fatal(err)
				}
				r.commit(set)
			}
			r.explicit(false, ids...)
			r.consolidate(memory.RunOptions{Threshold: 0.6, Force: true})
			if again := r.asked(); len(again) != 1 {
				t.Errorf("asked again: %+v", again)
			}
			active := r.active(shop)
			if len(active) != c.active || !slices.ContainsFunc(active, func(m memory.Memory) bool { return m.Text == portIs }) {
				t.Errorf("%d are active: %+v", len(active), active)
			}
			if was := r.memory(ids[0]); c.active == 1 && (was.State != memory.StateArchived || was.SuccessorID != active[0].ID) {
				t.Errorf("the first is %+v", was)
			}
		})
	}
}

// D12: the undo of the run that asked about a contradiction withdraws the question. Both
// texts stay, the step stays refused, and the answer of a person stays too.
func TestUndoWithdrawsTheQuestion(t *testing.T) {
	t.Parallel()
	for _, answered := range []bool{false, true} {
		r := setup(t, consolidate.Definition, nil)
		ids := r.texts(portWas, portIs)
		run, items := r.explicit(false, ids...)
		asked := items[0].ProposalID
		if run.Refused != 1 || asked == "" {
			t.Fatalf("run %+v, %+v", run, items)
		}
		want, active := memory.ProposalExpired, 2
		if answered {
			set, _, err := r.decider().Answer(t.Context(), asked, review.Answer{Action: review.ActionPromote})
			if err != nil {
				t.Fatal(err)
			}
			r.commit(set)
			want, active = memory.ProposalPromoted, 1
		}
		for twice := range 2 {
			set, done, err := r.decider().UndoRun(t.Context(), run.ID, review.RunUndo{})
			if err != nil {
				t.Fatal(err)
			}
			r.commit(set)
			if withdrew := slices.Equal(done.Withdrawn, []string{asked}); withdrew != (!answered && twice == 0) || len(done.Kept) > 0 != answered {
				t.Errorf("answered %v, time %d: withdrawn %v, kept %+v", answered, twice+1, done.Withdrawn, done.Kept)
			}
		}
		list, err := r.Store().Proposals(t.Context(), tenant, store.ProposalQuery{IDs: []string{asked}})
		if err != nil || len(list) != 1 || list[0].State != want || len(r.active(shop)) != active {
			t.Errorf("answered %v: %+v, %v, active %d", answered, list, err, len(r.active(shop)))
		}
		if kept, err := r.Store().RunItems(t.Context(), tenant, run.ID); err != nil || kept[0].State != memory.ItemRefused {
			t.Errorf("the step is %+v, %v", kept, err)
		}
	}
}
