package redact

import (
	"cmp"
	"regexp"
	"slices"
	"strings"
	"sync"

	"github.com/winnowhq/winnow/services/internal/guard/redact/gitleaks"
	"github.com/winnowhq/winnow/services/internal/guard/redact/keywords"
	"github.com/winnowhq/winnow/services/internal/guard/redact/material"
	"github.com/winnowhq/winnow/services/internal/guard/redact/plausible"
)

// library runs the gitleaks rules. Their file is data, and Winnow applies it
// with code of its own. The program's detector reports lines and columns, obeys
// "gitleaks:allow" comments that an attacker can write, honours file paths that
// a memory does not have, and costs hundreds of microseconds on a short text.
type library struct {
	rules []libraryRule
	words *keywords.Matcher
	owner []int // keyword id → index into rules
	allow []*gitleaks.Allowlist
}

// libraryRule is a gitleaks rule with the condition derived from it.
type libraryRule struct {
	id, description string
	expr            *regexp.Regexp
	group           int // capture group that holds the secret, 0 for first non-empty
	whole           bool
	entropy         float64
	allow           []*gitleaks.Allowlist
	gate            gate
}

// wordsOnly is the allowlist expression by which gitleaks exempts values
// without a digit or sign; rules that carry it need such a byte.
const wordsOnly = `^[a-zA-Z_.-]+$`

// sharedLibrary compiles the rules once in a process.
var sharedLibrary = sync.OnceValues(loadLibrary)

func loadLibrary() (*library, error) {
	rules, err := gitleaks.Load()
	if err != nil {
		return nil, err
	}
	slices.SortFunc(rules.Rules, func(a, b gitleaks.Rule) int { return cmp.Compare(a.ID, b.ID) })
	lib := &library{allow: rules.Allow}
	var words []string
	for _, r := range rules.Rules {
		if r.Expr == nil || len(r.Keywords) == 0 {
			continue // rules about file names
		}
		for _, w := range r.Keywords {
			words = append(words, w)
			lib.owner = append(lib.owner, len(lib.rules))
		}
		lib.rules = append(lib.rules, newLibraryRule(r))
	}
	lib.words = keywords.New(words)
	return lib, nil
}

func newLibraryRule(r gitleaks.Rule) libraryRule {
	nonAlpha := slices.ContainsFunc(r.Allow, func(a *gitleaks.Allowlist) bool {
		return a.Target == "" && slices.Contains(a.Regexes, wordsOnly)
	})
	// Named groups are how gitleaks marks parts of a token (the header field of
	// an encoded JWT); the secret is then the whole match.
	whole := slices.ContainsFunc(r.Expr.SubexpNames(), func(name string) bool { return name != "" })
	return libraryRule{
		id: r.ID, description: r.Description, expr: r.Expr, group: r.Group, whole: whole,
		entropy: r.Entropy, allow: r.Allow,
		gate: newGate(r.Expr.String(), r.Entropy, nonAlpha),
	}
}

// near is how far from one of its keywords a rule is tried, in bytes. The program
// reads files in fragments of 100 kB and asks each for the keywords. Without a bound a
// long text holds the short keywords of nearly all rules by chance, and each rule would
// read all of it.
const near = 16 << 10

// part is a part of a segment.
type part struct{ from, to int }

func (l *library) scan(segment string, emit func(span)) {
	if len(segment) > near {
		l.scanLong(segment, emit)
		return
	}
	var wanted [8]uint64 // room for 512 rules
	any := false
	l.words.Each(segment, func(w, _, _ int) {
		i := l.owner[w]
		wanted[i>>6] |= 1 << (i & 63)
		any = true
	})
	if !any {
		return
	}
	for i := range l.rules {
		if wanted[i>>6]&(1<<(i&63)) != 0 {
			l.apply(&l.rules[i], segment, part{0, len(segment)}, emit)
		}
	}
}

