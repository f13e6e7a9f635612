package judge

import (
	"cmp"
	"fmt"
	"slices"

	"github.com/winnowhq/winnow/services/internal/judge/lexical"
	"github.com/winnowhq/winnow/services/internal/judge/subject"
	"github.com/winnowhq/winnow/services/internal/judge/wording"
	"github.com/winnowhq/winnow/services/internal/memory"
)

// Lane is the state of one scope in memory: everything that a new proposal is judged
// against.
//
// It is the reason why a thousand copies delivered at once promote exactly one. Only
// the holder of the scope's lock judges in the lane, and every verdict changes the
// lane before the next. Not safe for concurrent use.
type Lane struct {
	cfg             LaneConfig
	version         int64
	index           *lexical.Index
	meanings        *sketches
	rows            map[string]*row
	numbers         []*row // by document number of the index
	normal          map[string][]*row
	retired         []wording.Term
	bootIDs         []string
	rulesOff        []string
	bytes           int
	candidateSource string
}

// LaneConfig is what a lane is built from.
type LaneConfig struct {
	Tenant     memory.Tenant
	Scope      memory.Scope
	Policy     *Policy
	Similarity Similarity
	Analyzer   *wording.Analyzer // may be shared by all lanes
	// NewID returns a fresh id with the given prefix.
	NewID func(prefix string) string
}

// row is an entry with its analysed text.
type row struct {
	Entry
	text   *wording.Text
	number int32
	size   int // bytes, as counted by Lane.Bytes
}

// NewLane returns an empty lane.
func NewLane(cfg LaneConfig) *Lane {
	return &Lane{cfg: cfg, index: lexical.NewIndex(), meanings: &sketches{}, rows: make(map[string]*row), normal: make(map[string][]*row)}
}

// Version returns the scope's version up to which the lane has its rows.
func (l *Lane) Version() int64 { return l.version }

// SetVersion records that the lane has the rows up to v.
func (l *Lane) SetVersion(v int64) { l.version = v }

// Len returns the number of texts in the lane, lines of boot files among them.
func (l *Lane) Len() int { return len(l.rows) }

// Stored returns the number of the store's rows in the lane.
func (l *Lane) Stored() int { return len(l.rows) - len(l.bootIDs) }

// Has reports whether the lane has the row or line of this id.
func (l *Lane) Has(id string) bool { return l.rows[id] != nil }

// Bytes estimates the lane's memory, including what comparisons will add. It is
// within a third of what the garbage collector counts (TestBytesOfALane).
func (l *Lane) Bytes() int { return laneBytes + l.bytes }

// Parts of the estimate: an empty lane, a row without its text and strings, and a
// witness.
const (
	laneBytes    = 1600
	rowBytes     = 640
	witnessBytes = 120
)

// updateSize counts a row that is new or has grown.
func (l *Lane) updateSize(r *row) {
	e := &r.Entry
	l.bytes -= r.size
	r.size = rowBytes + r.text.Bytes() + len(e.ID) + len(e.Text) + len(e.Section) + len(e.Target) + len(e.DecisionID) + len(e.ProposalID)
	r.size += witnessBytes * len(e.Witnesses)
	l.bytes += r.size
}

// SetCandidateSource names the source of the rows that a narrow lane does not hold itself,
// such as "index"; its decisions record that. It is empty for a lane that holds its
// whole scope.
func (l *Lane) SetCandidateSource(source string) { l.candidateSource = source }

// Policy returns the policy that verdicts follow.
func (l *Lane) Policy() *Policy { return l.cfg.Policy }

// SetPolicy makes the next verdicts follow p.
func (l *Lane) SetPolicy(p *Policy) { l.cfg.Policy = p }

// SetRulesOff names the rules that no longer act without a person.
func (l *Lane) SetRulesOff(ids []string) { l.rulesOff = slices.Sorted(slices.Values(ids)) }

// SetRetired replaces the registry of retired terms.
func (l *Lane) SetRetired(terms []string) {
	l.retired = wording.Terms(terms)
}

// SetBoot replaces the lines of boot files: a proposal that restates one is an
// echo. Headings and lines of one or two words are left out.
func (l *Lane) SetBoot(files []memory.BootFile) {
	for _, id := range l.bootIDs {
		l.Remove(id)
	}
	l.bootIDs = l.bootIDs[:0]
	for _, f := range files {
		for n, line := range bootLines(f.Text) {
			id := fmt.Sprintf("%s#%d", f.ID, n+1)
			l.Upsert(Entry{ID: id, Role: memory.RoleBoot, Text: line, Authority: memory.OriginHuman, CreatedAt: f.CreatedAt})
			l.bootIDs = append(l.bootIDs, id)
		}
	}
}

