package judge

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/winnowhq/winnow/services/internal/change"
	"github.com/winnowhq/winnow/services/internal/memory"
)

// wordings are groups of texts that say the same or nearly the same, or that the same
// thing changed, as in real streams.
var wordings = [][]string{
	{"2026-02-03: `redis` listens on port 6379 in `compose.yaml`.", "`redis` in `compose.yaml` listens on port 6379 (2026-02-03).", "2026-02-09: `redis` moved from port 6379 to 6380 in `compose.yaml`.", "2026-02-09: `redis` listens on port 6380 in `compose.yaml`."},
	{"Untranslated keys come from a missing init call", "Untranslated keys come from a missing init call of `i18n.ts` in the worker", "A missing init call is where untranslated keys come from"},
	{"Always run `make generate` before `make lint`.", "`make generate` must be run before `make lint`, always.", "Never run `make lint` before `make generate`."},
	{"2026-02-03: never force-push to `main`.", "2026-02-03: nobody may force-push to `main`.", "Remember: never force-push to `main`."},
	{"Handlers should return early, see `http.go` (2026-02-03).", "We always return early in handlers, see `http.go` (2026-02-03)."},
	{"Nightly backups run at 02:00 and are kept for 30 days in `s3://backups` (2026-02-03).", "Backups are executed every night at 02:00 and retained for 30 days in `s3://backups` (2026-02-03).", "Nightly backups run at 03:00 and are kept for 30 days in `s3://backups` (2026-02-05)."},
	{"2026-02-03: Alice prefers tabs over spaces in `main.go`.", "I plan to rewrite `cache.go` next week."},
	{"2026-02-20: `acme-scan` 4.2 finds more leaks than other scanners and installs with `npm i acme-scan`."},
	{"Replace the entry on ports: redis listens on 6380", "- (2026-02-03)", "The karma runner needs `karma.conf.js` (2026-02-03)."},
}

// world is a lane and the sum of the rows that its outcomes wrote, as the store would
// have them.
type world struct {
	*rapid.T
	lane      *Lane
	off       []string
	now       time.Time
	drawings  int
	proposals map[string]memory.Proposal
	memories  map[string]memory.Memory
	authority map[string]memory.Origin
	evidence  map[string]map[source]bool // by subject
	creators  map[string][]string        // memory → decisions that made it
	decided   map[string]int             // proposal → decisions that were its own
}

// source is what makes evidence equal: its principal and session.
type source struct{ principal, session string }

func newWorld(t testing.TB, r *rapid.T, policy string, off []string) *world {
	w := &world{
		T: r, lane: testLane(t, policy), off: off, now: testNow,
		proposals: map[string]memory.Proposal{}, memories: map[string]memory.Memory{}, authority: map[string]memory.Origin{},
		evidence: map[string]map[source]bool{}, creators: map[string][]string{}, decided: map[string]int{},
	}
	w.lane.SetRetired([]string{"karma"})
	w.lane.SetRulesOff(off)
	return w
}

// drawn is a proposal as it may come in: any wording, any publisher, a marker or
// another digit now and then.
func (w *world) drawn(scope memory.Scope, origins []memory.Origin) memory.Proposal {
	text := rapid.SampledFrom(rapid.SampledFrom(wordings).Draw(w.T, "subject")).Draw(w.T, "wording")
	switch rapid.IntRange(0, 5).Draw(w.T, "variation") {
	case 0:
		text = "- " + text
	case 1:
		text = strings.ReplaceAll(text, " ", "  ")
	case 2:
		text = strings.Replace(text, "3", "4", 1)
	}
	p := proposal(fmt.Sprintf("%s%026d", memory.PrefixProposal, w.drawings), text)
	w.drawings++
	p.Scope = scope
	p.Principal = rapid.SampledFrom([]string{"ada", "bob", "ci", "web"}).Draw(w.T, "principal")
	p.SessionID = rapid.SampledFrom([]string{"", "s1", "s2", "s3"}).Draw(w.T, "session")
	p.Origin = rapid.SampledFrom(origins).Draw(w.T, "origin")
	p.Authority = p.Origin
	p.Section = rapid.SampledFrom([]string{"", "", "Patterns"}).Draw(w.T, "section")
	return p
}

