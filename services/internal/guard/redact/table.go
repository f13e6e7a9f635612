package redact

import (
	"cmp"
	_ "embed" // disguises.tsv
	"slices"
	"strings"
)

// Where a rule comes from.
const (
	SourceLibrary  = "gitleaks"
	SourceOwn      = "winnow"
	SourcePersonal = "pii"
)

// Rule describes one rule for documentation.
type Rule struct {
	ID          string
	Description string // one sentence
	Source      string // SourceLibrary, SourceOwn or SourcePersonal
}

// Rules lists every rule, ordered by source and id. It fails only when the
// library's rules do not compile.
func Rules() ([]Rule, error) {
	lib, err := sharedLibrary()
	if err != nil {
		return nil, err
	}
	var out []Rule
	for _, r := range lib.rules {
		out = append(out, Rule{r.id, r.description, SourceLibrary})
	}
	for _, r := range ownRules() {
		out = append(out, Rule{r.id, r.description, SourceOwn})
	}
	out = append(out,
		Rule{randomRule, "Long token of mixed case and digits, without a label.", SourceOwn},
		Rule{passFileRule, "Password of a line of .pgpass (host:port:database:user:password).", SourceOwn},
		Rule{encodedRule, "Base64 of a secret: of text in which another rule finds one, or of a password behind a word for one.", SourceOwn},
		Rule{chainedRule, "Rest of a text in which each replacement uncovers another secret, without end.", SourceOwn})
	for _, r := range personalRules() {
		out = append(out, Rule{r.id, r.description, SourcePersonal})
	}
	slices.SortStableFunc(out, func(a, b Rule) int {
		return cmp.Or(cmp.Compare(a.Source, b.Source), cmp.Compare(a.ID, b.ID))
	})
	return out, nil
}

//go:embed disguises.tsv
var disguises string

// Disguise is a way in which a secret may stand in a text, and whether redaction
// promises to find it there.
type Disguise struct {
	Name     string
	Text     string // an invented example
	Secret   string // the part of Text that must be gone, or that stays
	Promised bool
}

// Disguises lists what is promised and what is not, for documentation.
func Disguises() []Disguise {
	var out []Disguise
	for line := range strings.SplitSeq(strings.TrimSpace(disguises), "\n") {
		cols := strings.Split(line, "\t")
		text, open := strings.CutPrefix(cols[1], "!")
		out = append(out, Disguise{Name: cols[0], Text: strings.ReplaceAll(text, `\n`, "\n"), Secret: cols[2], Promised: !open})
	}
	return out
}
