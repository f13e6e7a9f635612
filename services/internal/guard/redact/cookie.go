package redact

import (
	"regexp"
	"strings"

	"github.com/winnowhq/winnow/services/internal/guard/redact/plausible"
)

// cookieRules returns the rules for session values of cookie headers, pair by
// pair, so that harmless cookies (theme, locale) stay readable.
func cookieRules() []anchoredRule {
	return []anchoredRule{{
		id: "session-cookie", rank: rankShaped,
		description: "Session value of a Cookie or Set-Cookie header, or of a well-known session cookie.",
		words:       []string{"cookie", "phpsessid", "jsessionid", "connect.sid", "sessionid", "session_id", "asp.net_sessionid"},
		find:        findCookies,
	}}
}

var (
	cookieHead = regexp.MustCompile(`(?i)^cookie2?\\?["']?\s{0,2}[:=]\s{0,2}\\?["']?`)
	cookiePair = regexp.MustCompile(`^\s{0,2}([A-Za-z0-9!#$%&*+.^_|~-]{1,80})=([^\s;,"'<>\\]*)(?:;|$|[\s"'\\,])`)
	knownPair  = regexp.MustCompile(`(?i)^[a-z._]{8,20}["']?\s{0,2}[=:]\s{0,2}["']?([^\s;,"'<>&\\]{8,512})`)
	// sessionName matches cookies that carry a login; all others are
	// preferences and statistics.
	sessionName = regexp.MustCompile(`(?i)sess|sid$|^sid|auth|token|jwt|csrf|xsrf|login|remember|identity|credential|secret|key$|^__host-|^__secure-`)
)

func findCookies(text string, start, end int, emit func(from, to int)) {
	limit := min(len(text), start+8192)
	head := cookieHead.FindStringIndex(text[start:limit])
	if head == nil {
		m := knownPair.FindStringSubmatchIndex(text[start:limit])
		if m == nil {
			return
		}
		// Logs and agents' transcripts name sessions by UUID. In a cookie
		// header even a UUID is a credential.
		if value := text[start+m[2] : start+m[3]]; plausible.Token(value) && !plausible.UUID.MatchString(value) {
			emit(start+m[2], start+m[3])
		}
		return
	}
	for at := start + head[1]; at < limit; {
		m := cookiePair.FindStringSubmatchIndex(text[at:limit])
		if m == nil {
			return
		}
		name, value := text[at+m[2]:at+m[3]], text[at+m[4]:at+m[5]]
		random := plausible.Token(value) || len(value) >= 16 && plausible.Random(value)
		if random && (sessionName.MatchString(name) || len(value) >= 24 && !strings.Contains(value, ".")) {
			emit(at+m[4], at+m[5])
		}
		at += m[1]
	}
}

// findDriverDSN looks left of "@tcp(" for user:password.
func findDriverDSN(text string, start, _ int, emit func(from, to int)) {
	from := max(0, start-200)
	if i := strings.LastIndexAny(text[from:start], " \t\r\n\"'`=("); i >= 0 {
		from += i + 1
	}
	if i := strings.IndexByte(text[from:start], ':'); i >= 0 && plausible.Password(text[from+i+1:start]) {
		emit(from+i+1, start)
	}
}
