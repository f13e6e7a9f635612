package eval

import (
	"fmt"
	"regexp"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/winnowhq/winnow/services/internal/consolidation"
	"github.com/winnowhq/winnow/services/internal/consolidation/merge"
)

// ConsolidationReport is the output of `winnow eval consolidation --json`.
type ConsolidationReport struct {
	Suite     string  `json:"suite"`
	By        string  `json:"by"` // concatenation, or the id of the model that was asked
	Prompt    string  `json:"prompt,omitempty"`
	Embedder  string  `json:"embedder"`
	Threshold float64 `json:"threshold"` // above which the planner sees one theme
	// OutOfTime says that the model had not answered everything within its time.
	OutOfTime bool                 `json:"out_of_time,omitempty"`
	Metrics   ConsolidationMetrics `json:"metrics"`
	// Parts are the figures with the groups given, and from scratch.
	Parts     map[string]ConsolidationPart `json:"parts"`
	Counts    ConsolidationCounts          `json:"counts"`
	Intervals map[string]*Interval         `json:"intervals"`
	Items     []*ConsolidationItem         `json:"-"`

	asked      []askedOnce
	right, all int // pairs of the planner that people merged, and all of them
	labelled   int // pairs that people merged
}

// askedOnce is one question before or after the merges.
type askedOnce struct {
	part  string
	after bool
	found float64
}

// ConsolidationMetrics are shares, 0–1, and counts, over both parts together.
type ConsolidationMetrics struct {
	// SpecificsKept is the share of the sources' details that stand in the merged text,
	// or whose search has it among the first ten, because the archived source leads to
	// it. SpecificsInText counts the first alone.
	SpecificsKept   float64 `json:"specifics_kept"`
	SpecificsInText float64 `json:"specifics_in_text"`
	// Invented counts details of merged texts that no source has, Altered the sentences
	// that differ from a source's in a number or a negation.
	Invented int `json:"invented"`
	Altered  int `json:"altered"`
	// Compression is the mean length of a merged text by that of its sources, of the
	// given groups.
	Compression float64 `json:"compression"`
	// Pairwise figures are those of the planner's groups, from scratch.
	PairwisePrecision    float64 `json:"pairwise_precision"`
	PairwiseRecall       float64 `json:"pairwise_recall"`
	PairwiseF1           float64 `json:"pairwise_f1"`
	ContradictionsMerged int     `json:"contradictions_merged"`
	SiblingsMerged       int     `json:"siblings_merged"`
	Recall10Before       float64 `json:"recall_at_10_before"`
	Recall10After        float64 `json:"recall_at_10_after"`
	RestoreEqual         bool    `json:"restore_equal"`
}

// ConsolidationPart are the figures of one part.
type ConsolidationPart struct {
	Groups          int     `json:"groups"`
	Merged          int     `json:"merged"`
	Refused         int     `json:"refused"`
	Specifics       int     `json:"specifics"`
	SpecificsKept   float64 `json:"specifics_kept"`
	SpecificsInText float64 `json:"specifics_in_text"`
	Invented        int     `json:"invented"`
	Altered         int     `json:"altered"`
	Compression     float64 `json:"compression"`
	Questions       int     `json:"questions"`
	Recall10Before  float64 `json:"recall_at_10_before"`
	Recall10After   float64 `json:"recall_at_10_after"`
	Repaired        int     `json:"repaired"`
	Fallback        int     `json:"fallback"` // a model's text failed
	Dropped         int     `json:"dropped"`  // sentences that the gate left out
}

// ConsolidationCounts are the probes and how they went.
type ConsolidationCounts struct {
	Contradictions    int            `json:"contradictions"`
	Siblings          int            `json:"siblings"`
	Injections        int            `json:"injections"`
	InjectionsCarried int            `json:"injections_carried"`
	Rules             map[string]int `json:"dropped_by_rule"`
	// Failed names the probes that went wrong, at most twenty.
	Failed []string `json:"failed,omitempty"`
}

