package page

import (
	"fmt"
	"slices"

	"github.com/winnowhq/winnow/services/internal/memory"
)

// Do is an action of a reply.
type Do string

// The actions. The first three are also the words of recommendations.
const (
	DoPromote Do = "promote"
	DoReplace Do = "replace" // promote, and archive the memory that it stands against
	DoReject  Do = "reject"
	DoKeep    Do = "keep"    // of a spot check: it was right
	DoRetract Do = "retract" // of a spot check: undo its promotion
)

// Action is one thing that a reply does.
type Action struct {
	Number     int
	Spot       bool // Number counts spot checks
	Do         Do
	ProposalID string // of an item
	MemoryID   string // of a spot check
	DecisionID string // the decision that is answered
	Text       string // to be stored instead of the item's own; empty for that
}

// ItemState is the present state of an item's proposal.
type ItemState struct {
	State      memory.ProposalState
	DecisionID string // the decision in force
}

// Plan is the actions of a reply to one digest.
type Plan struct {
	Actions []Action // items by number, then spot checks
	Already []int    // items that stand as they were answered: answered before, or elsewhere alike
	Open    []int    // items that stay open
	Later   bool     // nothing is to be done now
	Undo    bool     // the last answer is to be taken back; Actions is empty
}

// Resolve returns what a reply does to a digest's items.
//
// y means "store this text" and n "do not", whatever was recommended: y on an
// item whose recommendation is to replace replaces, n always rejects. A new
// text is stored like y. ok does what is recommended and leaves open what only
// the person can know, unless an except says it; all y and all n say it of
// every item.
//
// It is all or nothing. Numbers that the digest does not have are a [*NoItemError];
// items that were decided otherwise meanwhile are a [*MovedError]. An item whose state
// is already the answered one is skipped, so that a repeated reply changes nothing
// more.
//
// [CheckReply] checks whether the sender may answer, and in time.
func Resolve(d memory.Digest, r Reply, state func(proposalID string) ItemState) (Plan, error) {
	if err := known(d, r); err != nil {
		return Plan{}, err
	}
	plan := Plan{Later: r.Later, Undo: r.Undo}
	if r.Undo {
		return plan, nil
	}
	answers := map[int]Answer{}
	for _, a := range r.Answers {
		answers[a.Number] = a
	}
	var moved []Moved
	for _, item := range d.Items {
		action, wanted := wantedOf(item, r.Base, answers)
		now := state(item.ProposalID)
		switch {
		case !wanted:
			if asked(item, now) {
				plan.Open = append(plan.Open, item.Number)
			}
		case asked(item, now):
			plan.Actions = append(plan.Actions, action)
		case stands(action, now.State):
			plan.Already = append(plan.Already, item.Number)
		default:
			moved = append(moved, Moved{item.Number, now.State})
		}
	}
	if len(moved) > 0 {
		return Plan{}, &MovedError{Items: moved}
	}
	for _, a := range r.Spots {
		i := slices.IndexFunc(d.Spots, func(s memory.DigestSpot) bool { return s.Number == a.Number })
		spot := Action{Number: a.Number, Spot: true, Do: DoKeep, MemoryID: d.Spots[i].MemoryID, DecisionID: d.Spots[i].DecisionID}
		if a.Choice == No {
			spot.Do = DoRetract
		}
		plan.Actions = append(plan.Actions, spot)
	}
	return plan, nil
}

// wantedOf returns the action that the reply wants for an item, if any.
func wantedOf(item memory.DigestItem, base Base, answers map[int]Answer) (Action, bool) {
	action := Action{Number: item.Number, ProposalID: item.ProposalID, DecisionID: item.DecisionID, Do: DoReject}
	store := DoPromote
	if item.Advice == memory.AdviceReplace {
		store = DoReplace
	}
	if a, said := answers[item.Number]; said {
		if a.Choice == Yes {
			action.Do, action.Text = store, a.Text
		}
		return action, true
	}
	switch base {
	case BaseYes:
		action.Do = store
		return action, true
	case BaseNo:
		return action, true
	case BaseRecommended:
		switch item.Advice {
		case memory.AdvicePromote, memory.AdviceReplace:
			action.Do = store
			return action, true
		case memory.AdviceReject:
			return action, true
		}
	}
	return Action{}, false
}

// asked reports that the item's question is the one in the digest.
func asked(item memory.DigestItem, now ItemState) bool {
	return now.State == memory.ProposalNeedsReview && now.DecisionID == item.DecisionID
}

// stands reports that a decided item is in the state that the action would give it. The
// text that a promotion stored is not known here, so a new text never stands.
func stands(a Action, state memory.ProposalState) bool {
	switch a.Do {
	case DoReject:
		return state == memory.ProposalRejected
	case DoPromote, DoReplace:
		return state == memory.ProposalPromoted && a.Text == ""
	}
	return false
}

// known checks that the digest has every number of the reply.
func known(d memory.Digest, r Reply) error {
	var missing []string
	for _, a := range r.Answers {
		if !slices.ContainsFunc(d.Items, func(i memory.DigestItem) bool { return i.Number == a.Number }) {
			missing = append(missing, fmt.Sprint(a.Number))
		}
	}
	for _, a := range r.Spots {
		if !slices.ContainsFunc(d.Spots, func(s memory.DigestSpot) bool { return s.Number == a.Number }) {
			missing = append(missing, fmt.Sprintf("p%d", a.Number))
		}
	}
	if len(missing) > 0 {
		return &NoItemError{Names: missing}
	}
	return nil
}
