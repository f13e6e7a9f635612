package redact

import (
	"regexp"
	"strings"

	"github.com/winnowhq/winnow/services/internal/guard/redact/plausible"
)

// assignedValue matches what may follow the name of a secret: at most a short
// suffix of the name, an operator, and a value, quoted or bare. Lengths are bounded by the
// rule's reach and not here: counted repetition would make a program too large for the faster
// of the two machines of package regexp.
const (
	nameSuffix = `((?:[_-]?[A-Za-z0-9]{1,14}){0,3})`
	operator   = `\\?["'\x60]?[\])]?\s{0,3}(?::\s?&?[A-Za-z_][\w\[\].|?]*\s=|\sstring\s=|:=|=>|={1,3}|:|\?{1,2}=?|\|{1,2}=?|,\s{0,2}["'])\s{0,3}`
	quoted     = `(?:[bBrRuUfN@]{1,2}|&[\w-]+\s|!!?[\w:.-]+\s)?(?:"""|\'\'\'|\\?["'\x60])([^"'\x60\r\n\\]+)\\?["'\x60]`
	bare       = `(?:[|>][-+]?[ \t]{0,3}\n[ \t]{1,12}|<(?:code|b|strong|tt|kbd|em)>)?\{?([^\s"'\x60,;&<>(){}\[\]|⟨]+)`
)

// assignmentRules returns the rules for name = value pairs. Names that can only
// be passwords accept nearly any value; names that are also ordinary words
// ("token", "key") accept only values that look random.
func assignmentRules() []anchoredRule {
	password := []string{"password", "passwd", "passwort", "kennwort", "passphrase", "pwd", "passcode"}
	secret := []string{
		"secret", "token", "api_key", "apikey", "api-key", "api key", "access_key", "accesskey", "access-key",
		"account_key", "accountkey", "private_key", "privatekey", "auth_key", "authkey", "encryption_key",
		"signing_key", "credential", "sharedaccesskey", "client_key", "master_key", "service_key", "license_key",
	}
	return []anchoredRule{
		assignment("password-assignment", "Password given a value in quotes (password = \"…\").", password, quoted, acceptQuotedPassword),
		assignment("password-bare", "Password given a bare value (password: …).", password, bare, acceptBarePassword),
		assignment("secret-assignment", "Secret, token or key given a random-looking value in quotes.", secret, quoted, acceptSecret),
		assignment("secret-bare", "Secret, token or key given a random-looking bare value.", secret, bare, acceptSecret),
	}
}

func assignment(id, description string, words []string, value string, accept func(candidate) bool) anchoredRule {
	return anchoredRule{
		id: id, description: description, rank: rankGeneric, words: words, reach: 320,
		// The word itself is letters, blanks and joiners; the suffix is captured
		// so that "password_file" and "token_count" can be told apart.
		expr:   regexp.MustCompile(`(?i)^(?:` + alternation(words) + `)` + nameSuffix + operator + value),
		accept: accept,
	}
}

// alternation joins words, longer ones first, so that the suffix starts after
// them.
func alternation(words []string) string {
	quotedWords := make([]string, len(words))
	for i, w := range words {
		quotedWords[i] = regexp.QuoteMeta(w)
	}
	return strings.Join(quotedWords, "|")
}

func acceptQuotedPassword(c candidate) bool {
	return nameOfSecret(c) && plausible.Password(c.value()) && !plausible.Prose(c.value())
}

// acceptBarePassword is stricter than acceptQuotedPassword: after a bare colon
// prose is as frequent as a password.
func acceptBarePassword(c candidate) bool {
	v := strings.TrimRight(c.value(), ".:!?")
	if !nameOfSecret(c) || !plausible.Password(v) || c.after() == '(' || plausible.CodeReference(v) || plausible.Path(v) && strings.Count(v, "/") > 1 {
		return false
	}
	if plausible.Technical.MatchString(v) || plausible.Dates.MatchString(v) || plausible.Units.MatchString(v) {
		return false
	}
	return strings.ContainsAny(v, plausible.Digits) || plausible.Random(v) || lastOnLine(c) && !plausible.Prose(v) || (environment(c.text, c.start) || inList(c.text, c.word, c.start, c.end)) && plausible.Chosen(v)
}

// environment reports whether a value stands right behind the sign of an assignment in the
// shell: a name in capitals and no blank.
func environment(text string, start int) bool {
	if start < 2 || text[start-1] != '=' {
		return false
	}
	b := text[start-2]
	return 'A' <= b && b <= 'Z'
}

var (
	listedBefore = regexp.MustCompile(`(?:^|[\s"'(?;,&])[A-Za-z_.][\w. -]{0,30}=[^\s=;,&]{1,80}(?:[;,&]\s?|\s)[\w.-]{0,20}$`)
	listedBehind = regexp.MustCompile(`^["']?(?:[;,&]\s?|\s)[A-Za-z_.][\w. -]{0,30}=[^\s=]`)
)

// inList reports whether name=value is one of several, as in a connection string or the
// options of a mount.
func inList(text string, word, start, end int) bool {
	return start > 0 && text[start-1] == '=' && (listedBehind.MatchString(text[end:min(len(text), end+60)]) || listedBefore.MatchString(text[max(0, word-120):word]))
}

func acceptSecret(c candidate) bool {
	v := c.value()
	if c.before() == ':' && c.text[c.start-1] == ':' {
		return false // arn:aws:secretsmanager:…:secret:name
	}
	return nameOfSecret(c) && c.after() != '(' && plausible.Token(v) && !plausible.CodeReference(v) && !plausible.Identifier(c.text, c.word, c.start, c.end)
}

// nameOfSecret reports whether the name is a secret's, and does not only begin
// like one: password_file, token_count, secretName.
func nameOfSecret(c candidate) bool {
	return !plausible.Describes.MatchString(c.name)
}

// lastOnLine reports whether nothing but closing punctuation follows the value.
func lastOnLine(c candidate) bool {
	rest := c.text[c.end:]
	if i := strings.IndexAny(rest, "\r\n"); i >= 0 {
		rest = rest[:i]
	}
	return strings.Trim(rest, " \t.;,)'\"`}") == ""
}
