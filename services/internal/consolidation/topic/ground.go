package topic

import (
	"fmt"
	"slices"
	"strings"
	"time"
	"unicode"

	"github.com/winnowhq/winnow/services/internal/judge/subject"
	"github.com/winnowhq/winnow/services/internal/judge/wording"
	"github.com/winnowhq/winnow/services/internal/language"
	"github.com/winnowhq/winnow/services/internal/memory"
)

// Fault is a sentence of a summary that the topic's memories do not bear out.
type Fault struct {
	Sentence string `json:"sentence"`
	// Invented lists the numbers, names, paths, URLs and quotations that no memory of
	// the topic has.
	Invented []string `json:"invented,omitempty"`
	// Against is the memory that the sentence contradicts, and Difference how; empty
	// for none.
	Against    string `json:"against,omitempty"`
	Difference string `json:"difference,omitempty"`
}

// String describes the fault to the author.
func (f Fault) String() string {
	quoted := `"` + short(f.Sentence) + `"`
	if f.Against != "" {
		return fmt.Sprintf("%s contradicts %s (%s)", quoted, f.Against, f.Difference)
	}
	return fmt.Sprintf("%s names %s, which no memory of the topic has", quoted, listed(f.Invented, 5))
}

func short(s string) string {
	const most = 120
	if r := []rune(s); len(r) > most {
		return string(r[:most]) + "…"
	}
	return s
}

// Grounds are the texts that a summary must be borne out by, analysed. They are not
// safe for concurrent use.
type Grounds struct {
	topic   string
	german  bool
	sources []source
}

type source struct {
	memory.Memory
	text *wording.Text
	// bare: the present summary. It bears out specifics, and is no authority to
	// contradict, because its author may correct it.
	bare bool
}

// analyzer of sentences and memories, without embeddings.
var analyzer = wording.NewAnalyzer()

// NewGrounds analyses the memories of a topic and its present summary, nil for none.
func NewGrounds(topic string, members []memory.Memory, current *memory.Memory) *Grounds {
	g := &Grounds{topic: topic}
	german := 0
	add := func(m memory.Memory, bare bool) {
		t := analyzer.Text(strings.Join([]string{m.Title, m.Description, m.Text}, ".\n"))
		if bare {
			t = analyzer.Text(m.Text)
		}
		if t.Doc.German {
			german++
		}
		g.sources = append(g.sources, source{m, t, bare})
	}
	for i := range members {
		add(members[i], false)
	}
	if current != nil {
		add(*current, true)
	}
	g.german = 2*german > len(g.sources)
	return g
}

// Check returns the sentences of a summary that the memories do not bear out, at most
// most (0: all). The day of writing and how many memories there are may be named without one.
func (g *Grounds) Check(content string, now time.Time, most int) []Fault {
	var faults []Fault
	for _, s := range Sentences(content) {
		t := analyzer.Text(s)
		if invented := g.invented(t, now); len(invented) > 0 {
			faults = append(faults, Fault{Sentence: s, Invented: invented})
		} else if against, how := g.contradicted(t); against != "" {
			faults = append(faults, Fault{Sentence: s, Against: against, Difference: how})
		}
		if most > 0 && len(faults) == most {
			break
		}
	}
	return faults
}

// Without returns a summary without the sentences of faults.
func Without(content string, faults []Fault) string {
	for _, f := range faults {
		content = strings.Replace(content, f.Sentence, "", 1)
	}
	lines := strings.Split(content, "\n")
	kept := lines[:0]
	for _, line := range lines {
		line = strings.TrimRight(line, " \t")
		// A list item or a blank line of which nothing is left.
		if strings.Trim(line, " \t-*0123456789.") == "" && (line != "" || len(kept) > 0 && kept[len(kept)-1] == "") {
			continue
		}
		kept = append(kept, line)
	}
	return strings.TrimSpace(strings.Join(kept, "\n"))
}

// invented returns the specifics of a sentence that no source has.
func (g *Grounds) invented(t *wording.Text, now time.Time) []string {
	s := t.Specifics()
	var out []string
	lacking := func(d memory.Detail, has func(*memory.Specifics) bool) {
		if !slices.Contains(out, d.Text) && !slices.ContainsFunc(g.sources, func(x source) bool { return has(x.text.Specifics()) }) {
			out = append(out, d.Text)
		}
	}
	for _, d := range s.Values {
		// "One of them" counts nothing.
		spelled := d.Text == "1" && !strings.Contains(t.Clean, "1")
		if !spelled && !g.free(d, now) {
			lacking(d, func(x *memory.Specifics) bool { return hasValue(x, d) })
		}
	}
	for _, d := range s.URLs {
		lacking(d, func(x *memory.Specifics) bool { return hasDetail(x.URLs, d) || x.Names(d.Text) })
	}
	for _, list := range [][]memory.Detail{s.Idents, s.Quotes} {
		for _, d := range list {
			if Name(d.Text) != g.topic {
				lacking(d, func(x *memory.Specifics) bool {
					return hasDetail(x.Idents, d) || hasDetail(x.Quotes, d) || namesAll(x, d.Text)
				})
			}
		}
	}
	for _, d := range g.proper(t) {
		lacking(d, func(x *memory.Specifics) bool { return x.Names(d.Text) || x.Names(memory.Stem(d.Text)) })
	}
	return out
}

// free reports a number that speaks about the summary itself.
func (g *Grounds) free(d memory.Detail, now time.Time) bool {
	day := now.UTC()
	if d.Unit == "date" {
		return d.Text == day.Format(time.DateOnly) || d.Text == day.Format("2006-01")
	}
	members := len(g.sources)
	for i := range g.sources {
		if g.sources[i].bare {
			members--
		}
	}
	return d.Text == fmt.Sprint(members) && (d.Unit == memory.Stem("memories") || d.Unit == "memories" || d.Unit == "memory")
}

