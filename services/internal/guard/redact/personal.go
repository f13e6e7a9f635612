package redact

import (
	"regexp"
	"strings"
	"unicode"

	"github.com/winnowhq/winnow/services/internal/guard/redact/plausible"
)

// personalRules returns the rules for data about people. They run only on
// request, because a company's memory often needs to say who is responsible for
// what.
func personalRules() []anchoredRule {
	return []anchoredRule{
		{
			id: "email", rank: rankShaped, words: []string{"@"},
			description: "E-mail address; addresses of example domains and git remotes survive.",
			find:        findMail,
		},
		{
			id: "phone", rank: rankShaped, reach: 40, words: []string{"+", "00"},
			description: "Telephone number in international form.",
			expr:        regexp.MustCompile(`^((?:\+|00)[1-9]\d{0,2}(?:[ ./-]?\(?\d{1,5}\)?){2,7})`),
			accept:      acceptInternational,
		},
		{
			id: "phone-labelled", rank: rankShaped, reach: 60,
			words:       []string{"tel", "phone", "mobil", "cell", "fax", "fon", "call ", "handy", "whatsapp", "sms"},
			description: "Telephone number behind a word that announces one.",
			expr:        regexp.MustCompile(`(?i)^[a-zäöü]{2,12}(?:\.|\s?(?:no|nr|number|nummer)\.?)?\s?(?:[:=#]|is|ist)?\s{0,2}(\(?\+?\d[\d ()./-]{5,22}\d)`),
			accept: func(c candidate) bool {
				n := countDigits(c.value())
				return n >= 7 && n <= 15 && !dateLike.MatchString(c.value())
			},
		},
		{
			id: "iban", rank: rankShaped, words: countries(ibanLengths),
			description: "International bank account number with valid check digits.",
			find:        findIBAN,
		},
		{
			id: "card-number", rank: rankShaped, words: []string{"3", "4", "5", "6", "2"},
			description: "Payment card number with a known prefix and a valid check digit.",
			find:        findCard,
		},
	}
}

var (
	localPart  = regexp.MustCompile(`[A-Za-z0-9._%+-]{1,64}$`)
	mailDomain = regexp.MustCompile(`^[A-Za-z0-9](?:[A-Za-z0-9-]{0,62}\.){1,5}[A-Za-z]{2,24}\b`)
	dateLike   = regexp.MustCompile(`^(?:\d{4}[-./]\d{1,2}[-./]\d{1,2}|\d{1,2}[./]\d{1,2}[./]\d{2,4})`)
)

// exampleDomains lists domains that are reserved for documentation (RFC 2606)
// or cannot be registered.
var exampleDomains = []string{"example.com", "example.org", "example.net", ".example", ".test", ".invalid", ".local", ".localhost"}

func findMail(text string, start, end int, emit func(from, to int)) {
	local := localPart.FindStringIndex(text[max(0, start-64):start])
	domain := mailDomain.FindStringIndex(text[end:min(len(text), end+200)])
	if local == nil || domain == nil {
		return
	}
	from, to := max(0, start-64)+local[0], end+domain[1]
	host := strings.ToLower(text[end:to])
	for _, d := range exampleDomains {
		if strings.HasSuffix(host, d) {
			return
		}
	}
	// git@host:path and user@host:/path are remotes, and //user@host is a URL.
	if to < len(text) && text[to] == ':' && to+1 < len(text) && !unicode.IsSpace(rune(text[to+1])) || byteBefore(text, from) == '/' {
		return
	}
	emit(from, to)
}

func acceptInternational(c candidate) bool {
	if b := c.before(); plausible.IsLetter(rune(b)) || '0' <= b && b <= '9' || b == '.' || b == ':' || b == '-' || b == '+' {
		return false
	}
	if a := c.after(); plausible.IsLetter(rune(a)) || '0' <= a && a <= '9' || a == ':' {
		return false
	}
	n := countDigits(c.value())
	if strings.HasPrefix(c.value(), "00") {
		// Without separators this is more often a padded number.
		return n >= 11 && n <= 17 && strings.ContainsAny(c.value(), " /-(")
	}
	return n >= 8 && n <= 15
}

// findCard takes 13 to 19 digits in one run or in groups.
func findCard(text string, start, _ int, emit func(from, to int)) {
	if b := byteBefore(text, start); '0' <= b && b <= '9' || plausible.IsLetter(rune(b)) || b == '.' || b == '-' || b == '_' {
		return
	}
	var room [20]byte
	number := room[:0]
	end := start
	for i := start; i < len(text) && len(number) < len(room); i++ {
		c := text[i]
		if '0' <= c && c <= '9' {
			number = append(number, c)
			end = i + 1
			continue
		}
		if (c != ' ' && c != '-') || end != i {
			break
		}
	}
	if end < len(text) && (plausible.IsLetter(rune(text[end])) || text[end] == '_') {
		return
	}
	if len(number) >= 13 && luhn(number) && cardPrefix.Match(number) {
		emit(start, end)
	}
}

// cardPrefix matches the lengths and issuer ranges in use.
var cardPrefix = regexp.MustCompile(`^(?:4\d{12}(?:\d{3}){0,2}|5[1-5]\d{14}|2(?:2[2-9]|[3-6]\d|7[01])\d{13}|3[47]\d{13}|3(?:0[0-5]|[68]\d)\d{11}|6(?:011|5\d\d|4[4-9]\d)\d{12}|35\d{14})$`)

// luhn checks the last digit of a card number.
func luhn(number []byte) bool {
	sum := 0
	for i, c := range number {
		d := int(c - '0')
		if (len(number)-i)%2 == 0 {
			if d *= 2; d > 9 {
				d -= 9
			}
		}
		sum += d
	}
	return sum%10 == 0
}

func countDigits(s string) int {
	n := 0
	for i := 0; i < len(s); i++ {
		if '0' <= s[i] && s[i] <= '9' {
			n++
		}
	}
	return n
}
