package survival

import (
	"cmp"
	"errors"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"time"

	"github.com/winnowhq/winnow/services/internal/consolidation/erosion"
	"github.com/winnowhq/winnow/services/internal/consolidation/weekly"
	"github.com/winnowhq/winnow/services/internal/memory"
)

// YearReport is a year of weekly runs over one user's growing store.
type YearReport struct {
	Weeks      int     `json:"weeks"`
	Misjudging float64 `json:"misjudging"` // share of the model's judgements that are wrong
	Judgements int     `json:"judgements"`
	Misjudged  int     `json:"misjudged"`

	Originals       int     `json:"originals"`         // memories that were not made by a run
	RowsDeleted     int     `json:"rows_deleted"`      // must be 0
	Restorable      float64 `json:"restorable"`        // share of the originals whose words are unchanged and reachable over successors
	UndoEqual       bool    `json:"undo_equal"`        // undoing all runs gives back exactly the originals
	NeededInService float64 `json:"needed_in_service"` // share of the facts and goals that an active memory states
	NeededArchived  int     `json:"needed_archived"`   // facts and goals archived without a successor, for a person to restore
	StaleShare      float64 `json:"stale_share"`       // of the active memories: over for more than a week
	FixedTouched    int     `json:"fixed_touched"`     // pinned memories and a person's rules that changed; must be 0

	Runs          int     `json:"runs"`
	Skipped       int     `json:"skipped"` // runs whose answer was not valid
	Merged        int     `json:"merged"`
	Created       int     `json:"created"`
	Archived      int     `json:"archived_without_successor"`
	Refused       int     `json:"refused"`
	Left          int     `json:"left_to_a_person"`
	PutOff        int     `json:"put_off"`      // deletions that waited for the next run to say the same
	WrongMerges   int     `json:"wrong_merges"` // of different things, that no gate refused; their words are kept or redirected
	Invented      int     `json:"invented"`     // merged texts with a number or name that no source has; must be 0
	OverLimitRuns int     `json:"over_limit_runs"`
	WorstRun      float64 `json:"worst_run_of_budget"`   // largest share of the 30 % (or five rows) that a run used
	WorstMonth    float64 `json:"worst_month_of_budget"` // the same of the 40 % of thirty days
	Active        int     `json:"active"`                // at the end

	Series []YearWeek `json:"series"`
}

// YearWeek is the store after one week's run.
type YearWeek struct {
	Week      int `json:"week"`
	Originals int `json:"originals"`
	Active    int `json:"active"`
	Merged    int `json:"merged"`   // originals with a successor
	Archived  int `json:"archived"` // originals without
	Needed    int `json:"needed"`   // facts and goals so far
	Served    int `json:"served"`   // of them in service
}

// yearStart is the Sunday of the first run (S1.2).
var yearStart = time.Date(2026, 1, 4, 3, 0, 0, 0, time.UTC)

const yearScope = memory.Scope("user:simulated")

// original is a memory that an agent recorded, with its truth.
type original struct {
	row  memory.Memory
	note note
	due  time.Time // when it is over; zero for what stays true
}

type year struct {
	store     *simStore
	life      *life
	model     *erringModel
	now       time.Time
	ids       int
	originals []original
	later     map[int][]note // notes that a week will bring
	erosions  []erosionRow
	report    *YearReport
}

// erosionRow is how much one run archived without a successor, and of what.
type erosionRow struct {
	at            time.Time
	active, taken int
}

func simulateYear(o Options) (*YearReport, error) {
	rng := rand.New(rand.NewPCG(o.Seed, 1))
	y := &year{
		store: newSimStore(), life: &life{rng: rng}, later: map[int][]note{},
		model:  &erringModel{rng: rand.New(rand.NewPCG(o.Seed, 2)), erring: o.Misjudging, truth: map[string]note{}},
		report: &YearReport{Weeks: o.Weeks, Misjudging: o.Misjudging},
	}
	y.now = yearStart.AddDate(0, 0, -28)
	for range 30 {
		first, _ := y.life.fact()
		y.add(first)
	}
	for i := range 3 {
		y.fix(i)
	}
	for week := range o.Weeks {
		y.now = yearStart.AddDate(0, 0, 7*week-3)
		y.live(week)
		y.now = yearStart.AddDate(0, 0, 7*week)
		if err := y.run(week); err != nil {
			return nil, fmt.Errorf("week %d: %w", week+1, err)
		}
		y.measure(week)
	}
	y.finish()
	return y.report, nil
}

