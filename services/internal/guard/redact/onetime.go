package redact

import (
	"regexp"
	"slices"
	"strings"

	"github.com/winnowhq/winnow/services/internal/guard/redact/plausible"
)

// oneTimeRules returns the rules for second factors: seeds of one-time passwords,
// recovery codes and phrases.
func oneTimeRules() []anchoredRule {
	return []anchoredRule{
		{
			id: "totp-seed", rank: rankShaped,
			description: "Seed of one-time passwords (otpauth://…?secret=…, 2FA seed in groups of four).",
			words:       []string{"otpauth:", "totp", "2fa", "mfa", "otp", "two-factor", "two factor", "authenticator", "zwei-faktor", "einmalpasswort", "setup key", "secret key", "seed", "einrichtungsschlüssel", "google auth"},
			find:        findSeed,
		},
		{
			id: "recovery-code", rank: rankShaped,
			description: "Recovery or backup codes, each of a list.",
			words: []string{"recovery code", "recovery-code", "recovery_code", "backup code", "backup-code", "backup_code", "scratch code", "emergency code", "rescue code", "recovery key", "recovery-key", "wiederherstellungscode", "wiederherstellungsschlüssel", "backupcode", "notfallcode", "notfall-code",
				"ersatzcode", "rettungscode", "sicherungscode", "one-time code", "einmalcode", "2fa code", "2fa-code", "mfa code", "mfa-code", "single-use code", "backup token", "recovery token", "fallback code", "reserve code", "reservecode", "restore code", "recovery: ", "codes if ", "codes in case ", "unseal key", "unlock code", "bitlocker", "tan-liste", "tan list", "tans:"},
			find: findCodes,
		},
		{
			id: "seed-phrase", rank: rankShaped,
			description: "Recovery phrase of twelve or more words.",
			words:       []string{"seed phrase", "seed-phrase", "mnemonic", "recovery phrase", "secret phrase", "wiederherstellungsphrase", "seed words", "seed-wörter"},
			find:        findPhrase,
		},
	}
}

var (
	base32Run   = regexp.MustCompile(`(?:^|[^A-Za-z0-9])([A-Z2-7]{16,128}|[a-z2-7]{16,128})(?:={0,6})(?:$|[^A-Za-z0-9_-])`)
	base32Group = regexp.MustCompile(`(?:^|[^A-Za-z0-9])((?:[a-z2-7]{4}[ -]){3,15}[a-z2-7]{2,4}|(?:[A-Z2-7]{4}[ -]){3,15}[A-Z2-7]{2,4})(?:$|[^A-Za-z0-9_-])`)
	seedParam   = regexp.MustCompile(`(?i)[?&]secret=([A-Za-z2-7%=]{8,200})`)
)

// seedReach bounds the distance between the word and the seed, in bytes.
const seedReach = 160

func findSeed(text string, start, end int, emit func(from, to int)) {
	if b := byteBefore(text, start); strings.EqualFold(text[start:end], "otp") && b != 0 && plausible.IsLetter(rune(b)) {
		return
	}
	rest := text[end:min(len(text), end+seedReach)]
	if i := strings.Index(rest, "\n\n"); i >= 0 {
		rest = rest[:i]
	}
	if strings.HasPrefix(strings.ToLower(text[start:end]), "otpauth") {
		if m := seedParam.FindStringSubmatchIndex(rest); m != nil && !plausible.Placeholder(rest[m[2]:m[3]]) {
			emit(end+m[2], end+m[3])
		}
		return
	}
	for _, expr := range []*regexp.Regexp{base32Run, base32Group} {
		for _, m := range expr.FindAllStringSubmatchIndex(rest, 4) {
			// Words are no seed: a drawn one has digits, and no group that is one.
			if v := rest[m[2]:m[3]]; strings.ContainsAny(v, "234567") && !plausible.Placeholder(v) && !slices.ContainsFunc(strings.FieldsFunc(strings.ToLower(v), func(r rune) bool { return r == ' ' || r == '-' }), func(g string) bool { return plausible.FunctionWords[g] }) {
				emit(end+m[2], end+m[3])
			}
		}
	}
}

func countAny(s, chars string) (n int) {
	for i := 0; i < len(s); i++ {
		if strings.IndexByte(chars, s[i]) >= 0 {
			n++
		}
	}
	return n
}

// codesReach bounds the length of a list of codes in bytes.
const codesReach = 900

var (
	codeShape = regexp.MustCompile(`^(?:[A-Za-z0-9]{3,12}(?:-[A-Za-z0-9]{3,12}){1,7}|[A-Za-z0-9]{6,24}|[A-Za-z0-9+/]{40,64}={0,2})$`)
	// pairShape matches the first of two groups of digits, secondGroup the second.
	pairShape   = regexp.MustCompile(`^\d{4}$`)
	secondGroup = regexp.MustCompile(`^[ \t]\d{4}(?:$|[^\d\w.:-])`)
	listMark    = regexp.MustCompile(`^(?:[-*•]|\d{1,2}[.):]|\[[ x]\])$`)
)

// findCodes walks the words behind the announcement: some words of prose may come
// before the first code, none between the codes.
func findCodes(text string, start, end int, emit func(from, to int)) {
	limit := min(len(text), end+codesReach)
	found, prosaic := false, 0
	for at := end; at < limit; {
		if strings.IndexByte(" \t\r\n,;|/\"'`", text[at]) >= 0 {
			at++
			continue
		}
		from := at
		for at < limit && strings.IndexByte(" \t\r\n,;|/\"'`", text[at]) < 0 {
			at++
		}
		to := at
		for to > from && strings.IndexByte(".:)]}", text[to-1]) >= 0 {
			to--
		}
		for from < to && strings.IndexByte("([{", text[from]) >= 0 {
			from++
		}
		v := text[from:to]
		switch {
		case v == "" || listMark.MatchString(text[from:at]):
		case codeShape.MatchString(v) && oneTimeCode(v):
			emit(from, to)
			found = true
		case pairShape.MatchString(v):
			// Eight digits in two groups: "8510 3521".
			m := secondGroup.FindStringIndex(text[at:min(limit, at+6)])
			if m == nil {
				if found {
					return
				}
				continue
			}
			at += m[1]
			for at > to && !('0' <= text[at-1] && text[at-1] <= '9') {
				at--
			}
			emit(from, at)
			found = true
		case found && v != "and" && v != "und":
			return
		default:
			if prosaic++; prosaic > 10 {
				return
			}
		}
	}
}

// oneTimeCode tells a code from a word, a date, a version or a name with a number.
func oneTimeCode(v string) bool {
	if plausible.Dates.MatchString(v) || plausible.Technical.MatchString(v) || plausible.Units.MatchString(v) || !strings.ContainsAny(v, plausible.Digits) || plausible.UUID.MatchString(v) {
		return false
	}
	return len(v) >= 6 && (!plausible.Numbered.MatchString(v) || countAny(v, plausible.Digits) >= 3)
}

var phraseWords = regexp.MustCompile(`((?:[a-z]{3,8}[ ,]{1,2}){11,23}[a-z]{3,8})\b`)

func findPhrase(text string, start, end int, emit func(from, to int)) {
	rest := text[end:min(len(text), end+400)]
	m := phraseWords.FindStringSubmatchIndex(rest)
	if m == nil {
		return
	}
	for _, w := range strings.Fields(rest[m[2]:m[3]]) {
		if plausible.FunctionWords[strings.Trim(w, ",")] {
			return
		}
	}
	emit(end+m[2], end+m[3])
}