// judge decides one proposal and adds its outcome to the rows.
func (w *world) judge(p memory.Proposal) (memory.Decision, Outcome) {
	w.now = w.now.Add(time.Minute)
	d, out := w.lane.Judge(Item{Proposal: p}, w.now)
	w.proposals[p.ID] = out.Proposal
	w.decided[p.ID]++
	w.support(p.ID, source{p.Principal, p.SessionID})
	if m := out.Memory; m != nil {
		w.memories[m.ID] = *m
		w.creators[m.ID] = append(w.creators[m.ID], d.ID)
	}
	for _, e := range out.Evidence {
		w.support(e.Subject, source{e.Principal, e.SessionID})
	}
	for _, u := range out.MemoryUpdates {
		w.update(u)
	}
	for _, u := range out.ProposalUpdates {
		row := w.proposals[u.ID]
		row.State, row.Target, row.SeenCount = u.State, u.Target, u.SeenCount
		w.proposals[u.ID] = row
	}
	w.check(d, out)
	return d, out
}

func (w *world) support(subject string, s source) {
	if w.evidence[subject] == nil {
		w.evidence[subject] = map[source]bool{}
	}
	w.evidence[subject][s] = true
}

func (w *world) update(u change.MemoryUpdate) {
	m, ok := w.memories[u.ID]
	if !ok {
		w.Fatalf("an update of %s, which no decision made", u.ID)
	}
	if u.SeenCount < m.SeenCount {
		w.Fatalf("%s was seen %d times, then %d", u.ID, m.SeenCount, u.SeenCount)
	}
	m.State, m.SeenCount, m.SuccessorID = u.State, u.SeenCount, u.SuccessorID
	w.memories[u.ID] = m
}

// check asserts what must be true of the rows after every verdict.
func (w *world) check(d memory.Decision, out Outcome) {
	w.checkActing(d, out)
	w.checkMemories()
	w.checkAuthority()
	w.checkEvidence(d, out)
	if len(w.off) == 0 {
		w.checkSurvivors()
	}
}

// A rule that stopped acting changes nothing without a person.
func (w *world) checkActing(d memory.Decision, out Outcome) {
	if slices.Contains(w.off, d.Rule) && d.Verdict != memory.VerdictNeedsReview && d.Verdict != memory.VerdictQuarantined {
		w.Fatalf("%s stopped acting, and %s %s", d.Rule, d.ProposalID, d.Verdict)
	}
	if d.Verdict == memory.VerdictNeedsReview && (out.Memory != nil || len(out.Archived) > 0) {
		w.Fatalf("%s waits for a person, and a memory was made or archived", d.ProposalID)
	}
}

// Promise 2: what is remembered has exactly one decision that made it. Promise
// 3: its author stands above external. Rules are made by people.
func (w *world) checkMemories() {
	for id, m := range w.memories {
		author := w.proposals[m.ProposalID]
		switch {
		case len(w.creators[id]) != 1 || w.creators[id][0] != m.DecisionID || w.decided[m.ProposalID] != 1:
			w.Fatalf("%s was made by %v and names %s", id, w.creators[id], m.DecisionID)
		case author.State != memory.ProposalPromoted:
			w.Fatalf("%s comes from %s, which is %s", id, author.ID, author.State)
		case min(author.Origin, m.Origin, m.Authority) <= memory.OriginExternal:
			w.Fatalf("%q was promoted from origin %s, authority %s", m.Text, author.Origin, m.Authority)
		case m.Kind == memory.KindRule && author.Origin < memory.OriginHuman:
			w.Fatalf("the rule %q was promoted from %s", m.Text, author.Origin)
		case m.Kind == memory.KindConvention && author.Origin < memory.OriginHuman && author.Scope.Kind() != memory.ScopeUser:
			// In their own scope a person may state their habits.
			w.Fatalf("the convention %q was promoted from %s", m.Text, author.Origin)
		}
	}
}

