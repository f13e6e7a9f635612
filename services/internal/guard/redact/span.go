package redact

import (
	"cmp"
	"slices"
	"strings"
)

// shortestSecret is the length in bytes below which no rule can match.
const shortestSecret = 4

// shortestRepeat is the length in bytes from which a secret found once is
// looked for in the rest of the text. Shorter ones are often plain words.
const shortestRepeat = 10

// Ranks order rules that claim the same bytes: a rule that knows the vendor
// names the finding better than one that only saw an assignment.
const (
	rankSpecific = iota
	rankShaped
	rankGeneric
)

// span is a part of a segment claimed by a rule.
type span struct {
	rule       string
	rank       int
	start, end int
}

// repeats adds the other occurrences of the secrets found: a key that was
// recognised by its label is as secret where it stands alone.
func repeats(segment string, found []span) []span {
	for _, sp := range found[:len(found):len(found)] {
		secret := core(segment[sp.start:sp.end])
		if len(secret) < shortestRepeat || !mixed(secret) {
			continue
		}
		for at := 0; ; {
			i := strings.Index(segment[at:], secret)
			if i < 0 {
				break
			}
			at += i
			if at < sp.start || at >= sp.end {
				found = append(found, span{rule: sp.rule, rank: sp.rank, start: at, end: at + len(secret)})
			}
			at += len(secret)
		}
	}
	return found
}

// resolve merges overlapping spans into their union, named by the best rule
// among those that cover most of it.
func resolve(found []span) []span {
	slices.SortFunc(found, func(a, b span) int {
		return cmp.Or(cmp.Compare(a.start, b.start), cmp.Compare(b.end, a.end),
			cmp.Compare(a.rank, b.rank), cmp.Compare(a.rule, b.rule))
	})
	out := found[:0]
	named := 0 // length of the span that gave the last union its name
	for _, sp := range found {
		if len(out) == 0 || sp.start >= out[len(out)-1].end {
			out = append(out, sp)
			named = sp.end - sp.start
			continue
		}
		last := &out[len(out)-1]
		last.end = max(last.end, sp.end)
		if length := sp.end - sp.start; sp.rank < last.rank && 2*length >= named {
			last.rule, last.rank, named = sp.rule, sp.rank, length
		}
	}
	return out
}

// core is a secret without the marks around it that a rule took along: where it
// comes again it has others, or none.
func core(secret string) string { return strings.Trim(secret, "\"'`.,;:!?()[]{}<>") }

// mixed reports whether s has letters beside digits, or capitals and small letters that
// change more often than the words of a name do: as random tokens look.
func mixed(s string) bool {
	letters, turns, wasUpper := false, 0, false
	for _, r := range s {
		if !isLetter(r) {
			continue
		}
		upper := r <= 'Z'
		if letters && upper != wasUpper {
			turns++
		}
		letters, wasUpper = true, upper
	}
	return letters && (strings.ContainsAny(s, "0123456789") || 3*turns >= len(s))
}

func isLetter(r rune) bool { return 'a' <= r && r <= 'z' || 'A' <= r && r <= 'Z' }
