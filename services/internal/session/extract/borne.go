package extract

import (
	"fmt"
	"math"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"unicode"
)

// This file decides what else bears a claim out than its own letters: a command
// that generalises one of the session, a number that follows from others, and the
// number of a step.

// explained reports whether a claim of a text follows from quotations without
// standing in them.
func (e evidence) explained(claim, text string) bool {
	other := generalised(claim)
	for _, said := range e.texts {
		if _, _, ok := other.in(said); ok {
			return true
		}
	}
	return e.derived(claim, text) || e.qualified(claim)
}

// qualified reports whether a claim joins names by full stops or colons that the
// evidence has one by one, as Class.method does.
func (e evidence) qualified(claim string) bool {
	parts := nameParts(claim)
	for _, part := range parts {
		if !e.has(part) {
			return false
		}
	}
	return len(parts) > 1
}

// nameParts returns the parts of a qualified name, nil for what is none or has a
// part that is too short to tell anything.
func nameParts(claim string) []string {
	m := qualifiedName.FindString(claim)
	if m == "" {
		return nil
	}
	parts := strings.FieldsFunc(strings.TrimSuffix(m, "()"), func(r rune) bool { return r == '.' || r == ':' || r == '#' })
	for _, part := range parts {
		if len(part) < 4 {
			return nil
		}
	}
	return parts
}

// qualifiedName matches two or three identifiers; one of them has a hump or an
// underscore, so that a domain or file name is none.
var qualifiedName = regexp.MustCompile(`^(?:[A-Za-z_]\w*(?:\.|::|#)){1,2}(?:\w*_\w*|\w*[a-z][A-Z]\w*|_\w+)(?:\(\))?$|^[A-Z]\w*[a-z]\w*(?:\.|::|#)[A-Za-z_]\w*(?:\(\))?$`)

// Explained reports whether a detail of a text, which its evidence does not have
// letter by letter, follows from the evidence all the same: it is a generalised
// command, a number derived from others, or the number of a step.
func Explained(evidence []Quote, detail, text string) bool {
	for _, m := range listMarks(text) {
		if text[m[0]:m[1]] == detail {
			return true
		}
	}
	e := newEvidence(evidence)
	if e.explained(detail, text) {
		return true
	}
	// A detail may be a part of a generalised command.
	for _, m := range CodeSpan.FindAllStringSubmatch(text, -1) {
		if strings.Contains(m[1], detail) && e.explained(m[1], text) {
			return true
		}
	}
	return false
}

var (
	// explicit matches what people write in the place of a value: <n>, {name},
	// $NAME, …, and three dots.
	explicit = regexp.MustCompile(`<[^<>\s]{1,40}>|\{[A-Za-z_][\w-]{0,30}\}|\$\{?[A-Za-z_]\w{0,30}\}?|…|\.{3}`)
	// implicit also matches words in capitals and single letters, as in int(a / b)
	// or cp FILE DIR. A letter of a flag (-n) stands for itself.
	implicit = regexp.MustCompile(explicit.String() + `|\b[A-Z][A-Z_]{1,20}\b|\b[A-Za-z]\b`)
)

// general is a claim as it may stand in a text in other letters.
type general struct {
	claim string
	exprs []*regexp.Regexp // of a command with placeholders
}

// generalised returns the ways in which a claim may stand in texts; they are compiled once
// for all of them.
func generalised(claim string) general {
	g := general{claim: claim}
	for _, placeholder := range []*regexp.Regexp{explicit, implicit} {
		if expr := pattern(claim, placeholder); expr != nil {
			g.exprs = append(g.exprs, expr)
		}
	}
	return g
}

// in finds the passage of a text that the claim generalises: its literal parts stand there
// in their order, on one line, and each placeholder stands for something. One of the parts
// must be a word. Also found are a command with fewer arguments and a path in the home
// folder.
func (g general) in(text string) (start, end int, ok bool) {
	if start, end, ok := abridged(g.claim, text); ok {
		return start, end, true
	}
	if start, end, ok := atHome(g.claim, text); ok {
		return start, end, true
	}
	for _, expr := range g.exprs {
		if m := expr.FindStringSubmatchIndex(text); m != nil {
			return m[2], m[3], true
		}
	}
	return 0, 0, false
}

