package topic

import (
	"cmp"
	"slices"
	"strings"
	"time"

	"github.com/winnowhq/winnow/services/internal/guard/poison"
	"github.com/winnowhq/winnow/services/internal/memory"
)

// The values of the setting summary.protocol.
const (
	Enforce = "enforce" // what the protocol asks for must have been done
	Warn    = "warn"    // what was not done is told with the result
)

// Corpus is what is stored about a topic in one scope.
type Corpus struct {
	Topic    string // normalised
	Members  []memory.Memory
	Count    int             // of members; Members may hold fewer of a very large topic
	Current  *memory.Memory  // the summary in force; nil for none
	Archived []memory.Memory // earlier summaries, newest first
}

// Request is a summary that somebody wants stored.
type Request struct {
	Content   string // without secrets
	RestoreID string // an archived summary to put back, instead of content
	// Research is what the author read; nil for an author who is not held to the
	// protocol: a person, or a model that was given the whole corpus.
	Research *Research
	Protocol string // Enforce or Warn; empty enforces
	// Authority is the highest that the author's words can have.
	Authority memory.Origin
	Now       time.Time
}

// Decision is a summary that may be stored.
type Decision struct {
	Content string
	// Restored is the archived summary whose text this is, nil for a new text.
	Restored *memory.Memory
	// Authority is what the text is worth: at most its author's, and at most that of
	// the memories whose words it carries (SPEC §7).
	Authority memory.Origin
	// Carried lists the memories that the text rests on, by id.
	Carried []string
	Notes   []string // what was let pass
}

// maxFaults is how many faults one refusal names.
const maxFaults = 8

// Decide returns a summary in the form in which it may be stored. The error wraps
// [ErrRefused].
//
// A text that was the topic's summary before may be put back at any time (D18): it
// passed these checks then, and who finds the present one wrong must not be held up
// by them. It is recognised by its words, and what is stored are the words as they
// were archived.
func Decide(c Corpus, r Request) (Decision, error) {
	content := Bare(r.Content)
	restored, err := restore(c, r.RestoreID, content)
	if err != nil {
		return Decision{}, err
	}
	d := Decision{Content: content, Restored: restored}
	if restored != nil {
		d.Content, d.Authority = restored.Text, memory.Least(restored.Authority, restored.Origin)
		if c.Current != nil && same(c.Current.Text, d.Content) {
			return Decision{}, refuse("this is the summary of %q that is in force, %s", c.Topic, c.Current.ID)
		}
		return d, nil
	}
	if c.Current != nil && same(c.Current.Text, content) {
		return Decision{}, refuse("this is the summary of %q that is in force, %s; extend it with what is new", c.Topic, c.Current.ID)
	}
	if err := cmp.Or(enough(c.Topic, c.Count), substantial(content), harmless(content)); err != nil {
		return Decision{}, err
	}
	if r.Research != nil {
		missing := r.Research.missing(c.Topic, ids(c.Members), idOf(c.Current))
		switch {
		case len(missing) == 0:
		case r.Protocol == Warn:
			d.Notes = append(d.Notes, "the research is incomplete: "+strings.Join(missing, "; "))
		default:
			return Decision{}, refuse("the research is incomplete. A summary is read before everything else, so it must reflect the whole topic: %s. "+
				"Name the same session_id in every call; what was searched and read in the last 24 hours counts", strings.Join(missing, "; "))
		}
	}
	g := NewGrounds(c.Topic, c.Members, c.Current)
	if faults := g.Check(content, r.Now, maxFaults); len(faults) > 0 {
		return Decision{}, refuse("it says what the memories of %q do not: %s. Leave it out, or record it first with memory_record", c.Topic, sentences(faults))
	}
	d.Carried = g.Carried(content)
	d.Authority = memory.Least(append(g.authorities(d.Carried), r.Authority)...)
	if d.Authority <= memory.OriginExternal {
		return Decision{}, refuse("it rests on words from outside, which only a person may vouch for")
	}
	return d, nil
}

// restore returns the archived summary that is asked for, by its id or by its words,
// nil for none. One that was taken back or retracted, and so has no successor, cannot
// be put back: somebody found it wrong.
func restore(c Corpus, id, content string) (*memory.Memory, error) {
	if id == "" && content == "" {
		return nil, refuse("content is empty: give the summary's text, or restore_id with the id of an archived one")
	}
	for i := range c.Archived {
		m := &c.Archived[i]
		if m.SuccessorID == "" || m.ID != id && (id != "" || !same(m.Text, content)) {
			continue
		}
		if id != "" && content != "" && !same(m.Text, content) {
			return nil, refuse("restore_id: the content is not that of %s; give one of both", id)
		}
		return m, nil
	}
	if id != "" {
		return nil, refuse("restore_id: %q names no replaced summary of the topic %q; find one with memory_search, kind summary_archived", id, c.Topic)
	}
	return nil, nil
}

// same compares two texts by their words.
func same(a, b string) bool {
	h := memory.HashText(a)
	return h == memory.HashText(b) && h != memory.TextHash{}
}

// harmless refuses a text that steers agents instead of informing them.
func harmless(content string) error {
	var found []string
	for _, h := range poison.Scan(content) {
		if what := string(h.Class) + ` "` + h.Phrase + `"`; !slices.Contains(found, what) {
			found = append(found, what)
		}
	}
	if len(found) == 0 {
		return nil
	}
	slices.Sort(found)
	return refuse("it reads like an attempt to steer agents: %s; say what is so, in the present tense, and not what readers shall do", listed(found, 3))
}

func sentences(faults []Fault) string {
	var out []string
	for _, f := range faults {
		out = append(out, f.String())
	}
	return strings.Join(out, "; ")
}

func ids(list []memory.Memory) []string {
	out := make([]string, len(list))
	for i := range list {
		out[i] = list[i].ID
	}
	return out
}

func idOf(m *memory.Memory) string {
	if m == nil {
		return ""
	}
	return m.ID
}

// Carried returns the memories that a summary rests on: for each of its specifics the
// most trusted one that has it.
func (g *Grounds) Carried(content string) []string {
	rests := map[string]bool{}
	best := func(has func(*memory.Specifics) bool) {
		at := -1
		for i := range g.sources {
			if has(g.sources[i].text.Specifics()) && (at < 0 || g.sources[i].Authority > g.sources[at].Authority) {
				at = i
			}
		}
		if at >= 0 && !g.sources[at].bare {
			rests[g.sources[at].ID] = true
		}
	}
	s := analyzer.Text(content).Specifics()
	for _, d := range s.Values {
		best(func(x *memory.Specifics) bool { return hasValue(x, d) })
	}
	for _, list := range [][]memory.Detail{s.Idents, s.Quotes, s.URLs} {
		for _, d := range list {
			best(func(x *memory.Specifics) bool { return namesAll(x, d.Text) || hasDetail(x.URLs, d) })
		}
	}
	var out []string
	for id := range rests {
		out = append(out, id)
	}
	slices.Sort(out)
	return out
}

func (g *Grounds) authorities(of []string) []memory.Origin {
	var out []memory.Origin
	for i := range g.sources {
		if slices.Contains(of, g.sources[i].ID) {
			out = append(out, g.sources[i].Authority)
		}
	}
	return out
}