// failed counts a probe that went wrong.
func (c *ConsolidationCounts) failed(n *int, name string) {
	*n++
	if len(c.Failed) < 20 {
		c.Failed = append(c.Failed, name)
	}
}

// listMark is the mark of an entry in a list, which is no detail.
var listMark = regexp.MustCompile(`(?m)(^|\s)(1?\d[.)]|-)(\s|$)`)

// fenceMark is a fence of a block, whose backticks are no span of code.
var fenceMark = regexp.MustCompile("```[a-z]*")

// plainOf returns a text in lower case with single blanks and without list marks, so
// that breaking lines anew changes nothing.
func plainOf(text string) string {
	return strings.ToLower(strings.Join(strings.Fields(listMark.ReplaceAllString(fenceMark.ReplaceAllString(text, " "), " ")), " "))
}

// detailsIn returns the details of a text, each once, without markup.
func detailsIn(text string) []string {
	var out []string
	for _, d := range details.FindAllString(plainOf(text), -1) {
		// A span of code of many words is two stray backticks with text between them,
		// and one of signs alone cannot be searched for.
		d = strings.Trim(d, "`.,: ")
		if len(strings.Fields(d)) > 6 || wordRune.FindAllString(d, 2) == nil && numbers.FindString(d) != d {
			continue
		}
		if d != "" && !slices.Contains(out, d) {
			out = append(out, d)
		}
	}
	return out
}

// specificsOf returns the details of the sources' texts, by another method than that of
// the merge, so that one checks the other.
func specificsOf(sources []merge.Source) []string {
	var out []string
	for i := range sources {
		out = append(out, detailsIn(sources[i].Text)...)
	}
	slices.Sort(out)
	return slices.Compact(out)
}

// stands reports whether a text has a detail, with no letter or digit beside it.
func stands(text, detail string) bool {
	return regexp.MustCompile(`(^|[^\p{L}\p{N}])` + regexp.QuoteMeta(detail) + `($|[^\p{L}\p{N}])`).MatchString(text)
}

// lacking returns the details of a list that a text does not have.
func lacking(text string, list []string) []string {
	plain, own := plainOf(text), detailsIn(text)
	return slices.DeleteFunc(slices.Clone(list), func(d string) bool { return slices.Contains(own, d) || stands(plain, d) })
}

// frame are the lines that the merge itself writes.
var frame = regexp.MustCompile(`(?m)^(## Consolidated from \d+ memories|Details kept:)$`)

// measure computes what does not need a search.
func (item *ConsolidationItem) measure(sources []merge.Source) {
	said, length := "", 0
	for i := range sources {
		s := &sources[i]
		said += s.Title + "\n" + s.Description + "\n" + s.Text + "\n" + strings.Join(s.Tags, " ") + "\n"
		length += utf8.RuneCountInString(strings.TrimSpace(s.Text))
	}
	text := frame.ReplaceAllString(item.Title+"\n"+item.Text, "")
	item.Redirected = lacking(text, specificsOf(sources))
	item.Invented = lacking(said, detailsIn(text))
	plain := plainOf(said)
	for _, w := range properName.FindAllStringSubmatch(text, -1) {
		if !strings.Contains(plain, strings.ToLower(w[1])) && !germanText.MatchString(plain) {
			item.Invented = append(item.Invented, w[1])
		}
	}
	item.Altered = altered(text, sources)
	item.Compression = float64(utf8.RuneCountInString(item.Text)) / float64(max(length, 1))
}

var (
	// properName is a word with a capital letter inside a sentence.
	properName = regexp.MustCompile(`[\p{Ll},] (\p{Lu}\p{Ll}{2,})`)
	germanText = regexp.MustCompile(`\b(und|nicht|wird|wurde)\b`)
	denials    = regexp.MustCompile(`(?i)\b(not|no|never|none|without|cannot|nicht|nie|kein\w*|ohne)\b|n't\b`)
	numbers    = regexp.MustCompile(`\d+(?:[.,:]\d+)*`)
	wordRune   = regexp.MustCompile(`[\p{L}\p{N}]{2}`)
	plainWord  = regexp.MustCompile(`[\p{L}\p{N}_]+`)
)

