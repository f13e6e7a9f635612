package judge

import (
	"slices"
	"strings"
	"time"

	"github.com/winnowhq/winnow/services/internal/judge/wording"
	"github.com/winnowhq/winnow/services/internal/memory"
)

// Neighbour is a stored text near the proposal, with everything about it that a
// rule may read.
type Neighbour struct {
	ID          string
	Role        memory.CandidateRole
	Same        bool    // equal after normalisation
	Similarity  float64 // 0–1 on the calibration
	ByWords     float64 // 0–1, at most Similarity: as far as words prove it
	Forward     float64 // share of the proposal's meaning that it has, 0–1
	Backward    float64 // share of its meaning that the proposal has, 0–1
	Words       int     // its words that carry meaning
	Topic       float64 // share of the shorter's words, numbers apart, that the other has, 0–1
	Substituted bool    // one is the other with a word exchanged
	Foreign     bool    // both name things, and none in common
	Statement   bool    // the proposal obliges or orders, and it does not
	Kind        memory.Kind
	Relation    memory.Relation
	Differences []string
	SameSection bool // the same section, or one of the two named none
	Section     string
	Authority   memory.Origin
	ObservedAt  time.Time
	CreatedAt   time.Time
	Transition  bool // the proposal says that its value became another
	Newer       bool // the proposal has a newer version in its slot and is dated later
	Weaker      bool // of the two the proposal is to survive (D5)
}

// settings are what a rule may read beside the proposal.
type settings struct {
	policy *Policy
	points Points
}

// Decide derives the verdict on a proposal: the first rule in the order of D4
// that matches. The result has everything but ids and time.
//
// neighbours must be in order of falling similarity, equal ones by id. rulesOff
// are rules that people overrode too often: where one of them would act, a
// person is asked instead, with that rule's verdict as the recommendation.
func Decide(p *Policy, calibration string, points Points, f *wording.Features, neighbours []Neighbour, rulesOff []string) memory.Decision {
	s := settings{policy: p, points: p.with(points)}
	d := memory.Decision{
		Policy: p.Name, PolicyVersion: p.Version(), Calibration: calibration,
		Actor: memory.ActorTriage, Authority: f.Authority, Candidates: candidates(neighbours),
	}
	var first *Finding
	for i := range rules {
		if !p.Uses(rules[i].ID) {
			continue
		}
		found := rules[i].match(&s, f, neighbours)
		if found == nil {
			continue
		}
		d.Fired = append(d.Fired, rules[i].ID)
		if first == nil {
			first = found
			first.rule = &rules[i]
		}
	}
	if first == nil {
		first = &Finding{rule: &lastResort, Reason: lastResort.Sentence, Advice: memory.AdviceReview}
	}
	first.write(&d)
	if slices.Contains(rulesOff, d.Rule) && d.Verdict != memory.VerdictQuarantined && d.Verdict != memory.VerdictNeedsReview {
		d.Advice = adviceFor(d.Verdict)
		d.Reason += " This rule stopped acting because people often disagreed with it."
		d.Verdict = memory.VerdictNeedsReview
	}
	return d
}

// Finding is what a rule found: the neighbour it is about, if any, and why.
type Finding struct {
	rule    *Rule
	Verdict memory.Verdict // where it differs from the rule's
	Advice  memory.Advice
	Reason  string
	Target  string
}

func (x *Finding) write(d *memory.Decision) {
	d.Rule, d.Verdict, d.Target, d.Reason = x.rule.ID, x.rule.Verdict, x.Target, x.Reason
	if x.Verdict != "" {
		d.Verdict = x.Verdict
	}
	if d.Verdict == memory.VerdictNeedsReview || d.Verdict == memory.VerdictQuarantined {
		d.Advice = x.Advice
	}
	if d.Reason == "" {
		d.Reason = x.rule.Sentence
	}
}

// adviceFor is the recommendation that stands for an automatic verdict.
func adviceFor(v memory.Verdict) memory.Advice {
	switch v {
	case memory.VerdictPromoted:
		return memory.AdvicePromote
	case memory.VerdictRejected, memory.VerdictMerged:
		return memory.AdviceReject
	}
	return memory.AdviceReview
}

// maxCandidates is how many neighbours a decision keeps, the losing ones among
// them.
const maxCandidates = 8

func candidates(neighbours []Neighbour) []memory.Candidate {
	out := make([]memory.Candidate, 0, min(len(neighbours), maxCandidates))
	for i := range neighbours {
		if len(out) == maxCandidates {
			break
		}
		n := &neighbours[i]
		out = append(out, memory.Candidate{
			ID: n.ID, Role: n.Role, Similarity: n.Similarity, Relation: string(n.Relation),
			Section: n.Section, Kind: n.Kind, Authority: n.Authority, ObservedAt: n.ObservedAt, CreatedAt: n.CreatedAt,
		})
	}
	return out
}

// clipped quotes the first differences for a reason.
func clipped(differences []string) string {
	if len(differences) == 0 {
		return "details differ"
	}
	return strings.Join(differences[:min(2, len(differences))], ", ")
}

func roleInWords(r memory.CandidateRole) string {
	switch r {
	case memory.RoleOpen:
		return "a waiting proposal"
	case memory.RoleSettled:
		return "a rejected proposal"
	case memory.RoleBoot:
		return "a boot file"
	case memory.RoleServed:
		return "what was served in this session"
	default:
		return "a memory"
	}
}
