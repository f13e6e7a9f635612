package plausible

import (
	"regexp"
	"strings"
	"unicode"
)

// This file judges passwords by themselves. How much a value must look like a
// password depends on what announces it: behind "the password is" almost
// anything counts (Loose), behind a mere neighbour only what is no word,
// name, number or address (Strict).

// drawnLetters matches passwords that a service draws from letters alone, in groups
// between hyphens, as for one app.
var drawnLetters = regexp.MustCompile(`^[a-z]{4}(?:-[a-z]{4}){3}$`)

// Loose reports whether a value behind a plain announcement is a
// password: it has a digit, a sign or changing case, and is none of the things
// that sentences about passwords mention.
func Loose(v string) bool {
	return Password(v) && !CodeReference(v) && !About(v) && (strings.ContainsAny(v, Digits) || Signed(v) || Mixed(v) || drawnLetters.MatchString(v)) && !Units.MatchString(v)
}

// Strict reports whether a value is a password although little
// announces it.
func Strict(v string) bool {
	if drawnLetters.MatchString(v) {
		return true
	}
	if len(v) < 6 || !Loose(v) || Path(v) || strings.Contains(v, "://") || strings.Contains(v, "()") {
		return false
	}
	if Numbered.MatchString(v) || Kebab.MatchString(v) && !strings.ContainsAny(v, Digits) {
		return false
	}
	if Host.MatchString(v) || UUID.MatchString(v) || ULID.MatchString(v) {
		return false
	}
	letters := strings.IndexFunc(v, unicode.IsLetter) >= 0
	return letters && (strings.ContainsAny(v, Digits) || Mixed(v) || Signed(v) && !Kebab.MatchString(v))
}

// About reports whether a value is a term, date, version, host or address as
// sentences about passwords hold them.
func About(v string) bool {
	return Technical.MatchString(v) || Dates.MatchString(v) || Version.MatchString(v) || strings.Contains(v, "://") ||
		strings.HasPrefix(v, "/") || list.MatchString(v) || strings.Contains(v, "${") || strings.Contains(v, ":$") || strings.HasPrefix(v, "~/") || strings.HasPrefix(v, "--") || Prose(v) || FileEnding.MatchString(v) || Mail.MatchString(v)
}