// abridged finds the command of a text that a claim repeats without some of its
// arguments: the claim's words stand in it in their order, the first two together,
// before a pipe, a semicolon or the line's end.
func abridged(claim, text string) (start, end int, ok bool) {
	words := strings.Fields(claim)
	if len(words) < 3 || len(words) > 12 || len(words[0]) < 2 || !slices.ContainsFunc(words[2:], func(w string) bool { return strings.HasPrefix(w, "-") }) {
		return 0, 0, false
	}
	for from := 0; ; {
		i, after, found := Within(text[from:], words[0]+" "+words[1])
		if !found {
			return 0, 0, false
		}
		start, end = from+i, from+after
		limit := len(text)
		if k := strings.IndexAny(text[end:], "|;&\n"); k >= 0 {
			limit = end + k
		}
		ok = true
		for _, w := range words[2:] {
			_, last, found := Within(text[end:limit], w)
			if !found {
				ok = false
				break
			}
			end += last
		}
		if ok {
			return start, end, true
		}
		from = start + 1
	}
}

// homePath matches a path in a home folder that names no user.
var homePath = regexp.MustCompile(`^(?:~|\$HOME|\$\{HOME\})(/[^\s*?]*[\w-])$`)

// atHome finds the path of a text that a claim names in another notation: ~/.local/bin is
// $HOME/.local/bin and /home/ann/.local/bin. The other way round the claim would name a user
// that the text does not.
func atHome(claim, text string) (start, end int, ok bool) {
	m := homePath.FindStringSubmatch(claim)
	if m == nil {
		return 0, 0, false
	}
	for from := 0; ; {
		i := strings.Index(text[from:], m[1])
		if i < 0 {
			return 0, 0, false
		}
		start, end = from+i, from+i+len(m[1])
		before := max(0, start-maxHome)
		if h := home.FindStringIndex(text[before:start]); h != nil && bounded(text, start, end) {
			return before + h[0], end, true
		}
		from = end
	}
}

// maxHome is how many bytes a home folder may have.
const maxHome = 80

// home matches a home folder at the end of a text.
var home = regexp.MustCompile(`(?:~|\$HOME|\$\{HOME\}|/(?:home|Users)/[\w.-]+|/root)$`)

// pattern returns the expression of a command with placeholders, nil for one
// without, or one whose literal parts say too little.
func pattern(claim string, placeholder *regexp.Regexp) *regexp.Regexp {
	var b strings.Builder
	word, at, holes := false, 0, 0
	literal := func(part string) {
		for _, w := range strings.FieldsFunc(part, func(r rune) bool { return !unicode.IsLetter(r) }) {
			word = word || len(w) >= 3
		}
		b.WriteString(strings.Join(blanks.Split(regexp.QuoteMeta(part), -1), `\s{1,4}`))
	}
	for _, m := range placeholder.FindAllStringIndex(claim, -1) {
		if m[0] > 0 && m[1]-m[0] == 1 && strings.IndexByte("-'\\%", claim[m[0]-1]) >= 0 {
			continue // -n, \n and %s stand for themselves
		}
		literal(claim[at:m[0]])
		b.WriteString(`[^\n]{1,160}?`)
		at = m[1]
		holes++
	}
	if holes == 0 || holes > 8 || len(claim) > 300 {
		return nil
	}
	// What only closes a quotation may be missing: the text of a placeholder often goes on
	// over several lines.
	if strings.Trim(claim[at:], "\"'`)]} ") != "" {
		literal(claim[at:])
	}
	if !word {
		return nil
	}
	expr, err := regexp.Compile(`(?:^|[^\w])(` + b.String() + `)(?:$|[^\w])`)
	if err != nil {
		return nil // cannot happen: every literal part is quoted
	}
	return expr
}

var blanks = regexp.MustCompile(`\s+`)

