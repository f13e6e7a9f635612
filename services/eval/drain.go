package eval

import (
	"fmt"
	"slices"
	"time"

	"github.com/winnowhq/winnow/services/internal/judge"
	"github.com/winnowhq/winnow/services/internal/judge/wording"
	"github.com/winnowhq/winnow/services/internal/memory"
	"github.com/winnowhq/winnow/services/internal/model/embed"
)

// DrainOptions are the options of [Drain].
type DrainOptions struct {
	// Policy is the name of a shipped policy; empty takes the default.
	Policy string
	// Embedder compares meaning for triage, as in [TriageOptions].
	Embedder embed.Embedder
	// Kind is the publisher's kind of the entries; empty lets triage recognise it.
	// Lessons of a distiller are of kind strategy.
	Kind memory.Kind
	// Answers is how many items the reviewer answers each Monday; 0 is the digest's
	// ten. All are accepted, because the project did keep them.
	Answers int
}

// DrainReport is the output of `winnow eval drain --json`.
type DrainReport struct {
	Suite       string         `json:"suite"`
	N           int            `json:"n"`                 // proposals in the stream
	Withheld    int            `json:"withheld"`          // entries whose text the data holds back
	Weeks       []DrainWeek    `json:"weeks"`             //
	PerWeek     float64        `json:"per_week"`          // items for a person, mean over the weeks
	WorstWeek   int            `json:"worst_week"`        //
	Backlog     int            `json:"backlog"`           // items waiting at the end
	WorstWait   int            `json:"worst_backlog"`     //
	Expired     int            `json:"expired"`           // items without an answer in 28 days
	Promoted    int            `json:"promoted"`          // without a person
	Judged      int            `json:"judged"`            // promotions old enough to judge
	Survival    *float64       `json:"survival"`          // share not deleted within 30 days; merged by a consolidation counts as kept
	StrictAlive *float64       `json:"survival_verbatim"` // share unchanged after 30 days
	PerRule     map[string]int `json:"per_rule"`
	Assumes     string         `json:"assumes"`
	Items       []DrainItem    `json:"-"`
}

// DrainWeek is one week of the stream.
type DrainWeek struct {
	Monday    string `json:"monday"`
	Proposals int    `json:"proposals"`
	Promoted  int    `json:"promoted"`
	Rejected  int    `json:"rejected"`
	Merged    int    `json:"merged"`
	Review    int    `json:"review"`
	Backlog   int    `json:"backlog"` // after the reviewer answered
}

// DrainItem is one verdict, for reading.
type DrainItem struct {
	Date    string `json:"date"`
	Title   string `json:"title"`
	Verdict string `json:"verdict"`
	Rule    string `json:"rule"`
	Reason  string `json:"reason"`
}

// historyCommit is a line of history.jsonl: one commit of a file of learnings.
type historyCommit struct {
	Date  time.Time `json:"date"`
	Note  string    `json:"note"`
	Added []struct {
		Title       string `json:"title"`
		Text        string `json:"text"`
		RenamedFrom string `json:"renamed_from"`
	} `json:"added"`
	Removed []struct {
		Title     string  `json:"title"`
		MovedTo   *string `json:"moved_to"`
		RenamedTo string  `json:"renamed_to"`
	} `json:"removed"`
}

const (
	survivalAge = 30 * 24 * time.Hour
	expiryAge   = 28 * 24 * time.Hour
	digestItems = 10
)

