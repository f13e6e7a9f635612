package extract

import (
	"regexp"
	"strings"
	"unicode"
)

// span is a sentence's position in a text: [start, end), with the blanks that
// follow, so that spans cover the text.
type span struct{ Start, End int }

// Sentences splits a text at line ends and after full stops. A line of code is
// one sentence.
func Sentences(text string) []span {
	var list []span
	start, fenced := 0, false
	for start < len(text) {
		end := len(text)
		if i := strings.IndexByte(text[start:], '\n'); i >= 0 {
			end = start + i + 1
		}
		line := strings.TrimSpace(text[start:end])
		if strings.HasPrefix(line, "```") {
			fenced = !fenced
			list = append(list, span{start, end})
		} else if fenced {
			list = append(list, span{start, end})
		} else {
			list = append(list, stops(text, start, end)...)
		}
		start = end
	}
	return list
}

// stops splits one line.
func stops(text string, start, end int) []span {
	var list []span
	code, from := false, start
	for i := start; i < end; i++ {
		switch text[i] {
		case '`':
			code = !code
		case '.', '!', '?':
			if !code && i+1 < end && unicode.IsSpace(rune(text[i+1])) && !Abbreviated(text[start:i+1]) {
				next := i + 1
				for next < end && (text[next] == ' ' || text[next] == '\t') {
					next++
				}
				list = append(list, span{from, next})
				from = next
			}
		}
	}
	if from < end {
		list = append(list, span{from, end})
	}
	return list
}

// Abbreviated reports whether a full stop ends no sentence: of an abbreviation,
// an ordinal, or a list's number.
func Abbreviated(s string) bool {
	s = strings.TrimSuffix(s, ".")
	word := s[strings.LastIndexAny(s, " \t(")+1:]
	if word == "" {
		return false
	}
	if word[0] >= '0' && word[0] <= '9' && len(word) <= 2 {
		return true
	}
	if len(word) == 1 && unicode.IsLetter(rune(word[0])) {
		return true
	}
	switch strings.ToLower(word) {
	case "e.g", "i.e", "z.b", "d.h", "etc", "vs", "cf", "ca", "bzw", "usw", "nr", "no", "mr", "dr", "u.a", "approx", "evtl", "ggf", "inkl", "incl", "resp":
		return strings.ToLower(word) != "no" || strings.HasSuffix(s, "No")
	}
	return false
}

var (
	aside = regexp.MustCompile(`\s*\([^()]*\)`)
	// limiting matches the beginning of a clause without which the rest would claim more.
	limiting = regexp.MustCompile(`(?i)^[\s(]*(?:unless|except|only|but|not|otherwise|if|außer|nur|aber|nicht|sonst|wenn)\b`)
)

// withoutClause returns a sentence without the bracket, or the clauses behind a semicolon,
// whose claims the evidence lacks, and what was cut. rest is empty where the claims stand in
// the main clause, or where the rest would claim more than the whole.
func (e evidence) withoutClause(sentence string) (rest, cut string) {
	end := sentence[len(strings.TrimRight(sentence, " \t\n")):]
	rest = strings.TrimSuffix(sentence, end)
	var gone []string
	drop := func(part string) bool {
		if _, missing := e.missing(part); !missing || limiting.MatchString(part) {
			return false
		}
		gone = append(gone, strings.TrimSpace(part))
		return true
	}
	rest = aside.ReplaceAllStringFunc(rest, func(part string) string {
		if strings.Count(part, "`")%2 == 0 && drop(part) {
			return ""
		}
		return part
	})
	clauses := strings.Split(rest, "; ")
	kept := clauses[:1]
	for _, clause := range clauses[1:] {
		if strings.Count(strings.Join(kept, "; "), "`")%2 == 1 || !drop(clause) {
			kept = append(kept, clause)
		}
	}
	if rest = strings.Join(kept, "; "); len(kept) < len(clauses) && !strings.HasSuffix(rest, ".") {
		rest += "."
	}
	if _, missing := e.missing(rest); missing || len(gone) == 0 || len(strings.Fields(rest)) < 4 {
		return "", ""
	}
	return rest + end, strings.Join(gone, " … ")
}