// altered returns the sentences that have the words of a source's sentence and another
// number, or one denial more or less, and that no source has as they are.
func altered(text string, sources []merge.Source) []string {
	type shape struct {
		words   string
		values  string
		denials int
	}
	shapeOf := func(s string) shape {
		low := plainOf(s)
		var words []string
		for _, w := range plainWord.FindAllString(denials.ReplaceAllString(low, " "), -1) {
			if w[0] < '0' || w[0] > '9' {
				words = append(words, w)
			}
		}
		slices.Sort(words)
		values := numbers.FindAllString(low, -1)
		slices.Sort(values)
		return shape{strings.Join(words, " "), strings.Join(values, " "), len(denials.FindAllString(low, -1))}
	}
	have := map[shape]bool{}
	words := map[string]bool{}
	for i := range sources {
		for _, s := range sentencesOf(sources[i].Text) {
			sh := shapeOf(s)
			have[sh], words[sh.words] = true, true
		}
	}
	var out []string
	for _, s := range sentencesOf(text) {
		if sh := shapeOf(s); len(strings.Fields(sh.words)) >= 3 && words[sh.words] && !have[sh] {
			out = append(out, s)
		}
	}
	return out
}

// pairs compares the planner's groups with the labelled ones.
func (r *ConsolidationReport) pairs(d *consolidationData, pool []string, plan consolidation.Plan) {
	found := map[string]int{}
	for n, g := range plan.Groups {
		for _, id := range g.Sources() {
			found[id] = n + 1
		}
	}
	for i, a := range pool {
		ga, la := d.lineage(a)
		for _, b := range pool[:i] {
			gb, lb := d.lineage(b)
			same := ga != "" && ga == gb
			if !same && la != "" && la == lb {
				continue
			}
			together := found[a] != 0 && found[a] == found[b]
			if same {
				r.labelled++
			}
			if together {
				r.all++
				if same {
					r.right++
				}
			}
		}
	}
}

// score computes the metrics.
func (r *ConsolidationReport) score() {
	r.Parts = map[string]ConsolidationPart{}
	r.Counts.Rules = map[string]int{}
	m := &r.Metrics
	m.RestoreEqual = true
	var total ConsolidationPart
	for _, name := range []string{"given", "scratch"} {
		p := r.part(name)
		r.Parts[name] = p
		total.Specifics += p.Specifics
		total.SpecificsKept += p.SpecificsKept * float64(p.Specifics)
		total.SpecificsInText += p.SpecificsInText * float64(p.Specifics)
		total.Questions += p.Questions
		total.Recall10Before += p.Recall10Before * float64(p.Questions)
		total.Recall10After += p.Recall10After * float64(p.Questions)
		m.Invented += p.Invented
		m.Altered += p.Altered
	}
	if total.Specifics > 0 {
		m.SpecificsKept, m.SpecificsInText = total.SpecificsKept/float64(total.Specifics), total.SpecificsInText/float64(total.Specifics)
	}
	if total.Questions > 0 {
		m.Recall10Before, m.Recall10After = total.Recall10Before/float64(total.Questions), total.Recall10After/float64(total.Questions)
	}
	m.Compression = r.Parts["given"].Compression
	m.PairwisePrecision, m.PairwiseRecall = share(r.right, r.all), share(r.right, r.labelled)
	m.PairwiseF1 = harmonic(m.PairwisePrecision, m.PairwiseRecall)
	var groups [][]*ConsolidationItem
	for _, item := range r.Items {
		m.RestoreEqual = m.RestoreEqual && item.Restored
		for _, f := range item.Dropped {
			r.Counts.Rules[f.Rule]++
		}
		if item.Part == "given" && item.Refused == "" {
			groups = append(groups, []*ConsolidationItem{item})
		}
	}
	r.Intervals = map[string]*Interval{
		"specifics_in_text": bootstrap(groups, func(list []*ConsolidationItem) (float64, bool) { return keptShare(list, false) }),
		"compression":       bootstrap(groups, meanCompression),
	}
}