// Drain replays a history of real entries as a stream of proposals, each
// dated by its commit, and reports whether the queue drains. Entries that a
// consolidation wrote are not proposals: another worker makes those. A wipe, a
// restore and a reformat by the tool are no events of the project.
func Drain(path string, opts DrainOptions) (*DrainReport, error) {
	commits, err := ReadLines[historyCommit](path)
	if err != nil {
		return nil, fmt.Errorf("eval drain: %w", err)
	}
	if _, err := memory.ParseKind(string(opts.Kind)); err != nil {
		return nil, fmt.Errorf("eval drain: %w", err)
	}
	analyzer, err := wording.NewEmbeddingAnalyzer(opts.Embedder)
	if err != nil {
		return nil, fmt.Errorf("eval drain: %w", err)
	}
	r := &triageRun{lanes: map[string]*judge.Lane{}, policy: opts.Policy, analyzer: analyzer}
	lane, err := r.lane("history")
	if err != nil {
		return nil, fmt.Errorf("eval drain: %w", err)
	}
	if opts.Answers == 0 {
		opts.Answers = digestItems
	}
	d := drain{opts: opts, lane: lane, seen: map[string]bool{}, alias: map[string]string{}, gone: map[string]departure{},
		report: &DrainReport{Suite: "drain", PerRule: map[string]int{},
			Assumes: fmt.Sprintf("one reviewer who takes %d items every Monday and accepts them; undecided items expire after 28 days", opts.Answers)}}
	for _, c := range commits {
		d.commit(c)
	}
	d.finish()
	return d.report, nil
}

// departure is the way an entry left the file.
type departure struct {
	at      time.Time
	deleted bool // gone for good, not merged by a consolidation
}

type waiting struct {
	proposal memory.Proposal
	since    time.Time
}

type promotion struct {
	title string
	at    time.Time
}

type drain struct {
	opts       DrainOptions
	lane       *judge.Lane
	report     *DrainReport
	week       DrainWeek
	monday     time.Time
	ids        int
	now        time.Time
	seen       map[string]bool
	alias      map[string]string
	gone       map[string]departure
	queue      []waiting
	promotions []promotion
}

func (d *drain) commit(c historyCommit) {
	d.now = c.Date
	d.turnWeeks(c.Date)
	if c.Note == "wipe" || c.Note == "restore" {
		return
	}
	for _, e := range c.Removed {
		if e.Title == "" || e.RenamedTo != "" || c.Note == "reformat" || c.Note == "fold" {
			continue
		}
		d.gone[d.known(e.Title)] = departure{at: c.Date, deleted: e.MovedTo == nil && c.Note != "consolidation"}
	}
	for _, e := range c.Added {
		switch {
		case e.Title == "":
			d.report.Withheld++
		case e.RenamedFrom != "":
			d.alias[e.Title] = d.known(e.RenamedFrom)
		case d.seen[e.Title] || c.Note == "reformat" || c.Note == "fold" || c.Note == "consolidation":
			delete(d.gone, d.known(e.Title))
		default:
			d.seen[e.Title] = true
			d.propose(e.Title, e.Text)
		}
	}
}

func (d *drain) known(title string) string {
	if first, ok := d.alias[title]; ok {
		return first
	}
	return title
}

// turnWeeks advances Mondays up to now: the reviewer answers, old items expire.
func (d *drain) turnWeeks(now time.Time) {
	if d.monday.IsZero() {
		d.monday = mondayOf(now)
	}
	for !now.Before(d.monday.AddDate(0, 0, 7)) {
		d.closeWeek()
	}
}

func (d *drain) closeWeek() {
	next := d.monday.AddDate(0, 0, 7)
	for _, w := range d.queue[:min(len(d.queue), d.opts.Answers)] {
		d.answer(w, next)
	}
	d.queue = d.queue[min(len(d.queue), d.opts.Answers):]
	d.queue = slices.DeleteFunc(d.queue, func(w waiting) bool {
		old := next.Sub(w.since) > expiryAge
		if old {
			d.report.Expired++
			d.lane.Remove(w.proposal.ID)
		}
		return old
	})
	d.week.Monday, d.week.Backlog = d.monday.Format(time.DateOnly), len(d.queue)
	d.report.Weeks = append(d.report.Weeks, d.week)
	d.week, d.monday = DrainWeek{}, next
}