// derived reports whether a number of a text follows from numbers that the
// evidence has: another notation (72 is 0x48 is H), another unit (90 s is 1.5
// minutes), or the result of a calculation whose operands stand in the same
// sentence.
func (e evidence) derived(claim, text string) bool {
	value, ok := number(claim)
	if !ok { // "5s" is the 5.00s of a test's output
		return quantity.FindString(strings.ToLower(claim)) == strings.ToLower(claim) && e.otherUnit(claim, claim)
	}
	for _, other := range notations(value) {
		if e.has(other) {
			return true
		}
	}
	sentence := text
	for _, s := range Sentences(text) {
		if _, _, in := Within(text[s.Start:s.End], claim); in {
			sentence = text[s.Start:s.End]
			break
		}
	}
	if e.otherUnit(claim, sentence) {
		return true
	}
	var operands []float64
	sentence = withoutMarks(sentence)
	claims := slices.DeleteFunc(Claims(sentence), func(c string) bool { return !e.has(c) })
	for _, c := range numbers.FindAllString(sentence, -1) {
		within := func(whole string) bool { return strings.Contains(whole, c) }
		if v, ok := number(c); ok && c != claim && slices.ContainsFunc(claims, within) && !slices.Contains(operands, v) {
			operands = append(operands, v)
		}
	}
	return len(operands) <= 6 && calculated(value, operands)
}

var (
	numbers  = regexp.MustCompile(`\d+(?:\.\d+)?`)
	quantity = regexp.MustCompile(`(\d+(?:[.,]\d+)?)\s?-?(ms|milliseconds?|millisekunden?|s|sec|secs|seconds?|sekunden?|m|min|mins|minutes?|minuten?|h|hrs?|hours?|stunden?|d|days?|tagen?|weeks?|wochen?|b|bytes?|kb|kib|mb|mib|gb|gib)\b`)
)

// number reads a claim that is a number, decimal or hexadecimal.
func number(claim string) (float64, bool) {
	if hex, ok := strings.CutPrefix(strings.ToLower(claim), "0x"); ok {
		v, err := strconv.ParseUint(hex, 16, 52)
		return float64(v), err == nil
	}
	digits := strings.TrimRight(claim, "%")
	v, err := strconv.ParseFloat(digits, 64)
	return v, err == nil && !math.IsInf(v, 0) && strings.IndexFunc(digits, unicode.IsLetter) < 0
}

// notations returns other ways to write a whole number: hexadecimal, decimal, and
// the printable character of that code.
func notations(v float64) []string {
	if v != math.Trunc(v) || v < 0 || v > 1<<40 {
		return nil
	}
	n := int64(v)
	list := []string{strconv.FormatInt(n, 10), fmt.Sprintf("0x%x", n), fmt.Sprintf("0x%X", n), fmt.Sprintf("0x%02x", n), fmt.Sprintf("0x%02X", n)}
	if n >= '!' && n <= '~' {
		list = append(list, "'"+string(rune(n))+"'", "`"+string(rune(n))+"`", "\""+string(rune(n))+"\"")
	}
	return list
}

// otherUnit reports whether the evidence has the claim's quantity in another
// unit.
func (e evidence) otherUnit(claim, sentence string) bool {
	for _, m := range quantity.FindAllStringSubmatch(strings.ToLower(sentence), -1) {
		if m[1] != claim && m[0] != strings.ToLower(claim) {
			continue
		}
		want, dimension := inBase(m[1], m[2])
		for _, said := range e.texts {
			for _, s := range quantity.FindAllStringSubmatch(strings.ToLower(said), -1) {
				if have, d := inBase(s[1], s[2]); d == dimension && want > 0 && math.Abs(have-want) <= 0.03*want {
					return true
				}
			}
		}
	}
	return false
}

