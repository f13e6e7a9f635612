package wording

import (
	"strings"

	"github.com/winnowhq/winnow/services/internal/language"
	"github.com/winnowhq/winnow/services/internal/memory"
)

// naming recognises the names that a text writes in plain letters: "Codecov", "CUPS",
// "rusqlite". A name is rare, so no list of tools is needed, which would be out of date
// in a month.
type naming struct {
	tokens []memory.Token
	stamps []bool
	german bool
}

// anchor reports whether token i names a tool, file, command, setting or another
// particular thing (S3.5).
func (n naming) anchor(i int) bool {
	t := &n.tokens[i]
	switch {
	case t.Class == memory.TokenIdent:
		return true
	case t.Class == memory.TokenURL:
		return !strings.HasPrefix(t.Value, "http") && !strings.HasPrefix(t.Value, "www.") // where a page is says nothing of the work
	case t.Class == memory.TokenNumber:
		return strings.Count(t.Value, ".") == 3 // the address of a host
	case t.Class != memory.TokenWord:
		return false
	case t.Code || knownTools[t.Value]:
		return true
	case n.stamps[i] || calendar[t.Value]:
		return false
	}
	word := strings.TrimSuffix(strings.TrimSuffix(t.Value, "'s"), "’s")
	if len(word) < 3 {
		return false
	}
	if n.german {
		return n.germanName(i, word)
	}
	if t.Caps {
		return !common(t.Value) // "NOT" only raises its voice
	}
	if t.Upper {
		return !n.starts(i) && !n.heading(i) || !common(t.Value) && !common(word) && !compound(t.Value)
	}
	if !strings.ContainsAny(word, "aeiouy") && isPlain(word) && !common(word) && !memory.IsUnit(word) && (i == 0 || n.tokens[i-1].Class != memory.TokenNumber) {
		return true // "zstd", "ntpd"
	}
	return len(word) > 4 && isPlain(word) && !common(word) && !compound(word) || host(word)
}

// host reports a name of small letters joined by a hyphen, of which a part is no word:
// "broker-a", "crew-app-eu". "E-mail" and "read-only" are words.
func host(word string) bool {
	head, tail, ok := strings.Cut(word, "-")
	if !ok || len(head) < 2 || !isPlain(head) {
		return false
	}
	for part := range strings.SplitSeq(tail, "-") {
		if len(part) == 1 || isPlain(part) && !common(part) && !compound(part) {
			return true
		}
	}
	return !common(head) && !compound(head)
}

// germanName reads what German leaves of capitals: every noun has one. A compound
// with a hyphen joins a name to a noun ("Cron-Eintrag"), capitals throughout are an
// abbreviation, and a compound in small letters is no word of German ("drucker-sek"). A noun
// that ends as few German ones do ("Matomo"), or is made of two English words
// ("Nextcloud"), is a name.
func (n naming) germanName(i int, word string) bool {
	t := &n.tokens[i]
	if strings.IndexByte(word, '-') > 0 || t.Caps {
		return true
	}
	if !t.Upper || n.starts(i) || len(word) < 4 || common(word) || germanLoans[word] {
		return false
	}
	return strings.IndexByte("aiouyx", word[len(word)-1]) >= 0 || joinedEnglish(word)
}

// joinedEnglish reports two English words of four letters or more written as one, of which
// the second is none that German joins to its own.
func joinedEnglish(word string) bool {
	for i := 4; i <= len(word)-4; i++ {
		if tail := word[i:]; language.Known(word[:i]) && language.Known(tail) && !germanTails[tail] {
			return true
		}
	}
	return false
}

var germanTails = memory.WordSet(`server system test name plan team film band land wind hand sand bank rest park post text code date gold ring arm`)

// germanLoans are German nouns that end as names do.
var germanLoans = memory.WordSet(`kamera thema schema firma konto büro auto video foto radio logo juli juni mai handy party risiko saldo euro kilo agenda tempo info demo repo jury
 drama klima skala formel matrix index präfix suffix mensa aula villa sofa kino lotto motto netto brutto porto status turnus komma datum aroma panda cola salami`)

