package survival

import (
	"fmt"
	"math/rand/v2"
	"time"

	"github.com/winnowhq/winnow/services/internal/judge"
	"github.com/winnowhq/winnow/services/internal/judge/wording"
	"github.com/winnowhq/winnow/services/internal/memory"
)

// JunkReport is what a month of a careless publisher leaves in a store that no person
// looks after.
type JunkReport struct {
	Days        int     `json:"days"`
	Proposals   int     `json:"proposals"`
	JunkOffered float64 `json:"junk_offered"` // share of the proposals
	Active      int     `json:"active"`       // memories at the end
	JunkActive  int     `json:"junk_active"`
	JunkShare   float64 `json:"junk_share"`   // of the active memories, at most 0.10
	WorstShare  float64 `json:"worst_share"`  // of any day from the fourth on
	Facts       int     `json:"facts"`        // different facts that were sent
	FactsStored float64 `json:"facts_stored"` // share of them that an active memory states

	PerClass map[string]JunkClass `json:"per_class"`
	Series   []JunkDay            `json:"series"`
}

// JunkClass is what became of the proposals of one class.
type JunkClass struct {
	Proposals int `json:"proposals"`
	Promoted  int `json:"promoted"`
	Review    int `json:"review"`  // waiting for a person, or quarantined
	Dropped   int `json:"dropped"` // rejected, or counted as a repeat
}

// JunkDay is the store at the end of a day.
type JunkDay struct {
	Day     int     `json:"day"`
	Offered float64 `json:"offered"` // share of junk in the day's proposals
	Active  int     `json:"active"`
	Share   float64 `json:"share"` // of junk in the active memories
}

const monthScope = memory.Scope("project:month")

var monthStart = time.Date(2026, 1, 1, 0, 0, 0, 0, time.UTC)

type month struct {
	lane   *judge.Lane
	active map[string]sent // by memory
	served []judge.Entry
	facts  map[string]bool
	ids    int
	report *JunkReport
}

func simulateMonth(o Options) (*JunkReport, error) {
	analyzer, err := wording.NewEmbeddingAnalyzer(o.Embedder)
	if err != nil {
		return nil, err
	}
	policy, _, err := judge.ShippedPolicy(judge.DefaultPolicyName(memory.ScopeProject))
	if err != nil {
		return nil, err
	}
	ids := 0
	lane := judge.NewLane(judge.LaneConfig{
		Tenant: memory.DefaultTenant, Scope: monthScope, Policy: policy, Similarity: judge.SimilarityOf(analyzer), Analyzer: analyzer,
		NewID: func(prefix string) string { ids++; return fmt.Sprintf("%s%026d", prefix, ids) },
	})
	lane.SetRetired(retiredTools)
	boot := memory.BootFile{ID: "boot", Name: "AGENTS.md"}
	for _, line := range bootLines {
		boot.Text += line + "\n"
	}
	lane.SetBoot([]memory.BootFile{boot})
	m := &month{
		lane: lane, active: map[string]sent{}, facts: map[string]bool{},
		report: &JunkReport{Days: o.Days, PerClass: map[string]JunkClass{}},
	}
	p := &publisher{rng: rand.New(rand.NewPCG(o.Seed, 3))}
	junk := 0
	for d := range o.Days {
		day := monthStart.AddDate(0, 0, d)
		sent := p.day(day)
		offered := 0
		for i, s := range sent {
			if s.class != classFact {
				offered++
			}
			m.propose(s, day.Add(time.Duration(i)*time.Minute))
		}
		junk += offered
		m.close(d+1, float64(offered)/float64(len(sent)))
	}
	m.finish(junk)
	return m.report, nil
}

// propose sends one text through triage, as the pipeline does.
func (m *month) propose(s sent, at time.Time) {
	m.ids++
	m.report.Proposals++
	item := judge.Item{Proposal: memory.Proposal{
		ID: fmt.Sprintf("prop_%026d", m.ids), Tenant: memory.DefaultTenant, Scope: monthScope, Text: s.text,
		Principal: "simulated", SessionID: fmt.Sprintf("s%d", m.ids), Origin: s.origin, Authority: s.origin, CreatedAt: at,
	}}
	if s.echo {
		item.Served = m.served
	}
	d, out := m.lane.Judge(item, at)
	c := m.report.PerClass[string(s.class)]
	c.Proposals++
	switch d.Verdict {
	case memory.VerdictPromoted:
		c.Promoted++
	case memory.VerdictNeedsReview, memory.VerdictQuarantined:
		c.Review++
	default:
		c.Dropped++
	}
	m.report.PerClass[string(s.class)] = c
	for _, a := range out.Archived {
		delete(m.active, a.ID)
	}
	if s.fact != "" {
		m.facts[s.fact] = true
	}
	if out.Memory == nil {
		return
	}
	// A repeat that superseded what it repeats stands for the fact now, and is one row.
	if s.fact != "" && !m.states(s.fact) {
		s.class = classFact
	}
	m.active[out.Memory.ID] = s
	m.served = append(m.served[max(0, len(m.served)-9):], judge.EntryOfMemory(*out.Memory, nil))
}

// states reports whether an active memory states a fact.
func (m *month) states(fact string) bool {
	for _, s := range m.active {
		if s.fact == fact {
			return true
		}
	}
	return false
}

func (m *month) junk() int {
	n := 0
	for _, s := range m.active {
		if s.class != classFact {
			n++
		}
	}
	return n
}

func (m *month) close(day int, offered float64) {
	row := JunkDay{Day: day, Offered: offered, Active: len(m.active), Share: float64(m.junk()) / float64(max(len(m.active), 1))}
	m.report.Series = append(m.report.Series, row)
	if day > 3 {
		m.report.WorstShare = max(m.report.WorstShare, row.Share)
	}
}

func (m *month) finish(junk int) {
	r := m.report
	r.JunkOffered = float64(junk) / float64(max(r.Proposals, 1))
	r.Active, r.JunkActive = len(m.active), m.junk()
	r.JunkShare = float64(r.JunkActive) / float64(max(r.Active, 1))
	r.Facts = len(m.facts)
	stored := 0
	for fact := range m.facts {
		if m.states(fact) {
			stored++
		}
	}
	r.FactsStored = float64(stored) / float64(max(r.Facts, 1))
}
