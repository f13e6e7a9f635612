package memory

import (
	"fmt"
	"strconv"
	"strings"
	"time"
)

// months maps the names and short forms, English and German, to 1–12.
var months = map[string]int{
	"jan": 1, "january": 1, "januar": 1, "jänner": 1, "feb": 2, "february": 2, "februar": 2,
	"mar": 3, "march": 3, "märz": 3, "mrz": 3, "apr": 4, "april": 4, "may": 5, "mai": 5,
	"jun": 6, "june": 6, "juni": 6, "jul": 7, "july": 7, "juli": 7, "aug": 8, "august": 8,
	"sep": 9, "sept": 9, "september": 9, "oct": 10, "october": 10, "okt": 10, "oktober": 10,
	"nov": 11, "november": 11, "dec": 12, "december": 12, "dez": 12, "dezember": 12,
}

// isoDate returns the canonical form of a date written as one chunk, or "" when
// the chunk is not a date. It accepts 2026-02-05 with or without a time,
// 2026/02/05, 2026-02 and 05.02.2026.
func isoDate(s string) string {
	if len(s) < 7 || !isDigit(s[0]) {
		return ""
	}
	if len(s) > 10 && (s[10] == 'T' || s[10] == 't') {
		s = s[:10]
	}
	if canonical(s) {
		return s
	}
	if p := strings.Split(s, "."); len(p) == 3 && len(p[0]) <= 2 && len(p[1]) <= 2 && len(p[2]) == 4 {
		return civil(p[2], p[1], p[0])
	}
	sep := "-"
	if s[4] == '/' {
		sep = "/"
	}
	switch p := strings.Split(s, sep); {
	case len(p) == 3 && len(p[0]) == 4 && len(p[1]) == 2 && len(p[2]) == 2:
		return civil(p[0], p[1], p[2])
	case len(p) == 2 && sep == "-" && len(p[0]) == 4 && len(p[1]) == 2:
		return civil(p[0], p[1], "")
	}
	return ""
}

// canonical reports a date that is written as it is compared, as most are: 2026-02-05.
func canonical(s string) bool {
	if len(s) != len("2026-02-05") || s[4] != '-' || s[7] != '-' {
		return false
	}
	n := 0
	for i := range len(s) {
		if i == 4 || i == 7 {
			continue
		}
		if !isDigit(s[i]) {
			return false
		}
		n = 10*n + int(s[i]-'0')
	}
	year, month, day := n/10_000, n/100%100, n%100
	return year >= 1970 && year <= 2099 && month >= 1 && month <= 12 && day >= 1 && day <= 31
}

// civil returns the canonical form of a date, or "" for an invalid part. An empty
// year or day is omitted. Years from 1970 to 2099 are valid.
func civil(year, month, day string) string {
	m, err := strconv.Atoi(month)
	if err != nil || m < 1 || m > 12 {
		return ""
	}
	out := "-"
	if year != "" {
		y, err := strconv.Atoi(year)
		if err != nil || y < 1970 || y > 2099 {
			return ""
		}
		out = year
	}
	out += fmt.Sprintf("-%02d", m)
	if day == "" {
		return out
	}
	d, err := strconv.Atoi(day)
	if err != nil || d < 1 || d > 31 {
		return ""
	}
	return out + fmt.Sprintf("-%02d", d)
}

// mergeDates turns dates written in words into one token each: "5 Feb 2026",
// "5. Februar 2026", "Feb 5, 2026", "Feb 2026", "Q1 2026", "Feb 5".
func mergeDates(tokens []Token) []Token {
	out := tokens[:0]
	for i := 0; i < len(tokens); i++ {
		n, value := dateAt(tokens[i:])
		if n == 0 {
			if len(out) == i {
				out = tokens[:i+1] // stands there already
				continue
			}
			out = append(out, tokens[i])
			continue
		}
		t := tokens[i]
		t.Class, t.Value, t.End = TokenDate, value, tokens[i+n-1].End
		out = append(out, t)
		i += n - 1
	}
	return out
}

// dateAt returns the number of leading tokens that form a date, and the date's
// canonical form; 0 for no date.
func dateAt(t []Token) (int, string) {
	if len(t) < 2 || t[0].Class != TokenNumber && t[1].Class != TokenNumber {
		return 0, ""
	}
	if t[0].Class == TokenIdent && len(t[0].Value) == 2 && t[0].Value[0] == 'q' && isYear(&t[1]) {
		return 2, t[1].Value + "-" + t[0].Value
	}
	if m := monthOf(&t[0]); m != "" {
		switch {
		case isYear(&t[1]):
			return 2, civil(t[1].Value, m, "")
		case isDay(&t[1]) && len(t) > 2 && isYear(&t[2]) && t[2].Sep != '.':
			return 3, civil(t[2].Value, m, t[1].Value)
		case isDay(&t[1]) && t[1].Sep == 0 && t[1].Unit == "" && t[0].Upper:
			return 2, civil("", m, t[1].Value)
		}
		return 0, ""
	}
	if isDay(&t[0]) {
		if m := monthOf(&t[1]); m != "" {
			if len(t) > 2 && isYear(&t[2]) && t[2].Sep != '.' {
				return 3, civil(t[2].Value, m, t[0].Value)
			}
			if t[1].Upper {
				return 2, civil("", m, t[0].Value)
			}
		}
	}
	return 0, ""
}

func monthOf(t *Token) string {
	if t.Class != TokenWord || t.Code {
		return ""
	}
	if m := months[t.Value]; m != 0 {
		return strconv.Itoa(m)
	}
	return ""
}

func isYear(t *Token) bool {
	return t.Class == TokenNumber && t.Unit == "" && len(t.Value) == 4 && (t.Value[:2] == "20" || t.Value[:2] == "19")
}

func isDay(t *Token) bool {
	if t.Class != TokenNumber || len(t.Value) > 2 {
		return false
	}
	switch t.Unit {
	case "", "st", "nd", "rd", "th":
		return true
	}
	return false
}

// DateOf returns the time of a date token, in UTC. A month or quarter is its first
// day. ok is false for a date without a year.
func DateOf(t Token) (at time.Time, ok bool) {
	if t.Class != TokenDate {
		return time.Time{}, false
	}
	if i := strings.Index(t.Value, "-q"); i == 4 && len(t.Value) == 7 {
		y, _ := strconv.Atoi(t.Value[:4])
		return time.Date(y, time.Month(int(t.Value[6]-'1')*3+1), 1, 0, 0, 0, 0, time.UTC), true
	}
	for _, layout := range []string{"2006-01-02", "2006-01"} {
		if at, err := time.Parse(layout, t.Value); err == nil {
			return at, true
		}
	}
	return time.Time{}, false
}
