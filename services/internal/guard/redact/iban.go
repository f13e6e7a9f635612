package redact

import "github.com/winnowhq/winnow/services/internal/guard/redact/plausible"

// ibanLengths are the lengths of account numbers by country, in characters
// without blanks.
var ibanLengths = map[string]int{
	"AD": 24, "AE": 23, "AL": 28, "AT": 20, "AZ": 28, "BA": 20, "BE": 16, "BG": 22, "BH": 22, "BR": 29, "BY": 28,
	"CH": 21, "CR": 22, "CY": 28, "CZ": 24, "DE": 22, "DK": 18, "DO": 28, "EE": 20, "EG": 29, "ES": 24, "FI": 18,
	"FO": 18, "FR": 27, "GB": 22, "GE": 22, "GI": 23, "GL": 18, "GR": 27, "GT": 28, "HR": 21, "HU": 28, "IE": 22,
	"IL": 23, "IQ": 23, "IS": 26, "IT": 27, "JO": 30, "KW": 30, "KZ": 20, "LB": 28, "LC": 32, "LI": 21, "LT": 20,
	"LU": 20, "LV": 21, "LY": 25, "MC": 27, "MD": 24, "ME": 22, "MK": 19, "MR": 27, "MT": 31, "MU": 30, "NL": 18,
	"NO": 15, "PK": 24, "PL": 28, "PS": 29, "PT": 25, "QA": 29, "RO": 24, "RS": 22, "SA": 24, "SC": 31, "SE": 24,
	"SI": 19, "SK": 24, "SM": 27, "ST": 25, "SV": 28, "TL": 23, "TN": 24, "TR": 26, "UA": 29, "VA": 22, "VG": 24, "XK": 20,
}

// countries lists the keys, as words for the prefilter.
func countries(lengths map[string]int) []string {
	out := make([]string, 0, len(lengths))
	for c := range lengths {
		out = append(out, c)
	}
	return out
}

// findIBAN reads as many characters as the country prescribes, in groups or in
// one run, and verifies the check digits.
func findIBAN(text string, start, _ int, emit func(from, to int)) {
	if b := byteBefore(text, start); plausible.IsLetter(rune(b)) || '0' <= b && b <= '9' || b == '_' {
		return
	}
	want := ibanLengths[text[start:start+2]]
	if want == 0 || start+4 > len(text) || countDigits(text[start+2:start+4]) != 2 {
		return
	}
	number := make([]byte, 0, want)
	i := start
	for ; i < len(text) && len(number) < want; i++ {
		switch c := text[i]; {
		case '0' <= c && c <= '9' || 'A' <= c && c <= 'Z':
			number = append(number, c)
		case c == ' ' && len(number)%4 == 0 && text[i-1] != ' ':
		default:
			return
		}
	}
	if len(number) < want || i < len(text) && (plausible.IsLetter(rune(text[i])) || '0' <= text[i] && text[i] <= '9') {
		return
	}
	if mod97(number) {
		emit(start, i)
	}
}

// mod97 verifies the check digits: with the first four characters moved to the
// end and letters read as 10 to 35, the remainder by 97 is one.
func mod97(number []byte) bool {
	rest := 0
	for i := range number {
		c := number[(i+4)%len(number)]
		if c >= 'A' {
			rest = (rest*100 + int(c-'A') + 10) % 97
		} else {
			rest = (rest*10 + int(c-'0')) % 97
		}
	}
	return rest == 1
}
