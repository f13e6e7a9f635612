package weekly

import (
	"cmp"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/winnowhq/winnow/services/internal/consolidation/erosion"
	"github.com/winnowhq/winnow/services/internal/consolidation/merge"
	"github.com/winnowhq/winnow/services/internal/memory"
)

// Input is everything that [Decide] reads.
type Input struct {
	Now time.Time
	// Memories are all active memories of one user.
	Memories []memory.Memory
	// Question is what [Prompt] returned for these memories, Answer the model's answer.
	Question Question
	Answer   string
	// Eroded is how many memories of the scope automation archived without a successor
	// within the last erosion.Month.
	Eroded int
	// Previous is the last run of the scope, from [PreviousOf]; zero for none.
	Previous Previous
	// Undone are the memories of earlier steps that a person took back, a list for each
	// step. What was taken back is not suggested again by being done again.
	Undone [][]string
	// Usage is how often each memory was served; it weighs their confidences. May be nil.
	Usage map[string]int
	// Gate is how merged texts are checked; its language and nonce are not used, because
	// the text is there already.
	Gate merge.Options
}

// Outcome is what a run does with one user's memories.
type Outcome struct {
	Before, After int
	// Keeps are the memories that stay: named by the model, not named, or protected.
	Keeps []Keep
	// Merges replace their sources. Archives have no successor.
	Merges   []Merge
	Archives []Archive
	// Refused is what the model suggested and the rules did not allow.
	Refused []Refused
	// PutOff are deletions of memories that the previous run kept: they wait for the next
	// run to say the same.
	PutOff []Archive
	// Left are deletions beyond the erosion budget: a person decides them (D10).
	Left []Archive
	// OverLimit says that more than [Limit] memories remain.
	OverLimit bool
	// Note says why a valid answer changed nothing, if it did not.
	Note string
}

// Keep is a memory that stays as it is.
type Keep struct {
	ID     string `json:"id"`
	Reason string `json:"reason,omitempty"`
}

// Merge is a new memory in place of two or more.
type Merge struct {
	Sources    []memory.Memory
	Merged     merge.Merged
	Category   string
	Importance int
	Achieved   bool // a plan became something achieved (S1.8)
}

// Archive is a memory that goes out of service without a successor.
type Archive struct {
	ID     string `json:"id"`
	Reason string `json:"reason"` // begins with one of the memory.Reason constants
}

// Refused is a suggestion that was not carried out. Its memories stay.
type Refused struct {
	What   string   `json:"what"` // "merge" or "delete"
	IDs    []string `json:"ids"`
	Reason string   `json:"reason"`
}

// Reasons of keeps that the model did not give.
const (
	reasonUnnamed = "not named"
	reasonNoMerge = "nothing was merged, so nothing is deleted"
)

// Decide reads the model's answer and returns what becomes of the user's memories. An
// answer that breaks the contract is an [InvalidError]: the user is skipped. A suggestion
// that a rule does not allow is refused alone, and its memories stay.
func Decide(in Input) (Outcome, error) {
	byID, err := index(in.Memories)
	if err != nil {
		return Outcome{}, err
	}
	s, err := parse(in.Answer)
	if err != nil {
		return Outcome{}, err
	}
	if err := resolve(&s, in.Question.shown, byID); err != nil {
		return Outcome{}, err
	}
	out := Outcome{Before: len(in.Memories), After: len(in.Memories)}
	kept := map[string]string{}
	for _, k := range s.keep {
		kept[k.id] = k.reason
	}
	if len(s.merge) == 0 {
		// S1.17, taken literally: also deletions are ignored then.
		for _, d := range s.delete {
			kept[d.id] = reasonNoMerge
		}
		out.Note = reasonNoMerge
		return out.finish(in.Memories, kept), nil
	}
	if len(s.delete) > 0 && merging(s.merge)+len(s.delete) == len(in.Memories) {
		return Outcome{}, invalid(GateDeleteAll, "it keeps nothing and deletes %d of %d memories; only merges may cover all of them", len(s.delete), len(in.Memories))
	}
	known := categories(in.Memories)
	for _, m := range s.merge {
		out.merge(in, m, byID, known)
	}
	out.delete(in, s.delete, byID)
	return out.finish(in.Memories, kept), nil
}

