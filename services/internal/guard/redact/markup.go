package redact

import (
	"regexp"
	"strings"

	"github.com/winnowhq/winnow/services/internal/guard/redact/plausible"
)

// markupRules returns the rules for secrets in XML, and for lists of names and
// values in XML, JSON and YAML.
func markupRules() []anchoredRule {
	names := []string{"password", "passwd", "passwort", "kennwort", "passphrase", "pwd", "pass", "secret", "token", "apikey", "api_key", "api-key", "accesskey", "privatekey", "psk", "keymaterial"}
	return []anchoredRule{
		{
			id: "markup-element", rank: rankShaped, words: names,
			description: "Password or token as the content of an XML element (<password>…</password>).",
			find:        findElement,
		},
		{
			id: "named-value", rank: rankShaped, words: names,
			description: "Secret as the value beside its name (key=\"DbPwd\" value=\"…\", name: DB_PASSWORD, value: …).",
			find:        findNamedValue,
		},
	}
}

var (
	elementValue = regexp.MustCompile(`^[A-Za-z0-9_.-]{0,24}(?:\s[^<>]{0,120})?>\s{0,40}(?:<(?i:value)>)?(?:<!\[CDATA\[)?\s{0,10}([^<>]{3,300}?)\s{0,40}(?:\]\]>\s{0,10})?</`)
	elementHead  = regexp.MustCompile(`<[A-Za-z0-9_.:-]{0,60}$`)
	namedValue   = regexp.MustCompile(`^([A-Za-z0-9_.-]{0,30})(?:"\s{0,3}\{\s{1,20}(?:[a-z_]{1,20}\s{0,20}=\s{0,3}[^\n]{0,80}\n\s{1,20}){0,3}|\\?["']\s{0,3}(?:,|\s)?\s{0,20}|\s{0,3}\r?\n\s{1,20}|,\s{0,3})(?:[a-zA-Z]{1,20}=["'][^"']{0,40}["']\s{1,3})?\\?["']?(?:[a-z]{1,12}:)?(?i:value|content|default|defaultvalue|stringvalue)\\?["']?\s{0,3}[=:]\s{0,3}\\?(?:"([^"\r\n\\]{3,300})|'([^'\r\n\\]{3,300})|([^\s"',}<>]{3,300}))`)
	nextElement  = regexp.MustCompile(`^([A-Za-z0-9_.-]{0,30})</[a-zA-Z]{1,12}>\s{0,40}<[a-zA-Z]{1,12}>([^<>\s][^<>\r\n]{2,200})</`)
	namedElement = regexp.MustCompile(`^([A-Za-z0-9_.-]{0,30})["'][^<>]{0,60}>\s{0,10}(?:<(?:value|string)>)?\s{0,10}([^<>\s][^<>\r\n]{2,300}?)\s{0,10}</`)
)

// passwordName reports whether a name can only be a password's; the others are
// ordinary words as well, and their values must look random.
func passwordName(name string) bool {
	name = strings.ToLower(name)
	return strings.HasPrefix(name, "pass") || strings.HasPrefix(name, "pwd") || name == "kennwort" || name == "psk" || name == "keymaterial"
}

func findElement(text string, start, end int, emit func(from, to int)) {
	if !elementHead.MatchString(text[max(0, start-64):start]) {
		return
	}
	m := elementValue.FindStringSubmatchIndex(text[end:min(len(text), end+500)])
	if m == nil {
		return
	}
	rest := text[end : end+m[0]+1]
	if plausible.Describes.MatchString(strings.TrimRight(rest, ">")) {
		return
	}
	acceptNamed(text, text[start:end], end+m[2], end+m[3], emit)
}

func findNamedValue(text string, start, end int, emit func(from, to int)) {
	rest := text[end:min(len(text), end+420)]
	if !valueFollows(rest) {
		return // none of the expressions could match
	}
	m := namedValue.FindStringSubmatchIndex(rest)
	if m == nil {
		m = namedElement.FindStringSubmatchIndex(rest)
	}
	if m == nil {
		m = nextElement.FindStringSubmatchIndex(rest)
	}
	if m == nil || plausible.Describes.MatchString(rest[m[2]:m[3]]) && !strings.HasPrefix(strings.ToLower(rest[m[2]:m[3]]), "key") {
		return
	}
	for g := 4; g < len(m); g += 2 {
		if m[g] >= 0 {
			acceptNamed(text, text[start:end], end+m[g], end+m[g+1], emit)
			return
		}
	}
}

// valueFollows reports whether the rest of a name is followed by what namedValue and its like
// begin with: a quotation mark, a comma, the end of an element or of the line.
func valueFollows(rest string) bool {
	i := 0
	for i < len(rest) && i < 30 && (plausible.IsWordByte(rest[i]) || '0' <= rest[i] && rest[i] <= '9') {
		i++
	}
	for blanks := 0; i < len(rest) && blanks < 4; blanks++ {
		switch rest[i] {
		case '"', '\'', '\\', ',', '<', '\r', '\n':
			return true
		case ' ', '\t', '\f':
			i++
		default:
			return false
		}
	}
	return false
}

func acceptNamed(text, name string, from, to int, emit func(from, to int)) {
	v := text[from:to]
	if !plausible.Password(v) || plausible.CodeReference(v) || strings.Contains(v, "://") || plausible.Identifier(v, 0, 0, len(v)) {
		return
	}
	if passwordName(name) && !plausible.Prose(v) && (!strings.Contains(v, " ") || plausible.Passphrase(v)) || plausible.Token(v) {
		emit(from, to)
	}
}
