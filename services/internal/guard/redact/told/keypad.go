package told

import (
	"regexp"
	"strings"

	"github.com/winnowhq/winnow/services/internal/guard/redact/plausible"
)

// codeNouns name what is typed into a keypad or dialled on a lock.
func codeNouns() []string {
	return []string{"code", "combination", "combo", "kombination", "zahlenschloss", "puk", "pin", "geheimzahl", "otp", "disarmed with", "armed with", "entschärft mit", "unscharf mit", "bike lock", "padlock", "number lock", "combination lock", "fahrradschloss", "vorhängeschloss", "schloss vo", "entsperrt man mit", "öffnet man mit", "opens with", "opens on", "unlocks with", "unlocked with", "unlock with", "geht auf mit", "öffnet mit", "öffnet sich mit", "entsperrt mit", "entsperren mit"}
}

var (
	// codeHead matches what before "code" says that it opens something.
	codeHead = regexp.MustCompile(`(?i)(?:^|[^\p{L}])(?:` + locked + `(?:n|s|en|er)?|access|entry|unlock|lock|keypad|security|zugangs|zutritts|zahlen|öffnungs|entsperr|sperr|sicherheits|tastatur|schlüssel|eintritts|zugriffs|pin|sim|duress|panic|disarm|disarming|arming|scharf|unscharf|überfall|tablet|visitor|guest|besucher|gäste|wifi|voicemail|mailbox|` + role + `|` + onceOnly + `)[ -]?(?:pin[ -]?)?$`)
	// usedUp matches what behind a code's digits says that somebody proves with them who he is.
	usedUp = regexp.MustCompile(`(?i)^\s(?:to|for|zum|zur|für)\s(?:the |your |die |den |das )?(?:confirm|verify|log ?in|sign in|authenticate|unlock|disarm|approve|login|pairing|bestätigen|anmelden|freischalten|entsperren|anmeldung|freigabe)`)
	// codeOf matches what behind "code" says so.
	codeOf = regexp.MustCompile(`(?i)^s?\s(?:of|for|to|at|on|in|vom|von|für|fürs|zum|zur|am|an|im|des|der)?\s?(?:(?:the|our|my|that|der|die|das|dem|den|des|diese[nrm]?)\s)?(?:[\p{L}-]+\s){0,2}?[\p{L}-]*` + locked)
	// codeNear matches a lock or an alarm in the same clause, further before "code".
	codeNear = regexp.MustCompile(`(?i)(?:alarm|tür|tor\b|tresor|door|gate|safe|lock|schloss|keypad|schließfach|garage|tastenfeld|schranke)\p{L}*[^.\n]{0,30}$`)
	// holder matches a thing that has, takes or needs a code.
	holder = regexp.MustCompile(`(?i)` + locked + `\p{L}*\s(?:opens|unlocks|has|takes|uses|needs|wants|hat|braucht|verlangt|will|öffnet|geht)\s(?:with |on |by |auf mit |mit )?(?:the |a |den |dem |die )?$`)
	// otherCode matches what before "code" makes it no code of a lock.
	otherCode = regexp.MustCompile(`(?i)(?:error|exit|status|return|http|response|reason|result|zip|area|country|source|qr|bar|colou?r|region|airport|language|currency|promo|discount|product|sort|bank|dress|key|char|op|machine|byte|auth|fehler|status|post|länder|artikel|farb|abteilungs|rabatt|quell)[ _-]?$`)
	// codeTail matches what stands between "code" and its digits.
	codeTail = regexp.MustCompile(`(?i)^s?(?:[^.\n:=]{0,60}?\s(?:is|was|reads|ist|war|lautet|heißt)|[^.\n:=]{0,40}\s?(?:[:=]|->|→|–|—)|\s)\s{0,2}(?:(?:now|still|again|currently|changed to|set to|jetzt|noch|wieder|the|code|der|die)\s){0,2}["'\x60„“]?([#*]?\d[\d#*-]{2,11})["'\x60”“]?(?:$|[\s.,;!?)\]])`)
	// codeUnits matches what makes a number behind a code its length.
	codeUnits = regexp.MustCompile(`(?i)^\s?(?:digits?|characters?|stellen|ziffern|zeichen|stellig|times|mal|minutes?|seconds?|hours?|days?|tage|uhr|people|attempts?|versuche)`)
)

// findCode finds the digits that open a lock, told as a code, a combination or a PIN.
func findCode(text string, start, end int, emit func(from, to int)) {
	tail := text[end:min(len(text), end+110)]
	if !dialled(tail) {
		return
	}
	noun := strings.ToLower(text[start:end])
	head := text[max(0, start-40):start]
	switch {
	case strings.Contains(noun, " "), noun == "zahlenschloss", noun == "geheimzahl", noun == "otp" && text[start:end] == "OTP" && !joinedBefore(text, start):
		// "the safe opens with …"
	case noun == "otp":
		return
	case len(noun) == 3:
		if joinedBefore(text, start) || noun == "pin" && text[start:end] == "pin" && !holder.MatchString(head) && !codeOf.MatchString(tail) && !codeHead.MatchString(head) {
			return
		}
	case noun == "code" && otherCode.MatchString(head):
		return
	case usedUp.MatchString(codeBehind(tail)):
	case !codeHead.MatchString(head) && !holder.MatchString(head) && !codeOf.MatchString(tail) && !codeNear.MatchString(head):
		return
	}
	m := codeTail.FindStringSubmatchIndex(tail)
	if m == nil || codeUnits.MatchString(tail[m[3]:]) {
		return
	}
	if v := tail[m[2]:m[3]]; figures(v) >= 4 && !plausible.Dates.MatchString(strings.Trim(v, "#*")) && !plausible.Version.MatchString(v) {
		emit(end+m[2], end+m[3])
	}
}

// dialled reports whether a text holds at least four figures in a row, with the signs of
// keypads and locks between them: a necessary condition for codeTail, without which the word
// "code" in texts about programs would cost more than all else.
func dialled(text string) bool {
	n := 0
	for i := range len(text) {
		switch c := text[i]; {
		case '0' <= c && c <= '9':
			if n++; n >= 4 {
				return true
			}
		case c != '#' && c != '*' && c != '-':
			n = 0
		}
	}
	return false
}

// codeBehind returns what follows the digits right behind "code", empty without digits there.
func codeBehind(tail string) string {
	v := strings.TrimLeft(tail, " ")
	n := 0
	for n < len(v) && '0' <= v[n] && v[n] <= '9' {
		n++
	}
	if n < 4 || n > 10 {
		return ""
	}
	return v[n:]
}

func figures(s string) (n int) {
	for i := range len(s) {
		if '0' <= s[i] && s[i] <= '9' {
			n++
		}
	}
	return n
}
