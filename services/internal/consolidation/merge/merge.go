package merge

import (
	"cmp"
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/winnowhq/winnow/services/internal/memory"
)

// Source is one memory of a cluster.
type Source struct {
	memory.Memory
	Usage int // how often it was served, 0 or more
}

// Ask asks a model one question and returns its answer. An error that wraps
// [ErrNoAnswer] makes [Merge] join the sources' own sentences instead; any other
// error is returned by Merge unchanged, so that the caller may try again later.
type Ask func(ctx context.Context, system, user string) (string, error)

// ErrNoAnswer is for an [Ask] that will not be answered by trying again: the model
// declined, or was unavailable for too long.
var ErrNoAnswer = errors.New("the model gave no answer")

// The modes of the gate.
const (
	GateEnforce = "enforce" // sentences that fail are dropped
	GateWarn    = "warn"    // sentences that fail stay and are reported
)

// By of a text that no model wrote.
const ByConcatenation = "concatenation"

// DefaultMaxRatio is the share of its sources' length up to which a merged text is
// filled with what it lacks (D12). Sources of about 100 tokens together are not cut.
const DefaultMaxRatio = 0.60

// Options say how a merged text is written. The zero value enforces the gate and
// detects the language.
type Options struct {
	Gate     string  // GateEnforce or GateWarn; empty is enforce
	Language string  // "en" or "de" of the prompt; empty: by the sources
	MaxRatio float64 // 0–1; 0 is DefaultMaxRatio, and all of short sources
	// Model is the id of the model behind the Ask; it becomes [Merged.By].
	Model string
	// Achieved says that one source is a goal and another one says that it was reached
	// (S1.8). The goal's obligations may then be missing in the text, and the two are not
	// held against each other as two wordings of one statement; values still are.
	Achieved bool
	// Nonce is the word of the fence around the sources in the prompt: 16 or more
	// letters and digits that no author of a memory can know. Empty derives it from
	// all sources together, which an author of one of them cannot know either.
	Nonce string
}

// Merged is the text that replaces the sources, and how it came about.
type Merged struct {
	Title       string
	Description string // how many sources, from when, and what they were called (S4.51, S4.90)
	Text        string
	Tags        []string // union of the sources' tags, and those of the model that the sources' words bear out
	Outcome     string   // of the sources, which all have the same
	Importance  int      // the highest of the sources (S0.58)
	Confidence  float64  // see Confidence
	By          string   // Options.Model, or ByConcatenation

	Kept       []string  // sentences of sources, verbatim, under "Details kept"
	Redirected []string  // specifics that only the archived sources have
	Dropped    []Finding // what the gate found, in the order of the text
	Repaired   bool      // the model was asked a second time
	Fallback   bool      // the model's text failed, so the sources were joined
}

// Finding is a sentence that the gate dropped, or let pass under GateWarn.
type Finding struct {
	Sentence string `json:"sentence"`
	Rule     string `json:"rule"` // one of the Rule constants
	Detail   string `json:"detail"`
}

// Why a merge was refused.
const (
	RefusedConflict = "conflict" // two sources contradict each other
	RefusedSubject  = "subject"  // two sources are about different things
	RefusedMixed    = "mixed"    // scope, outcome or kind differ
	RefusedNothing  = "nothing"  // fewer than two sources, or nothing in them
)

// Refusal is the error of sources that must not become one text. Use errors.As.
type Refusal struct {
	Code   string   // one of the Refused constants
	IDs    []string // the two memories that it is about; empty when it is about all
	Reason string   // one sentence for people, without the memories' text
	Detail string   // what differs, quoting the memories
}

func (r *Refusal) Error() string { return r.Reason }

// Merge returns the text that replaces the sources. It asks at most three times: once,
// once more when the answer has not the agreed form, and once more when the gate found
// something missing or wrong. A nil ask joins the sources' own sentences. The order of
// the sources does not matter.
//
// The error is a *[Refusal], the context's, or that of ask.
func Merge(ctx context.Context, sources []Source, ask Ask, o Options) (Merged, error) {
	c := shared.read(sources)
	if r := c.refuse(); r != nil {
		return Merged{}, r
	}
	var m Merged
	c.label(&m)
	if ask == nil || c.length > maxAsked {
		m.Fallback = ask != nil
		c.join(&m, o)
		return m, ctx.Err()
	}
	q := asking{corpus: c, ask: ask, o: o}
	switch good, err := q.write(ctx, &m); {
	case errors.Is(err, ErrNoAnswer), err == nil && !good:
		m.Fallback = true
		c.join(&m, o)
	case err != nil:
		return Merged{}, err
	}
	return m, nil
}

// maxAsked is the length in runes of sources that a model is shown, about 24,000
// tokens. Longer ones are joined without it.
const maxAsked = 96_000

// join writes the text without a model. Its sentences are the sources' own, letter by
// letter, so that nothing in it can be invented or altered; those that give orders are
// left out here as well.
func (c *corpus) join(m *Merged, o Options) {
	text, dropped := c.concatenate(o)
	m.Text, m.By = text, ByConcatenation
	m.Dropped = append(m.Dropped, dropped...)
	c.complete(m, o)
}

// complete appends what the text lacks while there is room, and names the rest.
func (c *corpus) complete(m *Merged, o Options) {
	lack := c.lacks(c.saidBy(m.Title, m.Text))
	m.Text, m.Kept, m.Redirected = c.keep(m.Text, lack, c.room(o))
}

// asking is one merge by a model.
type asking struct {
	*corpus
	ask Ask
	o   Options
}