// index checks that the memories are active ones of one user, each once.
func index(memories []memory.Memory) (map[string]*memory.Memory, error) {
	byID := make(map[string]*memory.Memory, len(memories))
	for i := range memories {
		m := &memories[i]
		switch {
		case m.Tenant != memories[0].Tenant || m.Scope != memories[0].Scope:
			return nil, fmt.Errorf("weekly: %s is of scope %s and not of %s; give one user's memories", m.ID, m.Scope, memories[0].Scope)
		case m.State != memory.StateActive:
			return nil, fmt.Errorf("weekly: %s is %s; give active memories", m.ID, m.State)
		case byID[m.ID] != nil:
			return nil, fmt.Errorf("weekly: %s is there twice", m.ID)
		}
		byID[m.ID] = m
	}
	return byID, nil
}

// resolve replaces aliases by ids and checks those (S1.21): all from the list, none twice,
// two or more in a merge.
func resolve(s *suggestion, shown map[string]string, byID map[string]*memory.Memory) error {
	seen := map[string]bool{}
	id := func(alias string) (string, error) {
		id, ok := shown[alias]
		if !ok || byID[id] == nil {
			return "", invalid(GateForeignID, "%q is not in the list", clip(alias))
		}
		if seen[id] {
			return "", invalid(GateOverlap, "%q is named twice", alias)
		}
		seen[id] = true
		return id, nil
	}
	for i := range s.merge {
		m := &s.merge[i]
		if len(m.ids) < 2 {
			return invalid(GateFewIDs, "a merge has %d ids, want two or more", len(m.ids))
		}
		for j, alias := range m.ids {
			var err error
			if m.ids[j], err = id(alias); err != nil {
				return err
			}
		}
	}
	for _, list := range [][]named{s.keep, s.delete} {
		for i := range list {
			var err error
			if list[i].id, err = id(list[i].id); err != nil {
				return err
			}
		}
	}
	return nil
}

// undone reports whether one step that a person took back had two of the ids, or the only
// one.
func (in *Input) undone(ids ...string) bool {
	for _, step := range in.Undone {
		n := 0
		for _, id := range ids {
			if slices.Contains(step, id) {
				n++
			}
		}
		if n >= min(2, len(ids)) {
			return true
		}
	}
	return false
}

func merging(list []mergeSuggestion) int {
	n := 0
	for _, m := range list {
		n += len(m.ids)
	}
	return n
}

func categories(memories []memory.Memory) map[string]bool {
	known := map[string]bool{}
	for i := range memories {
		if c := memories[i].Category; c != "" {
			known[c] = true
		}
	}
	return known
}

// merge carries out one suggested merge, or says why not.
func (out *Outcome) merge(in Input, s mergeSuggestion, byID map[string]*memory.Memory, known map[string]bool) {
	slices.Sort(s.ids)
	sources := make([]memory.Memory, len(s.ids))
	for i, id := range s.ids {
		sources[i] = *byID[id]
	}
	refuse := func(reason string) {
		out.Refused = append(out.Refused, Refused{What: "merge", IDs: s.ids, Reason: reason})
	}
	for i := range sources {
		if why := fixed(&sources[i]); why != "" {
			refuse(why)
			return
		}
	}
	if in.undone(s.ids...) {
		refuse("a person took back that they were merged")
		return
	}
	achieved, why := transformed(sources, s.content)
	if why = cmp.Or(why, mixed(sources, achieved), strangers(sources)); why != "" {
		refuse(why)
		return
	}
	merged, err := gate(sources, s.content, achieved, in)
	if err != nil {
		refuse(err.Error())
		return
	}
	if why := vanished(sources, merged.Text); why != "" {
		refuse(why)
		return
	}
	out.Merges = append(out.Merges, Merge{
		Sources: sources, Merged: merged, Achieved: achieved,
		Category: categoryFor(sources, s.category, known, achieved), Importance: importanceOf(sources, s.importance),
	})
}