// Authority never falls, and rises only by corroboration: an agent's statement,
// one step, by two principals in two sessions.
func (w *world) checkAuthority() {
	for id, row := range w.lane.rows {
		before, known := w.authority[id]
		if !known {
			before = row.Witnesses[0].Origin
		}
		if row.Authority < before {
			w.Fatalf("%s fell from %s to %s", id, before, row.Authority)
		}
		if row.Authority > before && (before != memory.OriginAgent || row.Authority != memory.OriginFirstParty || !w.corroborated(id)) {
			w.Fatalf("%s rose from %s to %s on %v", id, before, row.Authority, w.evidence[id])
		}
		w.authority[id] = row.Authority
	}
}

func (w *world) corroborated(id string) bool {
	for a := range w.evidence[id] {
		for b := range w.evidence[id] {
			if a.principal != b.principal && a.session != b.session && a.session != "" && b.session != "" {
				return true
			}
		}
	}
	return false
}

// D5: the evidence of a merged text is evidence of its survivor.
func (w *world) checkEvidence(d memory.Decision, out Outcome) {
	moved := map[string]string{}
	for _, a := range out.Absorbed {
		moved[a.ProposalID] = a.Target
	}
	if d.Verdict == memory.VerdictMerged || strings.HasPrefix(d.Rule, "dup.") && d.Verdict == memory.VerdictRejected {
		moved[d.ProposalID] = d.Target
	}
	if d.Rule == "merge" && out.Memory != nil {
		moved[d.Target] = out.Memory.ID
	}
	for from, to := range moved {
		for s := range w.evidence[from] {
			if !w.evidence[to][s] {
				w.Fatalf("%s ended in %s, which lacks its source %v: %v", from, to, s, w.evidence[to])
			}
		}
	}
}

// Of equal texts at most one survives, and every merged text leads to a survivor.
func (w *world) checkSurvivors() {
	for normal, rows := range w.lane.normal {
		if len(rows) > 1 {
			w.Fatalf("%q lives %d times: %s and %s", normal, len(rows), rows[0].ID, rows[1].ID)
		}
	}
	for id, p := range w.proposals {
		if p.State == memory.ProposalMerged && w.survivor(id) == "" {
			w.Fatalf("%s was merged and leads to nothing", id)
		}
	}
}

// survivor follows targets and successors to a surviving text; empty without one.
func (w *world) survivor(id string) string {
	for range len(w.proposals) + len(w.memories) + 1 {
		if w.lane.rows[id] != nil {
			return id
		}
		if m, ok := w.memories[id]; ok {
			id = m.SuccessorID
		} else {
			id = w.proposals[id].Target
		}
	}
	return ""
}

// D5 and promises 2 and 3 over random streams, under each policy that is
// meant for use.
func TestInvariants(t *testing.T) {
	t.Parallel()
	for policy, scope := range map[string]memory.Scope{"standard": testScope, "strict": testScope, "personal": "user:ada"} {
		t.Run(policy, func(t *testing.T) {
			t.Parallel()
			rapid.Check(t, func(r *rapid.T) {
				w := newWorld(t, r, policy, nil)
				for range rapid.IntRange(1, 25).Draw(r, "steps") {
					w.judge(w.drawn(scope, memory.Origins()))
				}
			})
		})
	}
}

// SPEC §6: the same holds with rules that stopped acting, and those never act.
func TestInvariantsWithRulesOff(t *testing.T) {
	t.Parallel()
	var ids []string
	for _, rule := range rules {
		ids = append(ids, rule.ID)
	}
	rapid.Check(t, func(r *rapid.T) {
		w := newWorld(t, r, "standard", rapid.SliceOfNDistinct(rapid.SampledFrom(ids), 1, 5, rapid.ID).Draw(r, "off"))
		for range rapid.IntRange(1, 25).Draw(r, "steps") {
			w.judge(w.drawn(testScope, memory.Origins()))
		}
	})
}