// starts reports whether token i begins a sentence, where every word has a capital.
func (n naming) starts(i int) bool {
	if clauseStart(n.tokens, i) {
		return true
	}
	for j := i - 1; j >= 0; j-- {
		if !n.stamps[j] {
			return false
		}
	}
	return true
}

// heading reports that most words around token i have a capital, as those of a title
// have: there a capital names nothing.
func (n naming) heading(i int) bool {
	upper, lower := 0, 0
	for j := max(0, i-4); j < min(len(n.tokens), i+5); j++ {
		if t := &n.tokens[j]; t.Class == memory.TokenWord && len(t.Value) > 3 && (j <= i || !sentenceEnd(t.Sep)) {
			if t.Upper {
				upper++
			} else {
				lower++
			}
		}
	}
	return upper > 2 && upper > lower
}

// common reports whether an English word is common, also in an inflected or derived
// form that is rare itself: "misconfigured", "retries".
func common(word string) bool {
	if language.Known(word) {
		return true
	}
	for _, prefix := range prefixes {
		if rest, ok := strings.CutPrefix(word, prefix); ok && len(rest) > 3 && known(rest) {
			return true
		}
	}
	return known(word)
}

// known reports whether a word without an ending of inflection or derivation is
// common.
func known(word string) bool {
	if language.Known(word) {
		return true
	}
	for _, suffix := range suffixes {
		rest, ok := strings.CutSuffix(word, suffix)
		if !ok || len(rest) < 3 {
			continue
		}
		if language.Known(rest) || language.Known(rest+"e") || language.Known(rest+"y") {
			return true
		}
		if n := len(rest); n > 3 && rest[n-1] == rest[n-2] && language.Known(rest[:n-1]) {
			return true
		}
	}
	return false
}

var (
	prefixes = []string{"un", "re", "mis", "non", "pre", "de", "dis", "over", "under", "sub", "co", "multi", "auto", "inter", "super", "in", "im", "out"}
	suffixes = []string{"s", "es", "ed", "d", "ing", "er", "ers", "or", "ly", "ness", "able", "ible", "ation", "ations", "ment", "ments", "ize", "ized", "izes", "izing",
		"ise", "ised", "ises", "ising", "al", "ally", "ic", "ity", "less", "ful", "y", "ies", "ied", "ier", "able", "ability"}
)

// compound reports whether a word is two common words written as one, such as
// "timestamp" and "callsite": a term of the trade and no name.
func compound(word string) bool {
	for i := 3; i <= len(word)-3; i++ {
		if language.Known(word[:i]) && common(word[i:]) {
			return true
		}
	}
	return false
}

// NamesMore reports whether a has a name in capitals that b has in no form: "from ICON" says
// more than a text without ICON, however alike the rest.
func NamesMore(a, b *Text) bool {
	tokens, stamps := a.Scanned()
	names := naming{tokens: tokens, stamps: stamps, german: a.Doc.German}
	for i := range tokens {
		t := &tokens[i]
		if t.Class != memory.TokenWord || t.Code || !t.Caps && (!t.Upper || names.german) || names.starts(i) || !names.anchor(i) {
			continue
		}
		for part := range strings.SplitSeq(strings.TrimSuffix(strings.TrimSuffix(t.Value, "'s"), "’s"), "-") {
			if len(part) > 2 && !b.Specifics().Names(part) && !b.Specifics().Names(memory.Stem(part)) && !b.Specifics().Names(part+"s") {
				return true
			}
		}
	}
	return false
}

// isPlain reports a word of small letters only.
func isPlain(word string) bool {
	return strings.Trim(word, "abcdefghijklmnopqrstuvwxyz") == ""
}

// calendar are words with a capital that name a time. EN and DE.
var calendar = memory.WordSet(language.Months, language.Weekdays,
	`utc gmt cet cest est pst todo note fixme warning important ok yes english german i i'm i've i'd i'll`)