// inBase returns a quantity in seconds or in bytes.
func inBase(value, unit string) (v float64, dimension string) {
	v, _ = strconv.ParseFloat(strings.ReplaceAll(value, ",", "."), 64)
	switch {
	case unit == "ms" || strings.HasPrefix(unit, "milli"):
		return v / 1000, "time"
	case unit == "b" || strings.HasPrefix(unit, "byte"):
		return v, "size"
	case strings.HasPrefix(unit, "k"):
		return v * 1024, "size"
	case strings.HasPrefix(unit, "mb") || unit == "mib":
		return v * 1024 * 1024, "size"
	case strings.HasPrefix(unit, "g"):
		return v * 1024 * 1024 * 1024, "size"
	case strings.HasPrefix(unit, "s") && !strings.HasPrefix(unit, "st"):
		return v, "time"
	case strings.HasPrefix(unit, "m"):
		return v * 60, "time"
	case strings.HasPrefix(unit, "h") || strings.HasPrefix(unit, "st"):
		return v * 3600, "time"
	case strings.HasPrefix(unit, "d") || strings.HasPrefix(unit, "t"):
		return v * 86400, "time"
	}
	return v * 7 * 86400, "time"
}

// calculated reports whether a number is the sum, difference, product, quotient,
// or change in percent of two operands.
func calculated(v float64, operands []float64) bool {
	near := func(x float64) bool {
		return math.Abs(x-v) < 1e-6 || v >= 2 && math.Abs(math.Round(x)-v) < 1e-6 && math.Abs(x-v) <= 0.5
	}
	for i, a := range operands {
		for j, b := range operands {
			if i == j {
				continue
			}
			if near(a-b) || i < j && (near(a+b) || near(a*b)) || b != 0 && (near(a/b) || near(100*a/b) || near(100*(a-b)/b)) {
				return true
			}
		}
	}
	return false
}

// stepMark matches a number that may be the mark of a step: at the beginning of a
// line or behind the end of a sentence or clause, with a full stop or bracket.
var stepMark = regexp.MustCompile(`(?:^|[.:;!?,)` + "`" + `]\s{1,3}|\n\s*)\(?(\d{1,2})[.)]\s`)

// stepNamed matches a step that a sentence refers to.
var stepNamed = regexp.MustCompile(`(?i)\b(?:steps?|schritte?n?|points?|punkte?n?|see)\s+(\d{1,2})(?:\s*(?:[-–,]|and|und|to|bis)\s*(\d{1,2}))?\b`)

// listMarks returns where the numbers of steps stand in a text: those that count
// up from 1, and those by which a sentence names a step of them.
func listMarks(text string) [][2]int {
	var marks [][2]int
	last := 0
	for at := 0; at < len(text); {
		m := stepMark.FindStringSubmatchIndex(text[at:])
		if m == nil {
			break
		}
		n, _ := strconv.Atoi(text[at+m[2] : at+m[3]])
		if n == last+1 || n == 1 {
			marks = append(marks, [2]int{at + m[2], at + m[3]})
			last = n
		}
		at += m[3]
	}
	steps := len(marks)
	for _, m := range stepNamed.FindAllStringSubmatchIndex(text, -1) {
		for g := 2; g < 6; g += 2 {
			if m[g] < 0 {
				continue
			}
			if n, _ := strconv.Atoi(text[m[g]:m[g+1]]); n >= 1 && n <= steps {
				marks = append(marks, [2]int{m[g], m[g+1]})
			}
		}
	}
	return marks
}

// withoutMarks returns a text of the same length whose step numbers are blanks.
func withoutMarks(text string) string {
	marks := listMarks(text)
	if len(marks) == 0 {
		return text
	}
	b := []byte(text)
	for _, m := range marks {
		for i := m[0]; i < m[1]; i++ {
			b[i] = ' '
		}
	}
	return string(b)
}

// renumbered returns a text in which the steps count from 1 again after some were
// removed.
func renumbered(text string) string {
	var b strings.Builder
	at, n := 0, 0
	for _, m := range stepMark.FindAllStringSubmatchIndex(text, -1) {
		n++
		b.WriteString(text[at:m[2]])
		b.WriteString(strconv.Itoa(n))
		at = m[3]
	}
	b.WriteString(text[at:])
	return b.String()
}