// delete carries out the suggested deletions within the erosion budget, the least doubtful
// first: what a rule asks for, then what matters least.
func (out *Outcome) delete(in Input, list []named, byID map[string]*memory.Memory) {
	type row struct {
		*memory.Memory
		archive Archive
		faded   bool
	}
	var rows []row
	for _, d := range list {
		m := byID[d.id]
		why := undeletable(m, in.Now)
		if why == "" && in.undone(d.id) {
			why = "a person took back that it was archived"
		}
		if why != "" {
			out.Refused = append(out.Refused, Refused{What: "delete", IDs: []string{m.ID}, Reason: why})
			continue
		}
		r := row{Memory: m, faded: faded(m, in.Now)}
		reason := memory.ReasonDropped
		if r.faded {
			reason = memory.ReasonFaded
		}
		r.archive = Archive{ID: m.ID, Reason: strings.TrimSuffix(reason+": "+d.reason, ": ")}
		if !r.faded && in.Previous.kept(m) {
			out.PutOff = append(out.PutOff, r.archive)
			continue
		}
		rows = append(rows, r)
	}
	slices.SortFunc(rows, func(a, b row) int {
		first := func(f bool) int {
			if f {
				return 0
			}
			return 1
		}
		return cmp.Or(cmp.Compare(first(a.faded), first(b.faded)), cmp.Compare(a.Importance, b.Importance),
			cmp.Compare(a.Confidence, b.Confidence), lastSeen(a.Memory).Compare(lastSeen(b.Memory)), strings.Compare(a.ID, b.ID))
	})
	allowed, left := erosion.Split(erosion.Budget{Active: len(in.Memories), Eroded: in.Eroded}, rows)
	for _, r := range allowed {
		out.Archives = append(out.Archives, r.archive)
	}
	for _, r := range left {
		out.Left = append(out.Left, r.archive)
	}
}

// finish counts, and lists what stays.
func (out Outcome) finish(memories []memory.Memory, reasons map[string]string) Outcome {
	gone := map[string]bool{}
	for _, m := range out.Merges {
		for i := range m.Sources {
			gone[m.Sources[i].ID] = true
		}
		out.After -= len(m.Sources) - 1
	}
	for _, a := range out.Archives {
		gone[a.ID] = true
	}
	out.After -= len(out.Archives)
	for i := range memories {
		id := memories[i].ID
		if gone[id] {
			continue
		}
		reason, ok := reasons[id]
		if !ok {
			reason = reasonUnnamed
		}
		out.Keeps = append(out.Keeps, Keep{ID: id, Reason: reason})
	}
	out.OverLimit = out.After > Limit
	return out
}

// gate passes the model's text through the gate of merged texts (D12). Nobody is asked
// again: what the text lacks is appended word for word, or stays reachable in the source.
func gate(sources []memory.Memory, text string, achieved bool, in Input) (merge.Merged, error) {
	list := make([]merge.Source, len(sources))
	for i := range sources {
		list[i] = merge.Source{Memory: sources[i], Usage: in.Usage[sources[i].ID]}
		if achieved {
			list[i].Kind = memory.KindFact // a task and its end are of two kinds
		}
	}
	o := in.Gate
	o.Achieved = achieved
	merged, err := merge.Check(list, text, o)
	var refusal *merge.Refusal
	switch {
	case errors.As(err, &refusal):
		return merge.Merged{}, errors.New(refusal.Reason)
	case err == nil && merged.Fallback:
		// Clusters fall back to their sources' words joined, because their similarity was
		// measured. Here only the model says that these belong together, and what it
		// wrote about them did not hold.
		return merge.Merged{}, errors.New("the merged text says what its sources do not" + findings(merged.Dropped))
	}
	return merged, err
}

// findings names the rules of the gate that a text broke.
func findings(list []merge.Finding) string {
	var rules []string
	for _, f := range list {
		if !slices.Contains(rules, f.Rule) {
			rules = append(rules, f.Rule)
		}
	}
	if len(rules) == 0 {
		return ""
	}
	return " (" + strings.Join(rules, ", ") + ")"
}
