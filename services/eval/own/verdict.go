package own

import (
	"slices"
	"strings"

	"github.com/winnowhq/winnow/services/eval"
)

// The actions by which triage is scored (S3.3).
const (
	promote = "auto_promote"
	reject  = "auto_reject"
	merge   = "auto_merge"
	review  = "needs_review"
)

// norms are the rules that read a text as something that obliges, advises, wishes or
// plans.
var norms = []string{"hardrule", "convention", "preference", "opinion", "transient"}

// verdict is the verdict on one text.
type verdict struct {
	Action string `json:"action"`
	Rule   string `json:"rule"`
}

func (v verdict) norm() bool      { return slices.Contains(norms, v.Rule) }
func (v verdict) duplicate() bool { return strings.HasPrefix(v.Rule, "dup") }

// judged returns the verdicts on a set's proposals by id.
func (s *scorer) judged(set eval.TriageSet) (map[string]verdict, *eval.TriageReport, error) {
	r, err := set.Judge(eval.TriageOptions{Policy: s.opts.Policy, Embedder: s.opts.Retrieval.Embedder})
	if err != nil {
		return nil, nil, err
	}
	out := make(map[string]verdict, len(r.Items))
	for _, it := range r.Items {
		out[it.ID] = verdict{it.Action, it.Rule}
	}
	return out, r, nil
}

// pair is a stored text and a proposal to it, in a store of their own.
type pair struct{ id, stored, proposal string }

// judgedPairs returns the verdict on each proposal.
func (s *scorer) judgedPairs(pairs []pair) (map[string]verdict, error) {
	var set eval.TriageSet
	for n, p := range pairs {
		set.Memories = append(set.Memories, eval.StoredText{ID: "m-" + p.id, Store: p.id, Text: p.stored})
		set.Proposals = append(set.Proposals, eval.LabelledProposal{ID: p.id, Store: p.id, Text: p.proposal, Seq: n})
	}
	out, _, err := s.judged(set)
	return out, err
}

// judgedAlone returns the verdicts on texts that each meet an empty store; origin is that
// of the principal, empty for an agent.
func (s *scorer) judgedAlone(texts []alone) (map[string]verdict, error) {
	var set eval.TriageSet
	for n, t := range texts {
		set.Proposals = append(set.Proposals, eval.LabelledProposal{ID: t.id, Store: t.id, Text: t.text, Seq: n, Origin: t.origin})
	}
	out, _, err := s.judged(set)
	return out, err
}

type alone struct{ id, text, origin string }
