package rules

import (
	"cmp"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/winnowhq/winnow/services/internal/guard/poison"
	"github.com/winnowhq/winnow/services/internal/memory"
	"github.com/winnowhq/winnow/services/internal/session/extract"
	"github.com/winnowhq/winnow/services/internal/session/transcript"
)

// candidate is an extraction that a rule found, with its priority.
type candidate struct {
	extract.Extraction
	rank  int
	worth int // among those of its rank; more is better
	turn  int
}

// The ranks of extractions: a person's express wish first, an agent's
// conclusion last.
const (
	rankRemember = iota
	rankCorrection
	rankDecision
	rankSummed
	rankFix
	rankWorked
	rankConfirmed
	rankFact
	rankFailure
)

// Extract extracts without a model: what a person asked to remember, corrected,
// decided or stated; what agents wrote down about errors and their fixes when
// their context was compacted; errors with what fixed them; commands that
// worked after others had failed; and what never worked. It returns at most
// most extractions, never more than [MaxMemories], grounded already.
//
// In doubt the result is empty. Sentences are a person's or an agent's own,
// never a file's or a page's. Of a tool's output only the one line is quoted
// that says what went wrong, and never an order. The words around the
// quotations are the rule's, in the language of the session.
func Extract(s extract.Session, most int) []extract.Extraction {
	var found []candidate
	found = append(found, said(s)...)
	found = append(found, summed(s)...)
	found = append(found, learned(s)...)
	slices.SortStableFunc(found, func(a, b candidate) int {
		return cmp.Or(a.rank-b.rank, b.worth-a.worth, a.turn-b.turn)
	})
	var list []extract.Extraction
	seen := make(map[string]bool)
	for _, c := range found {
		if len(list) >= min(most, extract.MaxMemories) {
			break
		}
		key := memory.Normal(c.Text)
		if seen[key] || utf8.RuneCountInString(c.Text) > extract.MaxContent || steers(c.Extraction.Words()) {
			continue
		}
		seen[key] = true
		// An extraction made of quotations is grounded; one that is not is
		// wrong.
		if kept, dropped := extract.Ground(s, []extract.Extraction{c.Extraction}); len(dropped) == 0 {
			list = append(list, kept...)
		}
	}
	return list
}

// steers reports whether a text looks like an attempt to steer an agent. Triage
// would quarantine it; rules never propose it.
func steers(text string) bool { return len(poison.Scan(text)) > 0 }

// outside reports whether a turn has words from outside.
func outside(l transcript.Line) bool { return l.Span.Cause != "" }

// language returns the language of a text, en or de, by most of its small
// words.
func language(text string) string {
	de, en := 0, 0
	for word := range strings.FieldsSeq(strings.ToLower(text)) {
		switch strings.Trim(word, ".,;:!?()\"'`") {
		case "der", "die", "das", "und", "ist", "nicht", "wir", "ich", "ein", "eine", "mit", "auf", "für", "den", "dem", "zu", "bitte", "nein", "immer", "statt", "weil", "dass", "nimm", "nutze", "merk", "dir", "liegt", "läuft", "wird", "sind", "haben", "im", "hier", "von":
			de++
		case "the", "and", "is", "not", "we", "i", "a", "an", "with", "on", "for", "to", "please", "no", "always", "instead", "because", "that", "use", "are", "have", "in", "here", "of", "it", "this":
			en++
		}
	}
	if de > en {
		return "de"
	}
	return "en"
}

// sentence turns a clause into a sentence: a capital letter unless the clause
// begins with a name, and a full stop.
func sentence(clause string) string {
	clause = strings.TrimRight(strings.TrimSpace(clause), " ,;:–-")
	if clause == "" {
		return ""
	}
	first, _, _ := strings.Cut(clause, " ")
	if first = strings.TrimRight(first, ",:;.!"); len(extract.Claims(first)) == 0 {
		r, n := utf8.DecodeRuneInString(clause)
		clause = strings.ToUpper(string(r)) + clause[n:]
	}
	if !strings.HasSuffix(clause, ".") && !strings.HasSuffix(clause, "!") {
		clause += "."
	}
	return clause
}
