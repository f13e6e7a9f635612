package eval

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/winnowhq/winnow/services/internal/memory"
	"github.com/winnowhq/winnow/services/internal/session/extract"
	"github.com/winnowhq/winnow/services/internal/session/transcript"
)

// DistillReport is the output of `winnow eval distill --json`.
type DistillReport struct {
	Suite     string               `json:"suite"`
	Distiller string               `json:"distiller"` // rules-1, or the id of the model that was asked
	Prompt    string               `json:"prompt,omitempty"`
	Metrics   DistillMetrics       `json:"metrics"`
	Intervals map[string]*Interval `json:"intervals"`
	// Authorities counts the memories by authority.
	Authorities map[string]int     `json:"authorities"`
	Kinds       map[string]int     `json:"kinds"`
	Sessions    []DistilledSession `json:"sessions"`
	Unreadable  []UnreadableTrace  `json:"unreadable,omitempty"`
	// Lost lists what was taken out, and why.
	Lost  []LostText     `json:"lost,omitempty"`
	Items []*DistillItem `json:"-"`
}

// DistillMetrics are shares, 0–1, and counts. A share of no memories is 1: none
// of them is wrong.
type DistillMetrics struct {
	// Grounding is the share of memories all of whose names, paths, addresses and
	// numbers stand in their evidence, and all of whose evidence in the session.
	Grounding float64 `json:"grounding"`
	// SchemaValidity is the share of memories that have the form of S4.10.
	SchemaValidity float64 `json:"schema_validity"`
	Memories       int     `json:"memories_total"`
	// Given, Memories and Mended are the yield: the lessons that were drawn, those
	// that passed, and those among them that passed in the model's second version.
	Given        int `json:"lessons_given"`
	Mended       int `json:"lessons_mended"`
	Sessions     int `json:"sessions"`
	WithMemories int `json:"sessions_with_memories"`
	Most         int `json:"memories_of_one_session"` // the largest number
	Dropped      int `json:"ungrounded_dropped"`      // extractions without support in the session
	Sentences    int `json:"sentences_dropped"`       // of memories that passed
	Refused      int `json:"refused"`                 // memories of answers that were out of form or too many
	ByRules      int `json:"rules_instead_of_model"`  // sessions
	Secrets      int `json:"secrets_replaced"`
}

// DistilledSession is the result of one trace.
type DistilledSession struct {
	File     string `json:"file"`
	Format   string `json:"format"`
	Outcome  string `json:"outcome"`
	Turns    int    `json:"turns"`
	By       string `json:"by"`
	Memories int    `json:"memories"`
	Note     string `json:"note,omitempty"` // why rules stood in for the model
}

// LostText is a lesson, or a sentence of one, that its session does not bear out.
type LostText struct {
	File   string `json:"file"`
	Whole  bool   `json:"whole"` // the lesson was dropped
	Text   string `json:"text"`
	Reason string `json:"reason"`
	Claim  string `json:"claim,omitempty"` // the name, path or number that was the reason
}

// UnreadableTrace is a file that is no trace.
type UnreadableTrace struct {
	File string `json:"file"`
	Why  string `json:"why"`
}

// add adds the result of one session.
func (r *DistillReport) add(name string, s extract.Session, secrets int, l learnt, list []extract.Proposal) {
	r.Sessions = append(r.Sessions, DistilledSession{
		File: name, Format: s.Format, Outcome: s.Outcome, Turns: len(s.Lines), By: l.by, Memories: len(list), Note: l.note,
	})
	m := &r.Metrics
	m.Refused += l.refused
	m.Secrets += secrets
	m.Given += l.given
	m.Mended += l.mended
	if l.note != "" {
		m.ByRules++
	}
	for _, d := range l.dropped {
		if d.Whole() {
			m.Dropped++
		} else {
			m.Sentences++
		}
		text := d.Sentence
		if d.Whole() {
			text = d.Extraction.Text
		}
		r.Lost = append(r.Lost, LostText{File: name, Whole: d.Whole(), Text: text, Reason: string(d.Reason), Claim: d.Claim})
	}
	for _, p := range list {
		r.Items = append(r.Items, &DistillItem{
			ID: fmt.Sprintf("%s#%d", name, p.N), Session: name, By: l.by, Extraction: p.Extraction, Authority: p.Authority,
			Missing: missing(s, p.Extraction), Faults: faults(p.Extraction),
		})
	}
}