var (
	Technical = regexp.MustCompile(`(?i)^(?:argon2(?:id?|d)?|bcrypt|scrypt|yescrypt|sha-?\d{1,3}(?:-\d+)?|sha3-\d+|blake[23][bs]?|md[245]|base-?(?:32|58|64|85)(?:url)?(?:-.*)?|utf-?\d+(?:-.*)?|utf8mb4|pbkdf2(?:[-:_].*)?|oauth-?2(?:\.0)?|openid|aes-?\d*(?:-.*)?|rsa-?\d*|hmac(?:-.*)?|[hrep]s(?:256|384|512)|ed25519|x25519|x\.?509|tls-?v?[\d.]*|ssl-?v?[\d.]*|https?/?[\d.]*|http2|ipv[46]|1password|2fa|mfa|k8s|i18n|l10n|s3|ec2|rfc-?\d+|cve-.*|pkcs-?#?\d+|p-?256|latin-?1|ascii|win32|x86(?:_64)?|arm64|amd64(?:v\d)?|mips64(?:le)?|ppc64(?:le)?|riscv64|s390x|i[3-6]86|log4j|web3|ntlmv?\d?|wpa[23]?(?:-.*)?|wep|h264|mp[34]|ldap3?|kv2|id_(?:rsa|ed25519|ecdsa).*)$`)
	Dates     = regexp.MustCompile(`^(?:\d{4}-\d{2}(?:-\d{2})?(?:[T ].*)?|\d{1,2}\.\d{1,2}\.(?:\d{2,4})?|\d{1,2}/\d{1,2}/\d{2,4}|\d{1,2}:\d{2}(?::\d{2})?(?:[ap]m|Uhr|Z)?|20\d\d|Q[1-4](?:[-/]?\d{2,4})?|20\d\d[-/]?Q[1-4]|KW\d+)$`)
	// PIN matches the digits of a personal number.
	PIN = regexp.MustCompile(`^\d{4,8}$`)
	// Units matches counts with what they count: 12-character, 90d, 8+, 30-day, 16-stellig.
	Units = regexp.MustCompile(`(?i)^\d+(?:[.,]\d+)?(?:[+%]|-?(?:st|nd|rd|th|x|s|m|h|d|w|ms|min|mins|sec|hrs?|days?|weeks?|months?|years?|kb|kib|mb|mib|gb|bits?|bytes?|chars?|characters?|letters?|digits?|words?|times?|stellig|zeichen|tage|stunden|minuten|mal))$`)
	// Numbered matches a name with a number: node3, db-02, web-server-01, Python3.
	Numbered = regexp.MustCompile(`^(?:[A-Z]?[a-z]+(?:[-_.][a-z]+)*|[A-Z]+(?:[-_][A-Z]+)*)[-_.#]?v?\d{1,4}[a-z]{0,2}$`)
	Host     = regexp.MustCompile(`^(?:\d{1,3}\.){3}\d{1,3}(?::\d+)?$|^(?:[A-Za-z0-9](?:[A-Za-z0-9-]*[A-Za-z0-9])?\.)+(?:com|org|net|io|dev|de|eu|at|ch|uk|local|internal|lan|test|example|invalid|cloud|app|svc|cluster)(?::\d+)?(?:/\S*)?$|^[a-z][a-z0-9-]*:\d{2,5}$`)
	Mail     = regexp.MustCompile(`^[\w.+-]+@[\w-]+(?:\.[\w-]+)+$`)
)

// Signed reports whether signs that words do not hold stand in a value. At its end
// a sign may be the sentence's.
func Signed(v string) bool {
	return strings.ContainsAny(strings.TrimRight(v, "!?"), "!#$%&*+=?^~|§€@")
}

// Passphrase reports whether a value is three to ten words in a row that make no
// sentence: none of them is an article, a preposition, an auxiliary or the like.
func Passphrase(v string) bool {
	if len(v) < 12 || len(v) > 120 {
		return false
	}
	words := strings.FieldsFunc(v, func(r rune) bool { return r == ' ' || r == '-' || r == '_' || r == '.' })
	if len(words) < 3 || len(words) > 10 {
		return false
	}
	for _, w := range words {
		if len(w) < 2 || FunctionWords[strings.ToLower(w)] || strings.IndexFunc(w, func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) }) >= 0 {
			return false
		}
	}
	return true
}

// FunctionWords are words that a sentence has and a passphrase of drawn words has not.
var FunctionWords = Set("the", "an", "of", "in", "on", "at", "to", "for", "from", "by", "with", "and", "or", "not", "no", "is", "are", "was", "were", "be", "been", "has", "have", "had",
	"must", "should", "shall", "can", "cannot", "could", "will", "would", "may", "do", "does", "did", "it", "its", "this", "that", "these", "your", "my", "our", "their", "you", "we", "they", "he", "she",
	"invalid", "incorrect", "wrong", "required", "expired", "missing", "password", "passwort", "kennwort", "passphrase", "secret", "token", "user", "username", "login", "failed", "error", "example", "here", "least", "characters",
	"der", "die", "das", "dem", "den", "des", "ein", "eine", "einen", "und", "oder", "nicht", "kein", "keine", "ist", "sind", "war", "wird", "werden", "wurde", "muss", "soll", "kann", "darf", "hat", "haben", "im", "am", "an", "auf", "bei", "mit", "von", "vom", "zu", "zum", "zur", "für", "aus", "wie", "falsch", "ungültig", "abgelaufen", "fehlt", "new", "old", "neu", "neues", "alt", "altes", "ihr", "dein", "so", "if", "as", "empty", "than", "too", "via", "per", "after", "before", "short", "long", "weak", "until", "till", "since", "now", "still", "also", "please", "only", "during", "within", "without", "because", "when", "while", "where", "bis", "seit", "jetzt", "noch", "auch", "bitte", "nur", "weil", "wenn", "während", "ohne")

