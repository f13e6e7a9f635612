package judge

import (
	"cmp"
	"encoding/json"
	"fmt"
	"slices"

	"github.com/winnowhq/winnow/services/internal/judge/wording"
	"github.com/winnowhq/winnow/services/internal/memory"
)

// ReplayInput is a stored decision with the texts that it was about.
type ReplayInput struct {
	Decision memory.Decision
	Policy   *Policy        // of the version that the decision names
	Text     string         // of the proposal
	Label    string         // its title and description
	Spans    []wording.Span // the quoted words that it rests on
	// Texts are those of the candidates, by id. A line of a boot file has the id that
	// the decision gave it.
	Texts map[string]string
}

// Replayed is the result of a replay.
type Replayed struct {
	Same        bool
	Differences []string // for people: stored → derived
	Derived     memory.Decision
}

// Replay derives a decision again. Features and similarities are extracted from the
// texts; everything else is taken from the stored decision. Decisions of people and
// of the clock cannot be derived and are an error, and so is a missing text.
func Replay(in ReplayInput, sim Similarity, an *wording.Analyzer) (Replayed, error) {
	d := in.Decision
	if d.Actor != memory.ActorTriage {
		return Replayed{}, fmt.Errorf("replay %s: decided by %s, which follows no rule", d.ID, d.Actor)
	}
	if d.Calibration != sim.ID() {
		return Replayed{}, fmt.Errorf("replay %s: compared with %s, not with %s", d.ID, d.Calibration, sim.ID())
	}
	if in.Policy.Version() != d.PolicyVersion {
		return Replayed{}, fmt.Errorf("replay %s: policy %s@%s wanted, got %s", d.ID, d.Policy, d.PolicyVersion, in.Policy.Version())
	}
	for _, c := range d.Candidates {
		if _, ok := in.Texts[c.ID]; !ok {
			return Replayed{}, fmt.Errorf("replay %s: the text of candidate %s is missing", d.ID, c.ID)
		}
	}
	if d.Rule == absorbed.ID {
		return replayAbsorbed(in, sim, an), nil
	}
	var stored wording.Features
	if err := json.Unmarshal(d.Features, &stored); err != nil {
		return Replayed{}, fmt.Errorf("replay %s: features: %w", d.ID, err)
	}
	t := an.Text(in.Text)
	given := givenAgain(&stored)
	given.Label, given.Spans = in.Label, in.Spans
	f := wording.Extract(t, given, wording.Terms(d.Inputs.Retired))
	near := replayNear(in, sim, an, t, &f)
	got := Decide(in.Policy, sim.ID(), sim.Points(), &f, near, d.Inputs.RulesOff)
	got.Features, _ = json.Marshal(&f)
	out := Replayed{Derived: got}
	out.compare(&d, &got)
	out.Same = len(out.Differences) == 0
	return out, nil
}

// SetProposal sets what the proposal brought besides its text: title, description and
// own evidence.
func (in *ReplayInput) SetProposal(p *memory.Proposal, evidence []memory.Evidence) {
	in.Label, in.Spans = wording.LabelOf(p), wording.SpansOf(p, evidence)
}

// givenAgain returns what was bound to the proposal on arrival, from the stored
// features.
func givenAgain(f *wording.Features) wording.Given {
	return wording.Given{Kind: f.Stated, Section: f.Section, Origin: f.Origin, Authority: f.Authority, ScopeKind: f.ScopeKind, ObservedAt: f.ObservedAt}
}

// replayNear builds the neighbours from the stored candidates.
func replayNear(in ReplayInput, sim Similarity, an *wording.Analyzer, t *wording.Text, f *wording.Features) []Neighbour {
	points := in.Policy.with(sim.Points())
	found := make([]scored, 0, len(in.Decision.Candidates))
	for _, c := range in.Decision.Candidates {
		r := &row{text: an.Text(in.Texts[c.ID]), Entry: Entry{
			ID: c.ID, Role: c.Role, Section: c.Section, Kind: c.Kind, Authority: c.Authority, ObservedAt: c.ObservedAt, CreatedAt: c.CreatedAt,
		}}
		s := scored{row: r, role: c.Role, same: r.text.Normal == t.Normal && t.Normal != "", Score: sim.Compare(t, r.text)}
		s.rank()
		found = append(found, s)
	}
	slices.SortFunc(found, compareScored)
	out := make([]Neighbour, 0, len(found))
	for i := range found {
		out = append(out, neighbour(&found[i], in.Decision.ProposalID, t, f, sim, points))
	}
	return out
}

// compareScored orders texts nearest first, ties by id and role.
func compareScored(a, b scored) int {
	return cmp.Or(cmp.Compare(b.near, a.near), cmp.Compare(a.row.ID, b.row.ID), cmp.Compare(a.role, b.role))
}

// replayAbsorbed checks that the survivor still says what the absorbed proposal says.
func replayAbsorbed(in ReplayInput, sim Similarity, an *wording.Analyzer) Replayed {
	out := Replayed{Derived: in.Decision}
	c := in.Decision.Candidates[0]
	loser, winner := an.Text(in.Text), an.Text(in.Texts[c.ID])
	relation := memory.Relate(loser.Specifics(), winner.Specifics()).Relation
	score := sim.Compare(winner, loser).Similarity
	if loser.Normal == winner.Normal {
		relation, score = memory.RelationEqual, 1
	}
	out.differ("relation", c.Relation, string(relation))
	out.differ("similarity", rounded(c.Similarity), rounded(score))
	out.Same = len(out.Differences) == 0
	return out
}

func (r *Replayed) compare(stored, derived *memory.Decision) {
	r.differ("verdict", string(stored.Verdict), string(derived.Verdict))
	r.differ("rule", stored.Rule, derived.Rule)
	r.differ("target", stored.Target, derived.Target)
	r.differ("advice", string(stored.Advice), string(derived.Advice))
	r.differ("reason", stored.Reason, derived.Reason)
	r.differ("rules that matched", fmt.Sprint(stored.Fired), fmt.Sprint(derived.Fired))
	if len(stored.Candidates) != len(derived.Candidates) {
		r.differ("candidates", fmt.Sprint(len(stored.Candidates)), fmt.Sprint(len(derived.Candidates)))
		return
	}
	for i, c := range stored.Candidates {
		r.differ("candidate", c.ID, derived.Candidates[i].ID)
		r.differ("similarity of "+c.ID, rounded(c.Similarity), rounded(derived.Candidates[i].Similarity))
		r.differ("relation of "+c.ID, c.Relation, derived.Candidates[i].Relation)
	}
}

func (r *Replayed) differ(what, stored, derived string) {
	if stored != derived {
		r.Differences = append(r.Differences, fmt.Sprintf("%s: %s → %s", what, stored, derived))
	}
}

// rounded formats a float without the last bits, which JSON and the database may
// change.
func rounded(f float64) string { return fmt.Sprintf("%.9f", f) }