// draft is an answer after the gate.
type draft struct {
	Answer
	judged
	whole  []Finding // what is wrong with the text as a whole
	faults []string  // for the second question
	lacks  int       // details that it does not have
}

// write asks the model. It reports whether the answer is good enough to stand.
func (q *asking) write(ctx context.Context, m *Merged) (bool, error) {
	system, user := q.prompt(q.o)
	text, err := q.ask(ctx, system, user)
	if err != nil {
		return false, err
	}
	d, err := q.read(text)
	if err != nil {
		m.Repaired = true
		if text, err = q.ask(ctx, system, q.again(user, text, []string{err.Error()}, q.o)); err != nil {
			return false, err
		}
		if d, err = q.read(text); err != nil {
			m.Dropped = append(m.Dropped, Finding{Rule: RuleForm, Detail: err.Error()})
			return false, nil //nolint:nilerr // an answer in no form is a finding: the sources' own sentences stand in
		}
	}
	if len(d.faults) > 0 {
		m.Repaired = true
		second, err := q.ask(ctx, system, q.again(user, text, d.faults, q.o))
		if err != nil && !errors.Is(err, ErrNoAnswer) {
			return false, err
		}
		if err == nil {
			// A second answer that is worse than the first one helps nobody.
			if again, err := q.read(second); err == nil && again.better(d) {
				d = again
			}
		}
	}
	return q.accept(m, d), nil
}

// accept fills m with the answer where it is good enough to stand.
func (q *asking) accept(m *Merged, d *draft) bool {
	m.Dropped = append(m.Dropped, d.findings...)
	m.Dropped = append(m.Dropped, d.whole...)
	if len(d.whole) > 0 || d.text == "" || q.o.Gate != GateWarn && 2*len(d.findings) > d.units {
		return false
	}
	m.Text, m.By = d.text, q.o.Model
	if m.By == "" {
		m.By = "model"
	}
	before := *m
	q.titled(m, d.Answer)
	q.complete(m, q.o)
	if q.o.Gate == GateWarn {
		return true
	}
	if why := q.wanting(m); why != "" {
		*m = before
		m.Dropped = append(m.Dropped, Finding{Rule: RuleThin, Detail: why})
		return false
	}
	return true
}

// wanting returns why a text leaves out too much, or "". What a text given to [Check]
// leaves out is looked at for its details alone: whoever wrote it chose what matters.
func (q *asking) wanting(m *Merged) string {
	if q.ask != nil && q.short(q.o) {
		if len(m.Redirected) > 0 {
			return "it leaves out details although short notes have room for all"
		}
		if s := q.forgets(m); s != "" {
			return fmt.Sprintf("it leaves out %q although short notes have room for all", s)
		}
	}
	if q.thin(m) {
		return "it leaves out more details than the sources' own sentences of that length"
	}
	return ""
}

// thinShare is the share of the sources' details above which a text may not leave them
// to the archived sources, when their own sentences would not.
const thinShare = 0.20

// thin reports whether a text leaves out many details although there is room for them.
func (q *asking) thin(m *Merged) bool {
	all := len(q.details())
	if float64(len(m.Redirected)) <= thinShare*float64(all) {
		return false
	}
	var joined Merged
	q.join(&joined, q.o)
	return len(joined.Redirected) < len(m.Redirected)
}

// better reports whether d is to be preferred to the answer before it.
func (d *draft) better(before *draft) bool {
	return cmp.Or(
		cmp.Compare(len(d.whole), len(before.whole)),
		cmp.Compare(len(d.findings), len(before.findings)),
		cmp.Compare(d.lacks, before.lacks),
	) <= 0
}

// read parses an answer and puts it through the gate.
func (q *asking) read(text string) (*draft, error) {
	a, err := Parse(text)
	if err != nil {
		return nil, err
	}
	return q.examine(a), nil
}

// examine puts an answer through the gate.
func (q *asking) examine(a Answer) *draft {
	d := &draft{Answer: a, judged: q.gate(a.Content, q.o.Gate)}
	found := func(rule, detail string) {
		d.whole = append(d.whole, Finding{Rule: rule, Detail: detail})
		d.faults = append(d.faults, detail)
	}
	longest := 0
	for i := range q.sources {
		longest = max(longest, size(strings.TrimSpace(q.sources[i].Text)))
	}
	whole := q.analysed(a.Content)
	room := q.room(q.o)
	switch n, most := size(a.Content), max(room+room/10, room+slack, longest); {
	case n > most:
		found(RuleSize, fmt.Sprintf("the content has %d characters, at most %d are allowed", n, most))
	case d.text == "":
		found(RuleSize, "nothing of the content is in the memories")
	case !q.mixed && whole.read.Doc.Words >= languageWords && whole.read.Doc.German != q.german:
		found(RuleLanguage, "the content is in another language than the memories")
	}
	for _, f := range d.findings {
		d.faults = append(d.faults, fmt.Sprintf("%s (%s): %s", f.Rule, f.Detail, f.Sentence))
	}
	for _, l := range q.lacks(q.saidBy(a.Title, d.text)) {
		d.lacks += len(l.keys)
		d.faults = append(d.faults, fmt.Sprintf("missing (%s): %s", strings.Join(l.keys, ", "), q.units[l.at].bare()))
	}
	return d
}

// slack is by how many characters a text may be longer than asked for, or by a tenth: a
// model does not count.
const slack = 40

// languageWords is the fewest words by which a language is told.
const languageWords = 6
