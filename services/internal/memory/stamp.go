package memory

import "strings"

// contentDate lists word beginnings that make a date part of the statement: a
// deadline, a term, an order in time. EN and DE.
var contentDate = []string{
	"expir", "due", "deadline", "until", "till", "valid", "renew", "schedul", "launch", "sunset", "eol",
	"end-of-life", "retire", "before", "after", "from", "starting", "starts", "begin", "ends", "release", "deprecat",
	"planned", "by", "cutoff", "freeze", "signed", "dated", "born", "holiday",
	"fällig", "frist", "bis", "gültig", "läuft", "endet", "ab", "vor", "nach", "geplant", "beginnt", "termin", "stichtag",
	"ablauf", "veröffentlich", "von", "wartungsfenster", "abgekündigt",
}

// stampWord lists words that may occur between the start of a clause or a bracket
// and a date that only gives the time of an observation.
var stampWord = map[string]bool{
	"on": true, "as": true, "of": true, "seen": true, "observed": true, "checked": true, "verified": true, "measured": true,
	"confirmed": true, "noted": true, "learned": true, "discovered": true, "recorded": true, "updated": true, "recount": true,
	"date": true, "at": true, "in": true, "last": true, "again": true, "since": false,
	"am": true, "stand": true, "gesehen": true, "geprüft": true, "gemessen": true, "bestätigt": true, "notiert": true,
	"vom": true, "seit": false, "im": true, "zuletzt": true,
}

// Stamps reports, for each token, whether it belongs to an observation stamp. A
// stamp is a date that gives the time of the observation and is not part of the
// statement. The date is at the start, alone in brackets, or ends a sentence as
// "on …", and no word of the sentence makes the date a term. "Expires on
// 2026-05-01" has no stamp.
func Stamps(text string, tokens []Token) []bool {
	marks := make([]bool, len(tokens))
	for i, t := range tokens {
		if t.Class == TokenDate && isStamp(text, tokens, i) {
			marks[i] = true
			for j := i - 1; j >= 0 && tokens[j+1].Sep == 0 && stampWord[tokens[j].Value]; j-- {
				marks[j] = true
			}
		}
	}
	return marks
}

func isStamp(text string, tokens []Token, i int) bool {
	// Leading: only markers, labels in brackets and stamp words before it.
	lead := true
	for j := range i {
		if !stampWord[tokens[j].Value] && tokens[j].Class != TokenDate {
			lead = false
			break
		}
	}
	next := byte('.')
	if i+1 < len(tokens) {
		next = tokens[i+1].Sep
	}
	if lead {
		return next != 0 || !leadsSentence(tokens[i:]) && (i == 0 || !termAhead(tokens, i))
	}
	if hasContentWord(tokens, i) {
		return false
	}
	if inBrackets(text, tokens[i]) {
		return true
	}
	// Closing: "… on 2026-02-06" before a stop or the end.
	prev := tokens[i-1].Value
	return next != 0 && next != '(' && (tokens[i].Sep != 0 || prev == "on" || prev == "am" || prev == "vom" || prev == "stand")
}

// leadsSentence reports whether a date is the subject of the sentence: "2026-05-01
// is the cutoff".
func leadsSentence(tokens []Token) bool {
	if len(tokens) < 2 {
		return false
	}
	switch tokens[1].Value {
	case "is", "was", "ist", "war", "will", "wird", "marks":
		return true
	}
	return false
}

// termAhead reports whether the sentence after a leading "On <date>" makes the
// date a term: "On 2026-05-01 the certificate expires".
func termAhead(tokens []Token, i int) bool {
	for j := i + 1; j < len(tokens) && j <= i+8; j++ {
		if s := tokens[j].Sep; s == '.' || s == ';' || s == '\n' {
			return false
		}
		for _, c := range contentDate {
			if len(c) > 4 && strings.HasPrefix(tokens[j].Value, c) {
				return true
			}
		}
	}
	return false
}

// hasContentWord reports whether one of the four words before the date, in the
// same sentence, makes the date part of the statement.
func hasContentWord(tokens []Token, i int) bool {
	for j := i; j > 0 && j > i-4; j-- {
		if sep := tokens[j].Sep; j != i && (sep == '.' || sep == ';' || sep == '\n') {
			break
		}
		w := tokens[j-1].Value
		if leads[w] && (j != i || tokens[i].Sep != 0) {
			continue // "after" refers to a date only when the date follows directly
		}
		for _, c := range contentDate {
			if w == c || len(c) > 3 && strings.HasPrefix(w, c) {
				return true
			}
		}
	}
	return false
}

// leads are the words of [contentDate] that refer to a directly following date
// only.
var leads = map[string]bool{
	"before": true, "after": true, "from": true, "by": true, "until": true, "till": true,
	"bis": true, "ab": true, "vor": true, "nach": true, "von": true,
}

// inBrackets reports whether the date is in round or square brackets.
func inBrackets(text string, t Token) bool {
	open := strings.LastIndexAny(text[:t.Start], "([")
	if open < 0 || strings.ContainsAny(text[open:t.Start], ")]") {
		return false
	}
	return strings.ContainsAny(text[t.End:], ")]")
}