// Upsert adds or replaces a stored text.
func (l *Lane) Upsert(e Entry) {
	if old := l.rows[e.ID]; old != nil {
		if old.Entry.Text == e.Text {
			old.Entry = e
			l.updateSize(old)
			return
		}
		l.Remove(e.ID)
	}
	t := l.cfg.Analyzer.Text(e.Text)
	t.Slim()
	l.insert(e, t)
}

func (l *Lane) insert(e Entry, t *wording.Text) *row {
	r := &row{Entry: e, text: t}
	r.number = l.index.Add(t.Doc)
	l.meanings.add(t.Vector)
	l.numbers = append(l.numbers, r)
	l.rows[e.ID] = r
	l.updateSize(r)
	l.normal[t.Normal] = append(l.normal[t.Normal], r)
	return r
}

// Remove removes a text, for instance an archived memory or a decided proposal.
func (l *Lane) Remove(id string) {
	r := l.rows[id]
	if r == nil {
		return
	}
	delete(l.rows, id)
	l.bytes -= r.size
	l.index.Remove(r.number)
	l.meanings.remove(r.number)
	l.numbers[r.number] = nil
	if same := slices.DeleteFunc(l.normal[r.text.Normal], func(x *row) bool { return x == r }); len(same) > 0 {
		l.normal[r.text.Normal] = same
	} else {
		delete(l.normal, r.text.Normal)
	}
	if l.index.Wasteful() {
		l.rebuild()
	}
}

// rebuild makes the index again without the removed documents, in their order of
// insertion.
func (l *Lane) rebuild() {
	kept := slices.DeleteFunc(l.numbers, func(r *row) bool { return r == nil })
	l.index, l.meanings, l.numbers = lexical.NewIndex(), &sketches{}, make([]*row, 0, len(kept))
	for _, r := range kept {
		r.number = l.index.Add(r.text.Doc)
		l.meanings.add(r.text.Vector)
		l.numbers = append(l.numbers, r)
	}
}

// maxSearched is how many candidates the index returns, and maxCompared how many of
// them are compared in full. The rules see maxCandidates of those.
const (
	maxSearched = 32
	maxCompared = 10
)

// nearest returns the rows that share most with t, of those that the index finds, for
// the full comparison. Ties are ordered by id.
func (l *Lane) nearest(t *wording.Text, f *wording.Features) []*row {
	type pick struct {
		row  *row
		near float64
	}
	picks := make([]pick, 0, maxSearched)
	for _, n := range l.index.Search(t.Doc, maxSearched) {
		if near := l.index.Near(t.Doc, n); near >= minShared || near >= minTurned && turnsFrom(f, t, l.numbers[n].text) {
			picks = append(picks, pick{l.numbers[n], near})
		}
	}
	slices.SortFunc(picks, func(a, b pick) int {
		return cmp.Or(cmp.Compare(b.near, a.near), cmp.Compare(a.row.ID, b.row.ID))
	})
	out := make([]*row, 0, maxCompared)
	for _, p := range picks[:min(len(picks), maxCompared)] {
		out = append(out, p.row)
	}
	return out
}

// minNearness is the nearness below which the specifics are not compared, because no
// rule reads them there.
const minNearness = 0.34

// minTurned is the same for a text whose value the proposal says has changed: the value
// and a name say that they are about one thing, so the other words may differ.
const minTurned = 0.2

// minShared is the share of common meaning below which no rule could match.
const minShared = 0.3