// answer promotes the items that the reviewer accepted.
func (d *drain) answer(w waiting, at time.Time) {
	p := w.proposal
	d.lane.Remove(p.ID)
	d.lane.Upsert(judge.EntryOfMemory(memory.Memory{
		ID: "mem_" + p.ID, Text: p.Text, Kind: p.Kind, Section: p.Section, Authority: memory.OriginHuman, ObservedAt: p.ObservedAt,
		CreatedAt: at, ProposalID: p.ID, SeenCount: p.SeenCount,
	}, nil))
}

func (d *drain) propose(title, text string) {
	d.ids++
	d.report.N++
	d.week.Proposals++
	p := memory.Proposal{
		ID: fmt.Sprintf("prop_%026d", d.ids), Tenant: memory.DefaultTenant, Scope: "project:history", Kind: d.opts.Kind, Title: title,
		Text: title + "\n\n" + text, Principal: "eval", Origin: memory.OriginAgent, Authority: memory.OriginAgent, ObservedAt: d.now, CreatedAt: d.now,
	}
	dec, out := d.lane.Judge(judge.Item{Proposal: p}, d.now)
	d.report.PerRule[dec.Rule]++
	d.report.Items = append(d.report.Items, DrainItem{Date: d.now.Format(time.DateOnly), Title: title, Verdict: string(dec.Verdict), Rule: dec.Rule, Reason: dec.Reason})
	for _, a := range out.Absorbed {
		d.queue = slices.DeleteFunc(d.queue, func(w waiting) bool { return w.proposal.ID == a.ProposalID })
	}
	switch dec.Verdict {
	case memory.VerdictPromoted:
		d.week.Promoted++
		d.promotions = append(d.promotions, promotion{title: d.known(title), at: d.now})
	case memory.VerdictMerged:
		d.week.Merged++
	case memory.VerdictNeedsReview:
		d.week.Review++
		d.queue = append(d.queue, waiting{proposal: out.Proposal, since: d.now})
	default:
		d.week.Rejected++
	}
}

func (d *drain) finish() {
	r := d.report
	d.closeWeek()
	r.Backlog = len(d.queue)
	total := 0
	for _, w := range r.Weeks {
		total += w.Review
		r.WorstWeek, r.WorstWait = max(r.WorstWeek, w.Review), max(r.WorstWait, w.Backlog)
	}
	r.PerWeek = float64(total) / float64(len(r.Weeks))
	kept, verbatim := 0, 0
	for _, p := range d.promotions {
		gone, left := d.gone[p.title]
		early := left && gone.at.Sub(p.at) <= survivalAge
		if !early && d.now.Sub(p.at) < survivalAge {
			continue // too young to tell
		}
		r.Judged++
		if !early {
			verbatim++
		}
		if !early || !gone.deleted {
			kept++
		}
	}
	r.Promoted = len(d.promotions)
	r.Survival, r.StrictAlive = ratio(kept, r.Judged), ratio(verbatim, r.Judged)
}

func mondayOf(t time.Time) time.Time {
	t = t.UTC().Truncate(24 * time.Hour)
	return t.AddDate(0, 0, -int((t.Weekday()+6)%7))
}

// Regressions compares with an earlier report: more work for a person than tolerance (in
// items a week) allows, a longer backlog, or fewer promotions that still stand.
func (r *DrainReport) Regressions(baseline *DrainReport, tolerance float64) []string {
	var out []string
	if r.PerWeek > baseline.PerWeek+tolerance {
		out = append(out, fmt.Sprintf("per_week rose from %.2f to %.2f", baseline.PerWeek, r.PerWeek))
	}
	if r.WorstWait > baseline.WorstWait {
		out = append(out, fmt.Sprintf("worst_backlog rose from %d to %d", baseline.WorstWait, r.WorstWait))
	}
	if before := baseline.Survival; before != nil && (r.Survival == nil || *r.Survival < *before-tolerance) {
		out = append(out, fmt.Sprintf("survival fell from %.3f to %s", *before, shown(r.Survival)))
	}
	return out
}

// shown returns a figure with three decimals, "none" for one without data.
func shown(f *float64) string {
	if f == nil {
		return "none"
	}
	return fmt.Sprintf("%.3f", *f)
}
