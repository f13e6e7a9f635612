package told

import (
	"regexp"
	"strings"

	"github.com/winnowhq/winnow/services/internal/guard/redact/plausible"
)

// This file finds secrets that a heading announces: the column of a table, the lines
// below "creds:", the line below "wifi password".

// headingNouns head columns and lists.
func headingNouns() []string {
	return []string{"password", "passwd", "passwort", "passwörter", "kennwort", "kennwörter", "passphrase", "passcode", "pwd", "pw", "pass", "pin", "secret", "token", "api key", "credentials", "creds", "zugangsdaten", "zugänge", "zugang", "access", "logins", "login", "anmeldedaten", "handover", "übergabe", "chpasswd", "list: |"}
}

const (
	listedLines = 12 // below a heading
	listedLine  = 200
	// longestHeading bounds a heading, in bytes.
	longestHeading = 90
)

func findListed(text string, start, end int, emit func(from, to int)) {
	if joinedBefore(text, start) && end-start < 5 {
		return
	}
	from := strings.LastIndexByte(text[max(0, start-listedLine):start], '\n')
	from += max(0, start-listedLine) + 1
	to := len(text)
	if i := strings.IndexByte(text[end:], '\n'); i >= 0 {
		to = end + i
	}
	if to-from > listedLine {
		return
	}
	line := text[from:to]
	if sep := separator(line); sep != "" {
		if findColumn(text, line, from, start, end, to, sep, emit) {
			return
		}
	}
	if to < len(text) && len(line) <= longestHeading && !strings.ContainsAny(line, ".,;()=<>{}\"") && strings.ContainsAny(text[to:min(len(text), to+listedLine)], plausible.Digits+"!#%&*+=?@") && heading.MatchString(line) {
		below(text, to+1, line, emit)
	}
}

// separator returns what parts the cells of a line, empty when it is no row.
func separator(line string) string {
	for _, sep := range []string{"|", "\t", ";", ","} {
		if strings.Contains(line, sep) {
			return sep
		}
	}
	return ""
}

// headCell matches a cell that heads a column of passwords.
var headCell = regexp.MustCompile(`(?i)^[\s*_"'\x60]*(?:[\p{L}\d-]{1,16}[ _-]){0,2}(?:[\p{L}-]{0,12})?(?:password|passwd|passwort|kennwort|passphrase|passcode|pwd|pw|pass|pin|secret|token|api key)[\s*_"'\x60]*$`)

// findColumn finds the cells below a heading, or beside it in a row of two.
func findColumn(text, line string, from, start, end, to int, sep string, emit func(from, to int)) bool {
	column := strings.Count(text[from:start], sep)
	cells := strings.Split(line, sep)
	if to == len(text) && sep != "|" || column >= len(cells) || len(cells) < 2 || len(cells[column]) > longestHeading/2 || !headCell.MatchString(cells[column]) {
		return false
	}
	noun := strings.ToLower(text[start:end])
	if sep == "|" && column+1 < len(cells) {
		if cellAt(text, from, cells, column+1, noun, emit) {
			return true
		}
	}
	for i, c := range cells {
		if empty := strings.TrimSpace(c) == ""; empty && (sep != "|" || 0 < i && i < len(cells)-1) || len(c) > 24 || strings.ContainsAny(c, plausible.Digits+".:") {
			return false
		}
	}
	for n := 0; to < len(text) && n < listedLines; n++ {
		at := to + 1
		to = len(text)
		if i := strings.IndexByte(text[at:], '\n'); i >= 0 {
			to = at + i
		}
		row := text[at:to]
		if strings.Count(row, sep) != len(cells)-1 || to-at > 2*listedLine {
			return n > 0
		}
		cellAt(text, at, strings.Split(row, sep), column, noun, emit)
	}
	return true
}

// cellAt emits a cell that holds a secret. at is where its row begins.
func cellAt(text string, at int, cells []string, column int, noun string, emit func(from, to int)) bool {
	for _, c := range cells[:column] {
		at += len(c) + 1
	}
	cell := strings.Trim(cells[column], " \t*_\r")
	from := at + strings.Index(cells[column], cell)
	from, to := trimValue(text, from, from+len(cell))
	v := text[from:to]
	switch {
	case strings.ContainsAny(v, " \t"):
		if noun != "passphrase" || !plausible.Passphrase(v) {
			return false
		}
	case noun == "secret" || noun == "token" || noun == "api key":
		if !plausible.Token(v) || !plausible.Named(v, 3) || plausible.Identifier(v, 0, 0, len(v)) {
			return plausible.Named(v, 3) && noun == "secret" && emitted(from, to, emit)
		}
	case noun == "pin":
		if !plausible.PIN.MatchString(v) {
			return false
		}
	case !plausible.Named(v, 2):
		return false
	}
	return emitted(from, to, emit)
}

func emitted(from, to int, emit func(from, to int)) bool {
	emit(from, to)
	return true
}

var (
	// heading matches a line that only announces: a noun and what it belongs to.
	heading = regexp.MustCompile(`(?i)^\s*(?:[#>*-]{1,4}\s)?\**(?:[\p{L}\d'/-]{1,20}\s){0,4}[\p{L}\d'/-]{1,24}(?:\s(?:[\p{L}\d'/-]{1,20})){0,5}\**\s?[:?]?\**\s*\|?$`)
	// pairLine matches "user / value" below a heading, with what it belongs to before it.
	pairLine = regexp.MustCompile(`^\s*(?:[-*•>]\s)?(?:[^:|\n]{2,40}(?::|\s[–—-])\s)?["'\x60]?[\w.@+-]{1,40}["'\x60]?\s?(?:/|:|->|→|-|\||\s=\s)\s?["'\x60]?([^\s"'\x60]{6,60})["'\x60]?[.,;]?\s*$`)
	// lone matches a value that has its line for itself.
	lone = regexp.MustCompile(`^\s*(?:[A-Z]\w{0,15}:\s|[-*•>]\s)?["'\x60]?([^\s"'\x60]{6,60})["'\x60]?\s*$`)
	// several matches a heading of a list, for accounts or for passwords.
	several = regexp.MustCompile(`(?i)list: \|$|(?:(?:passwords|passwörter|kennwörter|creds|credentials|zugangsdaten|zugänge|logins|anmeldedaten)\**:?|(?:access|login|handover(?: notes)?|übergabe|zugang|passwort|password|chpasswd|list)\**:)\**\s*$|^#+\s(?:access|login|handover(?: notes)?|übergabe|zugang)\s*$`)
)

// below looks through the lines below a heading: one value alone, or a list of pairs.
func below(text string, at int, head string, emit func(from, to int)) {
	list := several.MatchString(head)
	for n := 0; at < len(text) && n < listedLines; n++ {
		to := len(text)
		if i := strings.IndexByte(text[at:], '\n'); i >= 0 {
			to = at + i
		}
		line := text[at:to]
		if strings.TrimSpace(line) == "" || len(line) > listedLine {
			return
		}
		if !list {
			if m := lone.FindStringSubmatchIndex(line); m != nil {
				if from, to := trimValue(text, at+m[2], at+m[3]); plausible.Named(text[from:to], 3) {
					emit(from, to)
				}
			}
			return
		}
		if m := pairLine.FindStringSubmatchIndex(line); m != nil {
			if from, to := trimValue(text, at+m[2], at+m[3]); plausible.Named(text[from:to], 3) {
				emit(from, to)
			}
		}
		at = to + 1
	}
}
