package eval

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/winnowhq/winnow/services/internal/judge"
	"github.com/winnowhq/winnow/services/internal/judge/wording"
	"github.com/winnowhq/winnow/services/internal/memory"
	"github.com/winnowhq/winnow/services/internal/model/embed"
)

// The four actions by which triage is scored (S3.3).
const (
	actionPromote = "auto_promote"
	actionReject  = "auto_reject"
	actionMerge   = "auto_merge"
	actionReview  = "needs_review"
)

var actions = []string{actionPromote, actionReject, actionMerge, actionReview}

// TriageOptions are the options of [Triage].
type TriageOptions struct {
	// Policy is the name of a shipped policy; empty takes the scope's default.
	Policy string
	// Embedder compares meaning for triage; nil or one without vectors compares by
	// words alone.
	Embedder embed.Embedder
}

// TriageItem is the final verdict on one labelled proposal.
type TriageItem struct {
	ID     string `json:"id"`
	Action string `json:"action"`
	Rule   string `json:"rule"`
	Target string `json:"target"`

	// For people who read the errors; not part of the score.
	Store    string `json:"store,omitempty"`
	Expected string `json:"expected,omitempty"`
	Because  string `json:"because,omitempty"` // the labelled reason
	Right    bool   `json:"right"`
	Severe   bool   `json:"severe,omitempty"`
	Reason   string `json:"reason,omitempty"`
	Text     string `json:"text,omitempty"`

	group, role     string
	accept, mustNot []string
}

// Triage judges labelled proposals in memory, in the order of seq, every
// store a project scope of its own, every principal an agent, and scores the
// final states (SPEC §18). dir is a folder with triage_memories.jsonl,
// triage_proposals.jsonl and triage_context.json, or one file with all three
// kinds of lines, told apart by their type.
func Triage(dir string, opts TriageOptions) (*TriageReport, error) {
	data, err := loadTriage(dir)
	if err != nil {
		return nil, fmt.Errorf("eval triage: %w", err)
	}
	report, err := data.Judge(opts)
	if err != nil {
		return nil, fmt.Errorf("eval triage: %w", err)
	}
	return report, nil
}

// Judge is [Triage] of a set in memory, whose proposals it sorts by seq.
func (d *TriageSet) Judge(opts TriageOptions) (*TriageReport, error) {
	slices.SortStableFunc(d.Proposals, func(a, b LabelledProposal) int { return a.Seq - b.Seq })
	analyzer, err := wording.NewEmbeddingAnalyzer(opts.Embedder)
	if err != nil {
		return nil, err
	}
	run := triageRun{lanes: make(map[string]*judge.Lane), ctx: d.Context, final: make(map[string]*TriageItem), byMemory: make(map[string]string), policy: opts.Policy, analyzer: analyzer}
	for _, m := range d.Memories {
		lane, err := run.lane(m.Store)
		if err != nil {
			return nil, err
		}
		lane.Upsert(judge.Entry{ID: m.ID, Role: memory.RoleMemory, Text: m.Text, Kind: memory.KindFact, Section: m.Section, Authority: memory.OriginAgent, SeenCount: 1})
	}
	for _, p := range d.Proposals {
		if err := run.judge(p); err != nil {
			return nil, fmt.Errorf("%s: %w", p.ID, err)
		}
	}
	return scoreTriage(run.items), nil
}

// triageRun replays the stream and holds each proposal's latest state.
type triageRun struct {
	lanes    map[string]*judge.Lane
	ctx      map[string]RetiredTerms
	policy   string
	analyzer *wording.Analyzer
	ids      int
	items    []*TriageItem
	final    map[string]*TriageItem
	byMemory map[string]string // memory id → the proposal it came from
}

func (r *triageRun) lane(store string) (*judge.Lane, error) {
	if l := r.lanes[store]; l != nil {
		return l, nil
	}
	name := r.policy
	if name == "" {
		name = judge.DefaultPolicyName(memory.ScopeProject)
	}
	policy, _, err := judge.ShippedPolicy(name)
	if err != nil {
		return nil, err
	}
	l := judge.NewLane(judge.LaneConfig{
		Tenant: memory.DefaultTenant, Scope: memory.Scope("project:" + store), Policy: policy,
		Similarity: judge.SimilarityOf(r.analyzer), Analyzer: r.analyzer,
		NewID: func(prefix string) string { r.ids++; return fmt.Sprintf("%s%026d", prefix, r.ids) },
	})
	l.SetRetired(append(slices.Clone(r.ctx[store].RemovedTools), r.ctx[store].SupersededRefs...))
	r.lanes[store] = l
	return l, nil
}

// firstDay is the clock of the evaluation: the data brings its own dates.
var firstDay = time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)

func (r *triageRun) judge(p LabelledProposal) error {
	lane, err := r.lane(p.Store)
	if err != nil {
		return err
	}
	origin := memory.OriginAgent
	if p.Origin != "" {
		if origin, err = memory.ParseOrigin(p.Origin); err != nil {
			return err
		}
	}
	d, out := lane.Judge(judge.Item{Proposal: memory.Proposal{
		ID: p.ID, Tenant: memory.DefaultTenant, Scope: memory.Scope("project:" + p.Store), Section: p.Section, Text: p.Text,
		Principal: "eval", Origin: origin, Authority: origin, ObservedAt: p.ObservedAt, CreatedAt: firstDay,
	}}, firstDay.Add(time.Duration(p.Seq)*time.Minute))
	item := &TriageItem{
		ID: p.ID, Action: actionOf(d), Rule: d.Rule, Target: r.proposalOf(d.Target), Store: p.Store,
		Expected: p.Expected.Action, Because: p.Expected.Reason, Reason: d.Reason, Text: p.Text,
		group: p.Expected.Group, role: p.Expected.Role,
	}
	r.items = append(r.items, item)
	r.final[p.ID] = item
	if out.Memory != nil {
		r.byMemory[out.Memory.ID] = p.ID
	}
	for _, a := range out.Absorbed {
		r.overtaken(a.ProposalID, a.Rule, p.ID)
	}
	if d.Rule == "merge" {
		for _, a := range out.Archived {
			r.overtaken(r.byMemory[a.ID], "absorbed", p.ID)
		}
	}
	r.mark(p)
	return nil
}

// overtaken records that a fuller proposal absorbed an earlier one: the final state
// counts.
func (r *triageRun) overtaken(id, rule, by string) {
	if it := r.final[id]; it != nil {
		it.Action, it.Rule, it.Target = actionMerge, rule, by
	}
}

// proposalOf returns the proposal that a memory came from, as the labels name it.
func (r *triageRun) proposalOf(id string) string {
	if p := r.byMemory[id]; p != "" {
		return p
	}
	return id
}

// mark records the labels; whether an item is right is decided at the end.
func (r *triageRun) mark(p LabelledProposal) {
	it := r.final[p.ID]
	it.accept = append(slices.Clone(p.Expected.Acceptable), p.Expected.Action)
	it.mustNot = p.Expected.MustNot
}

// actionOf maps a decision to the four actions (SPEC §18).
func actionOf(d memory.Decision) string {
	switch {
	case d.Verdict == memory.VerdictNeedsReview, d.Verdict == memory.VerdictQuarantined:
		return actionReview
	case d.Rule == "merge", d.Rule == "update", d.Rule == "absorbed":
		return actionMerge
	case strings.HasPrefix(d.Rule, "dup."), d.Verdict == memory.VerdictRejected:
		return actionReject
	default:
		return actionPromote
	}
}