// gather returns the texts near a proposal, nearest first. Ties are ordered by id.
func (l *Lane) gather(p *memory.Proposal, t *wording.Text, f *wording.Features, served []Entry) []Neighbour {
	found, least := make([]scored, 0, maxSearched+4), -1.0
	add := func(r *row, role memory.CandidateRole, above float64) {
		if r.ID == p.ID && role != memory.RoleServed {
			return
		}
		for i := range found {
			if found[i].row == r && found[i].role == role {
				return
			}
		}
		s := scored{row: r, role: role, same: r.text.Normal == t.Normal && t.Normal != "", Score: l.cfg.Similarity.Compare(t, r.text)}
		s.rank()
		if s.Similarity > above {
			found = append(found, s)
		}
	}
	for _, r := range l.normal[t.Normal] {
		add(r, r.Role, least)
	}
	for _, r := range l.nearest(t, f) {
		add(r, r.Role, least)
	}
	room := rooms.Get().(*wording.Room)
	defer rooms.Put(room)
	// Vectors look for repeats only, and only where words found none. Texts that are
	// merely on one subject are found by words.
	repeat := l.points().Duplicate
	if !slices.ContainsFunc(found, func(s scored) bool { return s.Similarity > repeat }) {
		for _, r := range l.closest(t) {
			known := len(found)
			add(r, r.Role, least)
			if len(found) == known || found[known].Similarity > repeat {
				continue
			}
			r.text.Open(room)
			found[known].restates = l.cfg.Similarity.Restates(t, r.text)
			r.text.Close()
			if !found[known].restates {
				found = found[:known]
				continue
			}
			found[known].near = max(found[known].near, repeat) // what is said again is no far neighbour
		}
	}
	for _, e := range served {
		r := l.rows[e.ID]
		if r == nil || r.Entry.Text != e.Text {
			r = &row{Entry: e, text: l.cfg.Analyzer.Text(e.Text)}
		}
		add(r, memory.RoleServed, least)
	}
	slices.SortFunc(found, compareScored)
	found = found[:min(len(found), maxCandidates)]
	out := make([]Neighbour, 0, len(found))
	points := l.points()
	for i := range found {
		found[i].row.text.Open(room)
		out = append(out, neighbour(&found[i], p.ID, t, f, l.cfg.Similarity, points))
		found[i].row.text.Close()
	}
	return out
}

func (l *Lane) points() Points { return l.cfg.Policy.with(l.cfg.Similarity.Points()) }

// scored is a stored text with its score against the proposal.
type scored struct {
	Score
	row  *row
	role memory.CandidateRole
	same bool
	// restates is known of texts that only vectors found.
	restates bool
	near     float64
}

// rank orders texts that are alike as a whole before those of which one contains the
// other.
func (s *scored) rank() {
	if s.same {
		s.Score = Score{Score: lexical.Score{Similarity: 1, Forward: 1, Backward: 1, Topic: 1}, ByWords: 1}
	}
	s.near = max(s.Similarity, 0.75*max(s.Forward, s.Backward))
}