// score computes the metrics.
func (r *DistillReport) score() {
	m := &r.Metrics
	groups := make([][]*DistillItem, 0, len(r.Sessions))
	r.Authorities, r.Kinds = map[string]int{}, map[string]int{}
	for _, s := range r.Sessions {
		var group []*DistillItem
		for _, item := range r.Items {
			if item.Session == s.File {
				group = append(group, item)
			}
		}
		groups = append(groups, group)
		m.Most = max(m.Most, s.Memories)
		if s.Memories > 0 {
			m.WithMemories++
		}
	}
	for _, item := range r.Items {
		r.Authorities[item.Authority.String()]++
		r.Kinds[string(item.Kind)]++
	}
	m.Sessions, m.Memories = len(r.Sessions), len(r.Items)
	m.Grounding, _ = holding(r.Items, (*DistillItem).grounded)
	m.SchemaValidity, _ = holding(r.Items, (*DistillItem).valid)
	r.Intervals = map[string]*Interval{
		"grounding":       bootstrap(groups, func(list []*DistillItem) (float64, bool) { return holding(list, (*DistillItem).grounded) }),
		"schema_validity": bootstrap(groups, func(list []*DistillItem) (float64, bool) { return holding(list, (*DistillItem).valid) }),
	}
}

func (i *DistillItem) grounded() bool { return len(i.Missing) == 0 }
func (i *DistillItem) valid() bool    { return len(i.Faults) == 0 }

// holding returns the share of the items for which a condition holds; ok is false
// without items.
func holding(list []*DistillItem, holds func(*DistillItem) bool) (v float64, ok bool) {
	if len(list) == 0 {
		return 1, false
	}
	n := 0
	for _, item := range list {
		if holds(item) {
			n++
		}
	}
	return float64(n) / float64(len(list)), true
}

// details returns the parts of a text that must not be invented: code, addresses,
// paths, names with a dot, an underscore or a hump, and numbers. It is a different
// method from that of grounding, so that one checks the other.
var details = regexp.MustCompile("`[^`\n]+`" + `|https?://[^\s)"”]+|[\w.~-]*/[\w./-]*\w|\b\w+(?:\.\w+)+\b|\b\w*_\w+\b|\b\p{Ll}+\p{Lu}\w*\b|\d+(?:[.,:]\d+)*`)

// abbreviations are no details.
var abbreviations = regexp.MustCompile(`^(?i:e\.g|i\.e|z\.b|d\.h|u\.a)$`)

// missing returns the details of a memory that its evidence lacks, and the quotations
// that the session lacks.
func missing(s extract.Session, e extract.Extraction) []string {
	var list []string
	var said strings.Builder
	for _, q := range e.Evidence {
		if q.Turn < 1 || !slices.ContainsFunc(s.Lines, func(l transcript.Line) bool { return l.N == q.Turn && strings.Contains(l.Text, q.Text) }) {
			list = append(list, q.Text)
		}
		said.WriteString(q.Text + "\n")
	}
	evidence := strings.Join(strings.Fields(said.String()), " ")
	text := e.Title + "\n" + e.Description + "\n" + e.Text
	for _, d := range details.FindAllString(text, -1) {
		d = strings.Join(strings.Fields(strings.Trim(d, "`.,")), " ")
		// What follows from the evidence without standing in it is a matter of
		// rules, and those of grounding are the only ones there are.
		if !abbreviations.MatchString(d) && !strings.Contains(evidence, d) && !slices.Contains(list, d) && !extract.Explained(e.Evidence, d, text) {
			list = append(list, d)
		}
	}
	return list
}

// faults returns the violations of the form (S4.10).
func faults(e extract.Extraction) []string {
	var list []string
	check := func(ok bool, what string) {
		if !ok {
			list = append(list, what)
		}
	}
	strategy := e.Kind == memory.KindStrategy
	check(strategy || slices.Contains([]memory.Kind{memory.KindFact, memory.KindPreference, memory.KindConvention, memory.KindDecision}, e.Kind), "kind")
	check(strategy == (e.Title != "") && utf8.RuneCountInString(e.Title) <= extract.MaxTitle, "title")
	check(strategy == (e.Description != "") && utf8.RuneCountInString(e.Description) <= extract.MaxDescription, "description")
	check(strings.TrimSpace(e.Text) != "" && utf8.RuneCountInString(e.Text) <= extract.MaxContent, "content")
	check(e.Outcome == "" || strategy && (e.Outcome == "success" || e.Outcome == "failure"), "outcome")
	check(strategy == (e.Confidence > 0) && e.Confidence <= 0.8, "confidence")
	check(len(e.Evidence) > 0, "evidence")
	return list
}

// Regressions compares with an earlier report and lists the figures that fell by
// more than tolerance (0–1).
func (r *DistillReport) Regressions(baseline *DistillReport, tolerance float64) []string {
	of := func(m DistillMetrics) map[string]float64 {
		return map[string]float64{"grounding": m.Grounding, "schema_validity": m.SchemaValidity, "memories_total": float64(m.Memories)}
	}
	return fallen(of(r.Metrics), of(baseline.Metrics), tolerance)
}