func (y *year) newID(prefix string) string {
	y.ids++
	return fmt.Sprintf("%s%026d", prefix, y.ids)
}

// add records a note as an agent's or the user's own.
func (y *year) add(n note, change ...func(*memory.Memory)) {
	m := memory.Memory{
		ID: y.newID(memory.PrefixMemory), Tenant: memory.DefaultTenant, Scope: yearScope, State: memory.StateActive, Kind: memory.KindFact,
		Section: "Notes", Text: n.text, Category: n.category, Importance: 3 + y.life.n%5, Confidence: 0.7,
		Origin: memory.OriginFirstParty, Authority: memory.OriginFirstParty, SeenCount: 1,
		ObservedAt: y.now, CreatedAt: y.now, LastConfirmed: y.now,
	}
	for _, c := range change {
		c(&m)
	}
	y.store.clock++
	m.Version = y.store.clock
	y.store.rows[m.ID] = m
	row := original{row: m, note: n}
	switch n.class {
	case noteOutdated:
		row.due = y.now.AddDate(0, 0, 1)
	case noteEmotion:
		row.due = y.now.AddDate(0, 0, 28)
	}
	y.originals = append(y.originals, row)
	y.model.truth[n.text] = n
}

// fix records what a person set.
func (y *year) fix(i int) {
	n, _ := y.life.fact()
	y.add(n, func(m *memory.Memory) {
		if i == 0 {
			m.Kind, m.Authority = memory.KindRule, memory.OriginHuman
			return
		}
		m.Tags = []string{"pinned"}
	})
}

// live is one week: new facts, some of which are said again later, a goal that is reached
// some weeks after, a feeling and errands.
func (y *year) live(week int) {
	for range 2 {
		first, again := y.life.fact()
		y.add(first)
		when := week + 1 + y.life.rng.IntN(8)
		y.later[when] = append(y.later[when], again)
	}
	if week%2 == 0 {
		plan, deed := y.life.goal()
		y.add(plan)
		when := week + 2 + y.life.rng.IntN(6)
		y.later[when] = append(y.later[when], deed)
	}
	y.add(y.life.mood())
	for range 2 {
		y.add(y.life.errand())
	}
	for _, n := range y.later[week] {
		y.add(n)
	}
}

// run is one Sunday.
func (y *year) run(week int) error {
	rows := y.store.active()
	if !weekly.Due(len(rows)) {
		return nil
	}
	y.report.Runs++
	y.model.now = y.now
	question := weekly.Prompt(rows, weekly.PromptOptions{Language: "en", Now: y.now, Nonce: fmt.Sprintf("simulated%09d", week)})
	out, err := weekly.Decide(weekly.Input{
		Now: y.now, Memories: rows, Question: question, Answer: y.model.answer(question.User), Eroded: y.store.eroded(y.now),
		Previous: y.previous(),
	})
	var invalid *weekly.InvalidError
	if errors.As(err, &invalid) {
		y.report.Skipped++
		return nil
	}
	if err != nil {
		return err
	}
	run := memory.Run{ID: fmt.Sprintf("run_%026d", week+1), Tenant: memory.DefaultTenant, Scope: yearScope, Strategy: memory.RunWeekly}
	set := weekly.Apply(weekly.Step{
		Run: run, Item: memory.RunItem{Tenant: run.Tenant, RunID: run.ID, N: 1, Action: memory.ActionWeekly, State: memory.ItemPlanned},
		Now: y.now, NewID: y.newID,
	}, rows, out)
	for i, m := range out.Merges {
		y.product(m, set.Memories[i].Text)
	}
	y.erosions = append(y.erosions, erosionRow{at: y.now, active: len(rows), taken: len(out.Archives)})
	return y.count(out, y.store.apply(set))
}

// previous is the last run that was applied.
func (y *year) previous() weekly.Previous {
	if len(y.store.items) == 0 {
		return weekly.Previous{}
	}
	return weekly.PreviousOf(y.store.items[len(y.store.items)-1])
}

// product tells the model what is true about a merged memory, and counts what the gates
// let pass.
func (y *year) product(m weekly.Merge, text string) {
	n := y.model.truth[m.Sources[0].Text]
	for i := range m.Sources[1:] {
		other := y.model.truth[m.Sources[i+1].Text]
		if other.key == n.key {
			continue
		}
		y.report.WrongMerges++
		n.key, n.marks = text, slices.Concat(n.marks, other.marks)
	}
	if strings.Contains(text, inventedName) || strings.Contains(text, inventedSum) {
		y.report.Invented++
	}
	n.class, n.merged = noteFact, cmp.Or(map[bool]string{true: text}[n.key == text], n.merged)
	y.model.truth[text] = n
}