// hasValue reports a number with the same unit, where both have one that changes its
// meaning.
func hasValue(x *memory.Specifics, d memory.Detail) bool {
	for _, v := range x.Values {
		if v.Text == d.Text && (v.Unit == d.Unit || !measure(v.Unit) || !measure(d.Unit)) {
			return true
		}
	}
	// A number inside of a name or a path, such as port 8080 of localhost:8080.
	return !measure(d.Unit) && x.Names(d.Text)
}

// measure reports a unit that changes a number's meaning. The next word alone does
// not.
func measure(unit string) bool { return units[unit] || strings.ContainsAny(unit, "$€£") }

var units = memory.WordSet("s ms min h d % mb gb kb mib gib mi gi x k m date")

func hasDetail(list []memory.Detail, d memory.Detail) bool {
	return slices.ContainsFunc(list, func(x memory.Detail) bool { return x.Text == d.Text })
}

func namesAll(x *memory.Specifics, text string) bool {
	for w := range strings.FieldsSeq(text) {
		if !x.Names(w) && !x.Names(memory.Stem(w)) {
			return false
		}
	}
	return true
}

// proper returns the names of people and products in a sentence: words with a capital
// letter where an ordinary word has none. German writes every noun so, and a heading
// most words, so neither says anything.
func (g *Grounds) proper(t *wording.Text) []memory.Detail {
	if g.german || t.Doc.German || heading(t.Clean) {
		return nil
	}
	var out []memory.Detail
	for i, token := range t.Tokens {
		if i == 0 || token.Class != memory.TokenWord || !token.Upper || token.Code || token.Quote > 0 || t.Stamps[i] {
			continue
		}
		// After a full stop, a colon or the start of a line any word is written so.
		if token.Sep != 0 && token.Sep != ',' && token.Sep != '(' {
			continue
		}
		word := t.Clean[token.Start:token.End]
		if lower := strings.IndexFunc(word, unicode.IsLower); lower <= 0 || len(word) < 3 || calendar[token.Value] || Name(word) == g.topic {
			continue // an acronym, such as API
		}
		out = append(out, memory.Detail{Text: token.Value})
	}
	return out
}

var calendar = memory.WordSet(language.Months, language.Weekdays, `english german`)

// heading reports a line that is a title: marked as one, or most of its words begin
// with a capital letter.
func heading(line string) bool {
	line = strings.TrimSpace(line)
	if strings.HasPrefix(line, "#") || strings.HasPrefix(line, "**") && strings.HasSuffix(strings.TrimRight(line, ":"), "**") {
		return true
	}
	words, upper := 0, 0
	for w := range strings.FieldsSeq(line) {
		if r := []rune(w)[0]; unicode.IsLetter(r) {
			words++
			if unicode.IsUpper(r) {
				upper++
			}
		}
	}
	return words > 1 && 2*upper > words
}

// contradicted returns a memory about the same subject that says otherwise, and how.
// A sentence that another memory of that subject bears out contradicts none: then the
// memories disagree among themselves, and that is not the summary's doing.
func (g *Grounds) contradicted(t *wording.Text) (id, difference string) {
	for i := range g.sources {
		x := &g.sources[i]
		if x.bare || subject.Relate(t.Subject, x.text.Subject, t.Doc, x.text.Doc) != subject.Same {
			continue
		}
		c := memory.Compare(x.text.Specifics(), t.Specifics())
		// Where the verbs have different forms, all that tells a denial from its
		// statement is the negation.
		denied := len(c.Differences) == 1 && strings.HasPrefix(c.Differences[0], "negation only")
		switch {
		case c.Relation != memory.RelationConflict && c.Relation != memory.RelationComplement && !denied:
			return "", ""
		case c.Relation != memory.RelationComplement && id == "":
			id, difference = x.ID, c.Differences[0]
		}
	}
	return id, difference
}

// Sentences splits a text at line ends and after full stops, without the marks of
// lists. Code in backticks stays whole.
func Sentences(text string) []string {
	var list []string
	add := func(s string) {
		if s = strings.TrimSpace(s); strings.ContainsFunc(s, unicode.IsLetter) || strings.ContainsFunc(s, unicode.IsDigit) {
			list = append(list, s)
		}
	}
	for line := range strings.SplitSeq(text, "\n") {
		line = item(line)
		code, from := false, 0
		for i := 0; i < len(line); i++ {
			switch line[i] {
			case '`':
				code = !code
			case '.', '!', '?':
				if !code && i+1 < len(line) && line[i+1] == ' ' && !abbreviated(line[from:i+1]) {
					add(line[from : i+1])
					from = i + 1
				}
			}
		}
		add(line[from:])
	}
	return list
}

// item returns a line without the mark of a list item, whose number is no statement.
func item(line string) string {
	line = strings.TrimSpace(line)
	rest := strings.TrimLeft(line, "-*•+ \t")
	digits := strings.TrimLeft(rest, "0123456789")
	if n := len(rest) - len(digits); n > 0 && n <= 2 && len(digits) > 1 && (digits[0] == '.' || digits[0] == ')') && digits[1] == ' ' {
		return strings.TrimSpace(digits[1:])
	}
	return rest
}

// abbreviated reports a full stop that ends no sentence.
func abbreviated(s string) bool {
	s = strings.ToLower(s)
	for _, a := range []string{"e.g.", "i.e.", "etc.", "vs.", "approx.", "incl.", "no.", "z.b.", "d.h.", "bzw.", "ca.", "usw.", "u.a."} {
		if strings.HasSuffix(s, a) {
			return true
		}
	}
	return false
}