// part computes the figures of one part.
func (r *ConsolidationReport) part(name string) ConsolidationPart {
	var p ConsolidationPart
	var merged []*ConsolidationItem
	for _, item := range r.Items {
		if item.Part != name {
			continue
		}
		p.Groups++
		if item.Refused != "" {
			p.Refused++
			continue
		}
		merged = append(merged, item)
		p.Merged++
		p.Specifics += item.Specifics
		p.Invented += len(item.Invented)
		p.Altered += len(item.Altered)
		p.Dropped += len(item.Dropped)
		if item.Repaired {
			p.Repaired++
		}
		if item.Fallback {
			p.Fallback++
		}
	}
	p.SpecificsKept, _ = keptShare(merged, true)
	p.SpecificsInText, _ = keptShare(merged, false)
	p.Compression, _ = meanCompression(merged)
	before, after := 0, 0
	for _, a := range r.asked {
		switch {
		case a.part != name:
		case a.after:
			after++
			p.Recall10After += a.found
		default:
			before++
			p.Recall10Before += a.found
		}
	}
	p.Questions = before
	p.Recall10Before /= float64(max(before, 1))
	p.Recall10After /= float64(max(after, 1))
	return p
}

// keptShare returns the share of details that the merged texts have, or with findable,
// that a search finds as well.
func keptShare(list []*ConsolidationItem, findable bool) (float64, bool) {
	all, lost := 0, 0
	for _, item := range list {
		all += item.Specifics
		if findable {
			lost += len(item.Unfindable)
		} else {
			lost += len(item.Redirected)
		}
	}
	if all == 0 {
		return 1, false
	}
	return 1 - float64(lost)/float64(all), true
}

func meanCompression(list []*ConsolidationItem) (float64, bool) {
	sum := 0.0
	for _, item := range list {
		sum += item.Compression
	}
	return sum / float64(max(len(list), 1)), len(list) > 0
}

// Regressions compares with an earlier report and lists the figures that fell by more
// than tolerance (0–1). What must be none may not rise at all.
func (r *ConsolidationReport) Regressions(baseline *ConsolidationReport, tolerance float64) []string {
	var fell []string
	now, then := r.Metrics, baseline.Metrics
	for _, f := range []struct {
		name      string
		now, then float64
	}{
		{"specifics_kept", now.SpecificsKept, then.SpecificsKept}, {"specifics_in_text", now.SpecificsInText, then.SpecificsInText},
		{"compression", -now.Compression, -then.Compression}, {"pairwise_f1", now.PairwiseF1, then.PairwiseF1},
		{"recall_at_10_after", now.Recall10After, then.Recall10After},
	} {
		if f.now < f.then-tolerance {
			fell = append(fell, fmt.Sprintf("%s %.3f → %.3f", f.name, f.then, f.now))
		}
	}
	for _, f := range []struct {
		name      string
		now, then int
	}{
		{"invented", now.Invented, then.Invented}, {"altered", now.Altered, then.Altered},
		{"contradictions_merged", now.ContradictionsMerged, then.ContradictionsMerged}, {"siblings_merged", now.SiblingsMerged, then.SiblingsMerged},
		{"injections_carried", r.Counts.InjectionsCarried, baseline.Counts.InjectionsCarried},
	} {
		if f.now > f.then {
			fell = append(fell, fmt.Sprintf("%s %d → %d", f.name, f.then, f.now))
		}
	}
	if then.RestoreEqual && !now.RestoreEqual {
		fell = append(fell, "restore_equal true → false")
	}
	return fell
}