// Identifier reports whether a value names a thing and does not open it: a ULID, a
// UUID, or a digest, unless its label says plainly that it is a secret. from
// is where the label begins.
func Identifier(text string, from, start, end int) bool {
	// Expressions include the full stop of a sentence.
	v := strings.TrimRight(text[start:end], ".")
	if ULID.MatchString(v) {
		return true
	}
	label := strings.ToLower(text[from:start])
	if UUID.MatchString(v) {
		return !Openly(label)
	}
	switch len(v) {
	case 32, 40, 64, 96, 128:
		return Hex.MatchString(v) && digestLabel.MatchString(label)
	}
	return false
}

var (
	ULID        = regexp.MustCompile(`^[0-7][0-9A-HJKMNP-TV-Z]{25}$`)
	UUID        = regexp.MustCompile(`(?i)^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$`)
	Hex         = regexp.MustCompile(`(?i)^[0-9a-f]+$`)
	digestLabel = regexp.MustCompile(`sha-?\d|hash|digest|checksum|commit|revision|\brev\b|fingerprint|etag|md5|\bcid\b`)
)

// Openly reports whether a label calls its value a secret.
func Openly(label string) bool {
	for _, w := range []string{"secret", "token", "passw", "api_key", "apikey", "api-key", "api key", "credential"} {
		if strings.Contains(label, w) {
			return true
		}
	}
	return false
}

// list matches numbers with signs between: a list, an address of a network card.
var list = regexp.MustCompile(`(?i)^\d+(?:,\d+)+$|^(?:[0-9a-f]{2}:){2,}[0-9a-f]{2}$`)

// code matches what programs and addresses hold and people's passwords do not: brackets,
// pointers, numbers of hexadecimal digits, types, a file with its line, a named argument,
// an action at its version, the rest of a cut UUID.
var code = regexp.MustCompile(`[(){}<>\[\]\\|;,"]|^[*&_:-]|[_-]$|\*\*|^0x[0-9A-Fa-f]+$|^(?:u?int|float|complex)\d+$|\.[a-z]{1,4}:\d+$|^[A-Za-z]+_\w*=|=\w+[._]\w|^[A-Z_]+=[\d.]*$|^[a-z_]{1,10}=[\d.]{1,3}$|@v?\d|@sha|^HTTP/|^[a-z+]+://|^[a-z]{1,10}:#?\d+$|^#\d+$|^\w+\.\w+\.\w+\.|^[A-Z0-9]+(?:_[A-Z0-9]+)+$`)

// Named reports whether a value is a password where a sentence all but says so: stricter
// than Loose about addresses and paths, looser than Strict about a name with a number
// ("Holzkiste1944"), which needs so many digits at least.
func Named(v string, number int) bool {
	if drawnLetters.MatchString(v) {
		return true
	}
	if len(v) < 6 || code.MatchString(v) || !Loose(v) || Path(v) || Host.MatchString(v) || UUID.MatchString(v) || ULID.MatchString(v) || strings.Contains(v, "()") {
		return false
	}
	letters, figures, lower := 0, 0, false
	for _, r := range v {
		switch {
		case unicode.IsLetter(r):
			letters++
			lower = lower || unicode.IsLower(r)
		case '0' <= r && r <= '9':
			figures++
		}
	}
	if letters == 0 || Kebab.MatchString(v) && figures == 0 {
		return false
	}
	if Numbered.MatchString(v) {
		return letters >= 4 && lower && figures >= number
	}
	return figures > 0 || Signed(v) && !Kebab.MatchString(v) || Mixed(v)
}
