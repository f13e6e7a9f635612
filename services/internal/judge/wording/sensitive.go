package wording

import (
	"slices"
	"strings"

	"github.com/agnivade/levenshtein"

	"github.com/winnowhq/winnow/services/internal/judge/safeguard"
	"github.com/winnowhq/winnow/services/internal/memory"
)

// sensitive returns the words by which a text says that a protection was lowered or that
// a source of trust changed, empty for other texts. What package safeguard cannot see is
// the exchange of a name for one that looks like it: that asks which words are rare.
func sensitive(t *Text) string {
	if w := safeguard.Words(t.Clean, t.Tokens); w != "" {
		return w
	}
	start, exchanged := 0, false
	for i := 0; i <= len(t.Tokens); i++ {
		if i == len(t.Tokens) || i > start && sentenceEnd(t.Tokens[i].Sep) {
			if exchanged {
				if w := lookalike(t.Tokens[start:i]); w != "" {
					return w
				}
				if w := misspelt(t.Tokens[start:i]); w != "" {
					return w
				}
			}
			start, exchanged = i, false
		}
		exchanged = exchanged || i < len(t.Tokens) && swapWords[t.Tokens[i].Value]
	}
	return ""
}

func sentenceEnd(sep byte) bool { return sep == '.' || sep == '\n' }

var swapWords = memory.WordSet(`replaced replaces replacement renamed fork forked switched swapped continued continues abandoned unmaintained fortgeführt successor supersedes superseded favour favor published ersetzt ersatz umbenannt nachfolger abgelöst umgestellt`)

// lookalike returns the second of two names of which one looks like the other with a
// part added, as a package does that waits for a mistyped name. Instances of one thing
// (`redis-a`, `redis-b`) and files are none.
func lookalike(tokens []memory.Token) string {
	for i := range tokens {
		fresh := nameParts(&tokens[i])
		if len(fresh) == 0 || tokens[i].Class == memory.TokenWord && !tokens[i].Code {
			continue
		}
		for j := range tokens {
			old := nameParts(&tokens[j])
			if i == j || len(old) == 0 || tokens[i].Value == tokens[j].Value || len(fresh) < len(old) {
				continue
			}
			if shares(fresh, old) && !instances(fresh, old) {
				return tokens[i].Value
			}
		}
	}
	return ""
}

// misspelt returns the second of two names that differ by a letter or two, in a sentence
// about packages: `dbt_utils` and `dbt-utilz`. Joiners, digits and a plural are no letters of
// a name.
func misspelt(tokens []memory.Token) string {
	if !slices.ContainsFunc(tokens, func(t memory.Token) bool { return packageWords[t.Value] || strings.HasPrefix(t.Value, "package") }) {
		return ""
	}
	for i := range tokens {
		for j := range i {
			a, b := bareName(&tokens[j]), bareName(&tokens[i])
			if len(a) < 5 || len(b) < 5 || a == b || strings.TrimSuffix(a, "s") == strings.TrimSuffix(b, "s") {
				continue
			}
			if d := len(a) - len(b); d >= -1 && d <= 1 && levenshtein.ComputeDistance(a, b) <= 2 {
				return tokens[i].Value
			}
		}
	}
	return ""
}

var packageWords = memory.WordSet(`pypi npm registry crate crates gem library module image dependency fork paket bibliothek requirements.txt maven nuget`)

// bareName returns the letters of a name in code, empty for other words and for files.
func bareName(t *memory.Token) string {
	if !t.Code && t.Class != memory.TokenIdent || strings.ContainsAny(t.Value, "./()$=:") {
		return ""
	}
	return strings.Map(func(r rune) rune {
		if r < 'a' || r > 'z' {
			return -1
		}
		return r
	}, t.Value)
}

// nameParts returns the words inside the name of a package or image, nil for files,
// paths and settings.
func nameParts(t *memory.Token) []string {
	if t.Class != memory.TokenIdent && t.Class != memory.TokenWord || t.Call {
		return nil
	}
	w := t.Value
	if strings.ContainsAny(w, "_()$.#=") || strings.HasPrefix(w, "-") || strings.HasPrefix(w, "/") || strings.Count(w, "/") > 1 {
		return nil
	}
	parts := strings.FieldsFunc(w, func(r rune) bool { return strings.ContainsRune("-/@:", r) })
	if t.Class == memory.TokenWord && !t.Code && len(parts) == 1 && (len(w) < 5 || !t.Upper && common(w) && !strings.HasSuffix(w, "s")) {
		return nil
	}
	return parts
}

// shares reports a part of five letters or more that both names have, apart from
// digits at its end.
func shares(a, b []string) bool {
	for _, x := range a {
		for _, y := range b {
			x, y := strings.TrimRight(x, "0123456789"), strings.TrimRight(y, "0123456789")
			if len(x) > 4 && x == y {
				return true
			}
		}
	}
	return false
}

// instances reports two names that differ only in a short mark at the end.
func instances(a, b []string) bool {
	if len(a) != len(b) {
		return false
	}
	for i := range len(a) - 1 {
		if a[i] != b[i] {
			return false
		}
	}
	x, y := a[len(a)-1], b[len(b)-1]
	return len(x) <= 2 && len(y) <= 2 || strings.TrimRight(x, "0123456789") == strings.TrimRight(y, "0123456789")
}
