package redact

import (
	"regexp"
	"strings"

	"github.com/winnowhq/winnow/services/internal/guard/redact/plausible"
)

// accountRules returns the rules for files of accounts (.netrc, Wi-Fi, rows of
// tables) and for environment variables that a blank separates from their value.
func accountRules() []anchoredRule {
	return []anchoredRule{
		{
			id: "netrc", rank: rankShaped, reach: 400,
			description: "Password of a .netrc entry (machine … login … password …).",
			words:       []string{"machine ", "default login "},
			expr:        regexp.MustCompile(`(?i)^(?:machine\s+[^\s]{1,200}|default)\s+(?:(?:login|user|account|port)\s+[^\s]{1,120}\s+){0,3}(?:password|passwd)\s+"?([^\s"]{3,200})`),
			accept:      func(c candidate) bool { return argumentSecret(c.value()) },
		},
		{
			id: "user-and-password", rank: rankShaped, reach: 200,
			description: "Password behind a user (user … pass …, login … password …).",
			words:       []string{"user", "login", "benutzer"},
			expr:        regexp.MustCompile(`(?i)^(?:user(?:name)?|login|benutzer(?:name)?)[ =:]{1,3}["'\x60]?[^\s"'\x60,;]{1,60}["'\x60]?[ ,;/|&]{1,3}(?:and |und )?(?:pass|pw|pwd|password|passwort|kennwort)[ =:]{1,3}["'\x60]?([^\s"'\x60,;]{4,100})`),
			accept: func(c candidate) bool {
				v := strings.TrimRight(c.value(), ".)")
				if i := strings.IndexByte(v, '&'); i >= 0 && nextParameter.MatchString(v[i:]) {
					v = v[:i] // password=…&ssl=true
				}
				return plausible.Loose(v) && (strings.ContainsAny(v, plausible.Digits) || plausible.Strict(v))
			},
		},
		{
			id: "env-listing", rank: rankGeneric, reach: 260,
			description: "Environment variable in a listing, a blank or a bar before its value (MAPBOX_SECRET x0t…).",
			words:       []string{"pass", "pw", "secret", "token", "_key", "seed", "credential", "_auth", "_otp", "apikey"},
			find:        findListed,
		},
		{
			id: "wifi-code", rank: rankShaped, reach: 240,
			description: "Password in the text of a Wi-Fi QR code (WIFI:T:WPA;S:…;P:…;).",
			words:       []string{"wifi:"},
			expr:        regexp.MustCompile(`(?i)^wifi:(?:[^\s]{0,100}?;)?P:((?:\\.|[^;\\\s]){4,100})`),
			accept:      func(c candidate) bool { return plausible.Password(c.value()) },
		},
		{
			id: "kube-string-data", rank: rankGeneric,
			description: "Value of a secret of Kubernetes in the clear (a line below stringData:), whatever its name.",
			words:       []string{"stringdata:"},
			find:        findStringData,
		},
		{
			id: "short-assignment", rank: rankGeneric,
			description: "Password under a short name (pass:, pw=, psk=, SMTP_PASS=, PIN:).",
			words:       []string{"pass", "pw", "psk", "pin", "kw", "seed", "secret", "salt", "requirepass", "masterauth", "bindpw", "rootpw", "dbpw", "dbpass", "userpass", "authpass", "keypass", "storepass", "mailpass"},
			find:        findShortAssignment,
		},
	}
}

// stringLine matches a line below stringData.
var stringLine = regexp.MustCompile(`^\n[ \t]+["']?([A-Za-z0-9_.-]{1,60})["']?:[ \t]*["']?([^\s"'|>&!{][^\n"']{4,200}?)["']?[ \t]*(?:\n|$)`)

// findStringData reads the lines below: all of them are secrets by where they stand, save what
// only describes one.
func findStringData(text string, _, end int, emit func(from, to int)) {
	for at := end; at < len(text); {
		m := stringLine.FindStringSubmatchIndex(text[at:min(len(text), at+300)])
		if m == nil {
			return
		}
		from, to := at+m[4], at+m[5]
		if v := text[from:to]; argumentSecret(v) && plausible.Named(v, 2) && !plausible.Describes.MatchString(text[at+m[2]:at+m[3]]) {
			emit(from, to)
		}
		at = to
		if i := strings.IndexByte(text[at:], '\n'); i >= 0 {
			at += i
		} else {
			return
		}
	}
}