// neighbour returns everything that rules read of a stored text.
func neighbour(s *scored, proposalID string, t *wording.Text, f *wording.Features, sim Similarity, points Points) Neighbour {
	e := &s.row.Entry
	n := Neighbour{
		ID: e.ID, Role: s.role, Same: s.same, Similarity: s.Similarity, ByWords: s.ByWords, Forward: s.Forward, Backward: s.Backward, Topic: s.Topic, Kind: e.Kind,
		Words: min(s.row.text.Doc.Words, t.Doc.Words), Section: e.Section, Authority: e.Authority,
		ObservedAt: e.ObservedAt, CreatedAt: e.CreatedAt,
		SameSection: e.Section == "" || f.Section == "" || e.Section == f.Section,
	}
	if s.near < minNearness && !(s.near >= minTurned && turnsFrom(f, t, s.row.text)) {
		n.Relation = memory.RelationComplement
		return n
	}
	fresh, stored := t.Specifics(), s.row.text.Specifics()
	c := memory.Relate(fresh, stored)
	n.Relation, n.Foreign, n.Denies, n.fresh, n.stored = c.Relation, c.Foreign, c.Denies, fresh, stored
	n.Subject = subject.Relate(t.Subject, s.row.text.Subject, t.Doc, s.row.text.Doc)
	if c.Relation == memory.RelationConflict && len(f.Transitions) == 0 && numbersAlone(fresh, stored) > 0 && numbersAlone(stored, fresh) > 0 && wording.OtherAttribute(t, s.row.text) {
		n.Subject = subject.Different
	}
	differ := c.Relation == memory.RelationConflict || otherCause(t, s.row.text) || numbersAlone(fresh, stored) > 0 && numbersAlone(stored, fresh) > 0
	if differ && n.Subject != subject.Different && len(f.Transitions) == 0 && !t.SaysNow() && !t.Turns() && subject.OtherEntry(t.Entry(), s.row.text.Entry(), t.Doc.German) {
		n.Subject = subject.Different
	}
	if n.Subject != subject.Different && differ && otherEvent(t, s.row.text) {
		n.Subject = subject.Different
	}
	if n.Subject == subject.Different && countsOn(f, fresh, stored) && subject.Kinds(t.Subject, s.row.text.Subject) {
		n.Subject = subject.Unclear // "topic `x` keeps", "the retention of `x` was extended"
	}
	if n.Subject == subject.Different && otherCauseOfOne(t, s.row.text) {
		n.Subject = subject.Same
	}
	if s.same {
		n.Relation, n.Subject = memory.RelationEqual, subject.Same
	}
	n.Renamed = c.Renamed && n.Subject == subject.Same && s.Topic >= renamedTopic
	n.Weaker = outlives(f.Authority, fresh.Len(), t.Doc.Words, proposalID, e.Authority, stored.Len(), s.row.text.Doc.Words, e.ID)
	if !s.same {
		n.Reworded = s.Similarity > points.Duplicate && s.ByWords <= points.Duplicate && s.ByWords > points.Cluster && n.Subject != subject.Different && sim.Reworded(t, s.row.text)
		n.Substituted = matters(s, points) && sim.Exchanged(t, s.row.text, s.Score) || s.ByWords > points.Cluster && (wording.Altered(t, s.row.text) || wording.OneOfTwo(fresh, stored))
		n.Against = n.SameSection && (n.Subject == subject.Same && wording.Rival(t, s.row.text) || n.Subject == subject.Unclear && s.row.text.Subject.Within(t.Doc) && wording.OtherDay(t, s.row.text))
		if saysNoMore(&n) && mayRepeat(&n, points) {
			leftover, part := wording.Leftover(t, s.row.text)
			n.Leftover = leftover && !(part && s.role == memory.RoleOpen) // a waiting text that says more takes a part in (D5)
			n.Named = wording.NamesMore(t, s.row.text)
			n.Renamed = n.Named && n.Subject == subject.Same && wording.NamesMore(s.row.text, t)
		}
		n.Statement = f.Orders() && s.ByWords > points.Loose && !fresh.SameDuties(stored) && !s.row.text.Orders()
	}
	if s.role == memory.RoleMemory && !s.same {
		n.Undated = dateOf(s.row.text, e.ObservedAt).IsZero()
		n.Extends = n.Backward >= coveredShare && n.SameSection && !n.Denies && n.Relation != memory.RelationConflict && wording.Extends(t, s.row.text)
		n.Renamed = n.Renamed && !n.Extends // what is said word for word has no other name
		newer := later(f, t, e, s.row.text)
		apart := subject.Apart(t.Subject, s.row.text.Subject, t.Doc, s.row.text.Doc)
		n.Elsewhere = apart && !s.row.text.Subject.Named(t.Doc) && !sharesName(fresh, stored)
		n.Transition = !c.Foreign && !before(f, t, e, s.row.text) && changes(f, fresh, stored, s.Backward, newer && n.Subject != subject.Different)
		turned := (t.Turns() || t.Switches()) && !s.row.text.Turns()
		exchanged := n.Substituted || n.Relation == memory.RelationConflict
		now := exchanged && (t.SaysNow() || movesTo(f, fresh)) && !s.row.text.SaysNow()
		n.Moved = exchanged && movesTo(f, fresh) && !apart
		if n.Subject == subject.Unclear && !apart && subject.Kinds(t.Subject, s.row.text.Subject) {
			n.Moved = n.Moved || exchanged && turned // "the flag `x` is off", "`x` was switched on"
		}
		n.Newer = newer && s.ByWords > points.Cluster && (turned || now || wording.NewerVersion(fresh, stored))
	}
	if !s.same && n.SameSection && n.Subject != subject.Different && (n.Subject == subject.Same || s.ByWords > points.Cluster) && otherCause(t, s.row.text) {
		n.Against, n.Substituted = true, true
	}
	if !s.same && n.proved(points) && sim.Objects(t, s.row.text) {
		n.Substituted = true
	}
	if !s.same && (!n.Statement || wording.Needs(s.row.text)) && !n.Transition && !n.Newer && !n.proved(points) && !otherCause(t, s.row.text) && (s.restates || sim.Restates(t, s.row.text)) {
		n.Restated, n.Relation, n.Subject = true, memory.RelationEqual, subject.Same
		n.Substituted, n.Against, n.Leftover, n.Denies, n.Statement = false, false, false, false, false
	}
	return n
}

// matters reports whether a rule may read that a word was exchanged, which is costly to
// find. Every rule that does so asks for one of these first.
func matters(s *scored, points Points) bool {
	return s.ByWords > min(points.Loose, points.Cluster, points.Duplicate) || s.Similarity >= points.Duplicate ||
		max(s.Forward, s.Backward) >= coveredShare || s.Topic >= restatedTopic
}

// outlives reports whether text a survives its duplicate b (D5): by higher authority,
// then more specifics, then more words, then the older id.
func outlives(aAuth memory.Origin, aSpec, aWords int, aID string, bAuth memory.Origin, bSpec, bWords int, bID string) bool {
	return cmp.Or(cmp.Compare(aAuth, bAuth), cmp.Compare(aSpec, bSpec), cmp.Compare(aWords, bWords), cmp.Compare(bID, aID)) > 0
}