// scanLong tries each rule in the parts of a segment that are near its keywords.
func (l *library) scanLong(segment string, emit func(span)) {
	parts := make([][]part, len(l.rules))
	l.words.Each(segment, func(w, start, end int) {
		i := l.owner[w]
		p := part{max(0, start-near), min(len(segment), end+near)}
		if n := len(parts[i]); n > 0 && p.from <= parts[i][n-1].to {
			parts[i][n-1].to = max(parts[i][n-1].to, p.to)
			return
		}
		parts[i] = append(parts[i], p)
	})
	for i := range l.rules {
		r, read := &l.rules[i], 0
		for _, p := range parts[i] {
			// A token is not cut, because half of it may look like a whole secret.
			for p.from > read && r.gate.class[segment[p.from-1]] {
				p.from--
			}
			for p.to < len(segment) && r.gate.class[segment[p.to]] {
				p.to++
			}
			if p.from < read {
				p.from = read
			}
			if p.to > p.from {
				l.apply(r, segment, p, emit)
				read = p.to
			}
		}
	}
}

// apply runs a rule's expression on a part of a segment where its gate lets it: on the
// windows around the runs that could be its secret, joined where they touch.
func (l *library) apply(r *libraryRule, segment string, p part, emit func(span)) {
	from, to := -1, -1
	r.gate.runs(segment[p.from:p.to], func(start, end int) bool {
		lo, hi := r.gate.window(segment, p.from+start, p.from+end)
		lo, hi = max(lo, p.from), min(hi, p.to)
		switch {
		case from < 0:
			from = lo
		case lo > to:
			l.match(r, segment, from, to, emit)
			from = lo
		}
		to = max(to, hi)
		return to < p.to || from > p.from
	})
	if from >= 0 {
		l.match(r, segment, from, to, emit)
	}
}

// match reports the rule's findings that lie in segment[from:to].
func (l *library) match(r *libraryRule, segment string, from, to int, emit func(span)) {
	for _, m := range r.expr.FindAllStringSubmatchIndex(segment[from:to], -1) {
		for i := range m {
			if m[i] >= 0 {
				m[i] += from
			}
		}
		start, end := r.secret(segment, m)
		secret := segment[start:end]
		if r.entropy > 0 && plausible.Entropy(secret) <= r.entropy || standIn(secret) {
			continue
		}
		whole, line := segment[m[0]:m[1]], lineAround(segment, m[0], m[1])
		if allowed(l.allow, secret, whole, line) || allowed(r.allow, secret, whole, line) {
			continue
		}
		rank := rankSpecific
		if strings.HasPrefix(r.id, "generic") {
			rank = rankGeneric
			if plausible.Identifier(segment, m[0], start, end) || material.IsPublic(segment, start) {
				continue
			}
		}
		emit(span{rule: r.id, rank: rank, start: start, end: end})
	}
}

// standIn reports whether what a rule of the library found stands in the place of a secret:
// the library knows its own stand-ins and takes others for passwords ("admin:CHANGE_ME",
// "YOUR_TOKEN_HERE"), also in quotation marks and behind a user. A key may stand in the place of
// the user, with nothing behind it ("-u KEY:").
func standIn(secret string) bool {
	secret = strings.Trim(secret, "\"'`")
	if plausible.Placeholder(secret) {
		return true
	}
	_, value, found := strings.Cut(secret, ":")
	return found && value != "" && plausible.Placeholder(value)
}

// secret returns the part of a match to replace: the configured group, else the
// first group that took part, else the whole.
func (r *libraryRule) secret(text string, m []int) (start, end int) {
	if !r.whole {
		if r.group > 0 && 2*r.group+1 < len(m) && m[2*r.group] >= 0 {
			return m[2*r.group], m[2*r.group+1]
		}
		for g := 2; g+1 < len(m); g += 2 {
			if m[g] >= 0 && m[g+1] > m[g] {
				return m[g], m[g+1]
			}
		}
	}
	start, end = m[0], m[1]
	for end > start && text[end-1] == '\n' {
		end--
	}
	return start, end
}

// allowed reports whether any of the allowlists exempts a finding.
func allowed(lists []*gitleaks.Allowlist, secret, match, line string) bool {
	return slices.ContainsFunc(lists, func(a *gitleaks.Allowlist) bool { return a.Allows(secret, match, line) })
}

// maxLine bounds how much of a line an allowlist sees on either side of a match,
// in bytes: a text of one line would else be read once for each match.
const maxLine = 1000

// lineAround returns the lines that contain a match, cut at maxLine.
func lineAround(text string, start, end int) string {
	from, to := max(0, start-maxLine), min(len(text), end+maxLine)
	from += strings.LastIndexByte(text[from:start], '\n') + 1
	if i := strings.IndexByte(text[end:to], '\n'); i >= 0 {
		to = end + i
	}
	return text[from:to]
}