// nextParameter matches what follows a value in the query of an address.
var nextParameter = regexp.MustCompile(`^&[A-Za-z_.-]{1,40}=`)

var listed = regexp.MustCompile(`^(?:PASS(?:WORD|WD|PHRASE)?|PW|PWD|SECRET|TOKEN|_KEY|SEED|CREDENTIALS?|_AUTH|_OTP|APIKEY)(?:_[A-Z0-9]{1,16}){0,2}(?:[ \t]*(?:\||->|=>|→|[=:])[ \t]*|[ \t]{1,40})["'\x60]?([^\s"'\x60|]{6,200})`)

// findListed needs a name in capitals, since a blank alone joins any two words.
func findListed(text string, start, _ int, emit func(from, to int)) {
	m := listed.FindStringSubmatchIndex(text[start:min(len(text), start+260)])
	if m == nil {
		return
	}
	b := byteBefore(text, start)
	if strings.HasPrefix(text[start:], "PASS:") && b != '_' {
		return // a test that passed
	}
	if text[start] != '_' && b != '_' && b != 0 && !('A' <= b && b <= 'Z') && strings.IndexByte(" \t\n\"'`", b) < 0 {
		return
	}
	from, to := start+m[2], start+m[3]
	v := strings.TrimRight(text[from:to], ".,;:)}")
	if strings.HasPrefix(v, "?") || plausible.Placeholder(strings.TrimPrefix(strings.TrimPrefix(v, "-"), "base64:")) {
		return
	}
	setting := strings.ContainsAny(text[start:from], "=:") && !strings.HasPrefix(text[start:], "_K")
	if setting && plausible.Named(v, 2) && strings.ToUpper(v) != v || plausible.Strict(v) && (len(v) < 8 && b == '_' || plausible.Token(v)) || len(v) >= 16 && plausible.Token(v) && !plausible.Host.MatchString(v) && !plausible.UUID.MatchString(v) && !plausible.ULID.MatchString(v) {
		emit(from, from+len(v))
	}
}

// argumentValue matches a value that follows its name as the next argument.
var argumentValue = regexp.MustCompile(`^["']\s?,\s{0,3}["']([^"'\s]{5,100})["']\s?[,)]`)

var shortValue = regexp.MustCompile(`^(?:\d{1,2}|_\d{1,2})?(\\?["'\x60]?\]?\s{0,3}(?::=|=>|={1,3}|:|\?{1,2}=?|\|\|=?)\s{0,8})(?:\\?["'\x60]([^"'\x60\r\n\\]{1,200})|([^\s"'\x60,;<>(){}\[\]⟨\\]{3,200}))`)

