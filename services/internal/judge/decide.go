package judge

import (
	"slices"
	"strings"
	"time"

	"github.com/winnowhq/winnow/services/internal/judge/subject"
	"github.com/winnowhq/winnow/services/internal/judge/wording"
	"github.com/winnowhq/winnow/services/internal/memory"
)

// Neighbour is a stored text near the proposal, with everything that a rule may read
// of it. "Stored" below is that text.
type Neighbour struct {
	ID          string
	Role        memory.CandidateRole
	Same        bool             // equal after normalisation
	Similarity  float64          // 0–1 on the calibration
	ByWords     float64          // 0–1, at most Similarity: what words alone prove
	Forward     float64          // share of the proposal's meaning in the stored text, 0–1
	Backward    float64          // share of the stored meaning in the proposal, 0–1
	Words       int              // words of meaning, in the shorter of both texts
	Topic       float64          // share of the shorter text's words, without numbers, in the other, 0–1
	Substituted bool             // one text is the other with a word exchanged
	Against     bool             // about the same thing, and on the other side of an opposition
	Reworded    bool             // says in words of its own what the stored text means
	Restated    bool             // says again in other words all that the stored text says
	Leftover    bool             // alike with every detail, and yet something small is left over in one of the texts
	Extends     bool             // the proposal is the stored statement, word for word, and more
	Undated     bool             // nobody says when the stored text was so
	Named       bool             // the proposal names something that the stored text does not
	Renamed     bool             // of the same thing the texts give two names, each of which the other lacks
	Denies      bool             // one of the texts denies something that the other does not deny in any words
	Foreign     bool             // both name things, and none in common
	Elsewhere   bool             // each subject has a word that the other text lacks, and the proposal has no name of the stored subject; of memories only
	Subject     subject.Relation // whether the two are about the same thing
	Statement   bool             // the proposal obliges or orders, and the stored text does not
	Kind        memory.Kind
	Relation    memory.Relation
	SameSection bool // the same section, or one of the texts has none
	Section     string
	Authority   memory.Origin
	ObservedAt  time.Time
	CreatedAt   time.Time
	Transition  bool // the proposal states that a stored value changed
	Newer       bool // the proposal is dated later, and has a newer version in the same slot or says that a state ended or came back
	Moved       bool // the proposal states a change to a new value, and no subject of its own stands against the stored one
	Weaker      bool // of the two the proposal survives (D5)

	fresh, stored *memory.Specifics // of the proposal and of the stored text; nil where no rule compares them
}

// differences returns in words what differs between the proposal and the stored text.
// It compares again: of all neighbours of a proposal at most one is asked.
func (n *Neighbour) differences() []string {
	if n.Same || n.fresh == nil || n.stored == nil {
		return nil
	}
	return memory.Compare(n.fresh, n.stored).Differences
}

// otherNumber reports whether each text has one number that the other lacks, dates aside:
// what the same thing measures, although the texts count it in other words.
func (n *Neighbour) otherNumber() bool {
	return n.fresh != nil && n.stored != nil && numbersAlone(n.fresh, n.stored) == 1 && numbersAlone(n.stored, n.fresh) == 1
}

func numbersAlone(a, b *memory.Specifics) int {
	n := 0
	for _, v := range a.Values {
		if v.Unit != "date" && !slices.ContainsFunc(b.Values, func(o memory.Detail) bool { return o.Text == v.Text }) {
			n++
		}
	}
	return n
}

// settings are what a rule may read besides the proposal and its neighbours.
type settings struct {
	policy *Policy
	points Points
}

// Decide derives the verdict on a proposal: the first rule in the order of D4 that
// matches. The result has everything but ids and time.
//
// neighbours must be in order of falling similarity, ties by id. rulesOff are rules
// that people overruled too often. Where one of them would act, a person is asked
// instead, with that rule's verdict as the recommendation.
func Decide(p *Policy, calibration string, points Points, f *wording.Features, neighbours []Neighbour, rulesOff []string) memory.Decision {
	s := settings{policy: p, points: p.with(points)}
	d := memory.Decision{
		Policy: p.Name, PolicyVersion: p.Version(), Calibration: calibration,
		Actor: memory.ActorTriage, Authority: f.Authority, Candidates: candidates(neighbours),
	}
	about := aboutIts(neighbours)
	var first *Finding
	for i := range rules {
		if !p.Uses(rules[i].ID) {
			continue
		}
		found := rules[i].match(&s, f, about)
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

// Finding is the result of a rule that matched: the neighbour that it is about, if
// any, and the reason.
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

// adviceFor returns the recommendation that replaces an automatic verdict.
func adviceFor(v memory.Verdict) memory.Advice {
	switch v {
	case memory.VerdictPromoted:
		return memory.AdvicePromote
	case memory.VerdictRejected, memory.VerdictMerged:
		return memory.AdviceReject
	}
	return memory.AdviceReview
}

// maxCandidates is how many neighbours a decision stores, including those that did
// not decide.
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

// clipped joins the first two differences for a reason.
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