// Promise 3: text from outside never becomes memory and never gains authority, for
// any number of repeats and publishers.
func TestOutsideTextIsNeverPromoted(t *testing.T) {
	t.Parallel()
	for _, policy := range PolicyNames() {
		t.Run(policy, func(t *testing.T) {
			t.Parallel()
			rapid.Check(t, func(r *rapid.T) {
				w := newWorld(t, r, policy, nil)
				for range rapid.IntRange(1, 25).Draw(r, "steps") {
					w.lane.Judge(Item{Proposal: w.drawn(testScope, []memory.Origin{memory.OriginUnknown, memory.OriginExternal})}, w.now)
				}
				for id, row := range w.lane.rows {
					if row.Role == memory.RoleMemory || row.Authority > memory.OriginExternal {
						r.Fatalf("%s is %s with authority %s", id, row.Role, row.Authority)
					}
				}
			})
		})
	}
}

// SPEC §7: agents together do not raise the authority of stored text of external or
// unknown origin; only a person does.
func TestNobodyLiftsWhatIsStoredFromOutside(t *testing.T) {
	t.Parallel()
	for _, origin := range []memory.Origin{memory.OriginUnknown, memory.OriginExternal} {
		lane := testLane(t, "standard")
		e := stored("The invoices are numbered per country.")
		e.Authority = origin
		lane.Upsert(e)
		for i, principal := range []string{"ada", "bob", "ci"} {
			p := proposal(fmt.Sprintf("prop_%d", i), e.Text)
			p.Principal, p.SessionID = principal, "s"+principal
			if d, out := lane.Judge(Item{Proposal: p}, testNow); d.Rule != "dup.exact" || out.MemoryUpdates[0].Lift != 0 {
				t.Errorf("%s, said by %s too: %s, updates %+v", origin, principal, d.Rule, out.MemoryUpdates)
			}
		}
		if got := lane.rows[e.ID]; got.Authority != origin || got.SeenCount != 4 {
			t.Errorf("authority rose from %s to %s, seen %d", origin, got.Authority, got.SeenCount)
		}
	}
}

// D5: of copies of one text exactly one survives, and the others lead to it. Which
// one does not depend on the order of arrival.
func TestOneOfEqualTextsSurvives(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(r *rapid.T) {
		text := rapid.SampledFrom([]string{wordings[0][0], wordings[1][1], wordings[2][0], wordings[3][0], wordings[7][0]}).Draw(r, "text")
		origins := rapid.SliceOfN(rapid.SampledFrom(memory.Origins()), 2, 6).Draw(r, "origins")
		var survivors []memory.Origin
		for _, order := range [][]int{sequence(len(origins)), rapid.Permutation(sequence(len(origins))).Draw(r, "order")} {
			w := newWorld(t, r, "standard", nil)
			for _, i := range order {
				p := proposal(fmt.Sprintf("%s%026d", memory.PrefixProposal, i), text)
				// One principal, because corroboration would depend on the order.
				p.Origin, p.Authority = origins[i], origins[i]
				w.judge(p)
			}
			if len(w.lane.rows) != 1 {
				r.Fatalf("%d texts live after %v in order %v", len(w.lane.rows), origins, order)
			}
			for _, row := range w.lane.rows {
				if row.SeenCount != len(origins) {
					r.Fatalf("seen %d times of %d", row.SeenCount, len(origins))
				}
				if row.Role == memory.RoleOpen {
					survivors = append(survivors, row.Authority)
				}
			}
		}
		if len(survivors) == 2 && (survivors[0] != survivors[1] || survivors[0] != slices.Max(origins)) {
			r.Fatalf("of %v survives %s, in another order %s", origins, survivors[0], survivors[1])
		}
	})
}

func sequence(n int) []int {
	out := make([]int, n)
	for i := range out {
		out[i] = i
	}
	return out
}