// findShortAssignment accepts names that are also parts of other words only where
// they stand for themselves: alone, behind a joiner, or as the last part of a
// name in camel case.
func findShortAssignment(text string, start, end int, emit func(from, to int)) {
	name := text[start:end]
	b := byteBefore(text, start)
	if strings.HasPrefix(text[end:], ":?") || strings.HasPrefix(text[end:], ":-") {
		// ${SMTP_PASS:?missing}, ${SMTP_PASS:-a default}
		if to := strings.IndexAny(text[end:min(len(text), end+200)], "}\n"); text[end+1] == '-' && to > 2 && plausible.Loose(text[end+2:end+to]) && plausible.Chosen(text[end+2:end+to]) {
			emit(end+2, end+to)
		}
		return
	}
	joined := len(name) > 4 && name[0] != 's' && name[0] != 'S' || b == '_' || b == '-' || b == '.' || 'a' <= b && b <= 'z' && 'A' <= name[0] && name[0] <= 'Z'
	if !joined && b != 0 && (plausible.IsLetter(rune(b)) || '0' <= b && b <= '9' || b == '$' || b == '/') {
		return
	}
	m := shortValue.FindStringSubmatchIndex(text[end:min(len(text), end+230)])
	if m == nil {
		// define('CMS_DB_PASS', '…')
		if m := argumentValue.FindStringSubmatchIndex(text[end:min(len(text), end+130)]); m != nil && (b == '_' || b == '-' || b == '.') && strings.EqualFold(name[:1], "p") && plausible.Loose(text[end+m[2]:end+m[3]]) {
			emit(end+m[2], end+m[3])
		}
		return
	}
	quotedValue := m[4] >= 0
	from, to := end+m[6], end+m[7]
	if quotedValue {
		from, to = end+m[4], end+m[5]
	}
	operator := strings.Trim(text[end+m[2]:end+m[3]], "\\\"'`")
	v := text[from:to]
	if !quotedValue {
		v = strings.TrimRight(v, ".:!?")
		to = from + len(v)
		if to < len(text) && text[to] == '(' {
			return
		}
	}
	if !plausible.Password(v) || plausible.CodeReference(v) || strings.HasPrefix(v, "/") || plausible.About(v) && !quotedValue {
		return
	}
	if strings.HasPrefix(v, "$") || strings.Contains(v, "://") {
		return
	}
	lower := strings.ToLower(name)
	switch number := allDigits.MatchString(v); {
	case lower == "pin":
		if number && plausible.PIN.MatchString(v) && (quotedValue || operator != "=" || joined) {
			emit(from, to)
		}
	case lower == "seed" || lower == "salt" || lower == "secret":
		if !number && plausible.Token(v) && len(v) >= 12 && !plausible.Identifier(text, start, from, to) {
			emit(from, to)
		}
	case number && !joined, name == "PASS" && !joined && strings.Contains(operator, ":"):
		// "pass: 12" counts tests, "PASS: TestX" names one.
	case joined && (operator == "=" || quotedValue) && !plausible.Prose(v), plausible.Chosen(v) && (environment(text, from) || inList(text, start, from, to)):
		emit(from, to)
	case quotedValue && !plausible.Prose(v) && !strings.Contains(v, " "):
		emit(from, to)
	case plausible.Loose(v) && alone(text, start, to):
		emit(from, to)
	case plausible.Loose(v) && !plausible.Numbered.MatchString(v) || joined && plausible.Loose(v) || (lower == "psk" || lower == "pw") && plausible.Loose(v):
		emit(from, to)
	}
}

// alone reports whether a line holds a name and its value only, as files of
// settings have it.
func alone(text string, start, end int) bool {
	line := start
	for line > 0 && strings.IndexByte(" \t-\"'", text[line-1]) >= 0 {
		line--
	}
	rest := end
	for rest < len(text) && strings.IndexByte("\"' \t\r,", text[rest]) >= 0 {
		rest++
	}
	return line > 0 && text[line-1] == '\n' && (rest == len(text) || text[rest] == '\n')
}

var allDigits = regexp.MustCompile(`^\d+$`)

// passFileScanner finds the lines of a .pgpass file
// (host:port:database:user:password), which no word announces.
type passFileScanner struct{}

const passFileRule = "pgpass"

// passFileLine matches a whole line; the last group is the secret.
var passFileLine = regexp.MustCompile("^[\\s`'\"+>-]*(?:[A-Za-z0-9*](?:[\\w.-]{0,100}[A-Za-z0-9])?|\\*|/[\\w./-]+):(?:\\d{2,5}|\\*):(?:[\\w-][\\w.-]{0,62}|\\*):(?:[\\w-][\\w.@-]{0,62}|\\*):((?:\\\\:|[^\\s:`'\"]){4,100})[`'\"]?\\s*$")

func (passFileScanner) scan(segment string, emit func(span)) {
	for at := 0; at < len(segment); {
		end := strings.IndexByte(segment[at:], '\n')
		if end < 0 {
			end = len(segment)
		} else {
			end += at
		}
		// The line may end a sentence or a command ("echo 'h:5432:…' >> ~/.pgpass").
		for from := at; from < end; {
			to := end
			if i := strings.IndexAny(segment[from:end], " \t"); i >= 0 {
				to = from + i
			}
			if n := to - from; n >= 13 && n < 300 && strings.Count(segment[from:to], ":") >= 4 {
				if m := passFileLine.FindStringSubmatchIndex(segment[from:to]); m != nil {
					v := segment[from+m[2] : from+m[3]]
					host, _, _ := strings.Cut(segment[from:to], ":")
					if !plausible.FileEnding.MatchString(host) && plausible.Password(v) && !plausible.Path(v) && (strings.ContainsAny(v, plausible.Digits) || plausible.Mixed(v) || plausible.Signed(v) || plausible.Passphrase(v)) && !allDigits.MatchString(v) {
						emit(span{rule: passFileRule, rank: rankShaped, start: from + m[2], end: from + m[3]})
					}
				}
			}
			from = to + 1
		}
		at = end + 1
	}
}