func (y *year) count(out weekly.Outcome, err error) error {
	r, log := y.report, out.Log(yearScope, y.now)
	r.Merged += log.Merged
	r.Created += log.Created
	r.Archived += log.Deleted
	r.Refused += log.Refused
	r.Left += log.Left
	r.PutOff += log.PutOff
	if log.OverLimit {
		r.OverLimitRuns++
	}
	if err == nil && log.After != len(y.store.active()) {
		err = fmt.Errorf("the outcome says that %d remain, the store has %d", log.After, len(y.store.active()))
	}
	return err
}

// inService reports whether an active memory still says what the original said: the end of
// its successors has its marks.
func (y *year) inService(o *original) bool {
	end, ok := y.store.end(o.row.ID)
	if !ok || end.State != memory.StateActive {
		return false
	}
	for _, mark := range o.note.marks {
		if !strings.Contains(end.Text, mark) {
			return false
		}
	}
	return true
}

func (n *note) needed() bool {
	return n.class == noteFact || n.class == notePlan || n.class == noteDeed
}

func (y *year) measure(week int) {
	w := YearWeek{Week: week + 1, Originals: len(y.originals), Active: len(y.store.active())}
	for i := range y.originals {
		o := &y.originals[i]
		row := y.store.rows[o.row.ID]
		switch {
		case row.State == memory.StateActive:
		case row.SuccessorID != "":
			w.Merged++
		default:
			w.Archived++
		}
		if o.note.needed() {
			w.Needed++
			if y.inService(o) {
				w.Served++
			}
		}
	}
	y.report.Series = append(y.report.Series, w)
}

func (y *year) finish() {
	r := y.report
	r.Judgements, r.Misjudged = y.model.judgements, y.model.misjudged
	r.Originals, r.Active = len(y.originals), len(y.store.active())
	restorable, needed, served, stale := 0, 0, 0, 0
	for i := range y.originals {
		o := &y.originals[i]
		row, there := y.store.rows[o.row.ID]
		if !there {
			r.RowsDeleted++
			continue
		}
		if _, ok := y.store.end(row.ID); ok && row.Text == o.row.Text {
			restorable++
		}
		if o.note.needed() {
			needed++
			if y.inService(o) {
				served++
			} else if end, _ := y.store.end(row.ID); end.State == memory.StateArchived {
				r.NeededArchived++
			}
		}
		if row.State == memory.StateActive && !o.due.IsZero() && y.now.Sub(o.due) > 7*24*time.Hour {
			stale++
		}
		if fixed := o.row.Kind == memory.KindRule || len(o.row.Tags) > 0; fixed && row.Version != o.row.Version {
			r.FixedTouched++
		}
	}
	r.Restorable = float64(restorable) / float64(max(len(y.originals), 1))
	r.NeededInService = float64(served) / float64(max(needed, 1))
	r.StaleShare = float64(stale) / float64(max(r.Active, 1))
	y.budgets()
	y.store.undo()
	r.UndoEqual = y.asRecorded()
}

// budgets measures the erosion of every run and of every thirty days from what the runs
// did, by the numbers of D10 and not by the code that enforces them.
func (y *year) budgets() {
	for i, e := range y.erosions {
		y.report.WorstRun = max(y.report.WorstRun, float64(e.taken)/max(0.30*float64(e.active), 5))
		before := 0
		for _, p := range y.erosions[:i] {
			if e.at.Sub(p.at) < erosion.Month {
				before += p.taken
			}
		}
		if e.taken > 0 {
			y.report.WorstMonth = max(y.report.WorstMonth, float64(before+e.taken)/max(0.40*float64(e.active+before), 5))
		}
	}
}

// asRecorded reports whether exactly the originals are active, each as it was recorded.
func (y *year) asRecorded() bool {
	if len(y.store.active()) != len(y.originals) {
		return false
	}
	for i := range y.originals {
		was, is := y.originals[i].row, y.store.rows[y.originals[i].row.ID]
		is.Version = was.Version
		if fmt.Sprint(was) != fmt.Sprint(is) {
			return false
		}
	}
	return true
}
