package told

import (
	"regexp"
	"strings"

	"github.com/winnowhq/winnow/services/internal/guard/redact/plausible"
)

// This file finds secrets that no noun names, by what is done with them: something is
// protected, locked or opened with them, or they are typed into a keypad.

// openingVerbs are the verbs of locking and opening in both languages.
func openingVerbs() []string {
	return []string{
		"protected with", "protected by", "encrypted with", "secured with", "locked with", "unlocked with", "opened with", "decrypted with", "sealed with", "unlock ", "decrypt ", "opens with", "unlocks with", "open it with",
		"geschützt", "verschlüsselt", "gesichert", "gesperrt mit", "entsperrt", "entsperren", "öffnet sich mit", "öffnen mit", "öffnet mit", "aufsperren", "entschlüsseln", "geht auf mit", "aufmachen mit",
		"keypad", "key pad", "tastenfeld", "ziffernblock", "code panel",
		"anmelden", "einloggen", "eingeloggt", " unlocks ", " entsperrt ",
		"wants ", "accepts ", "asks for ", "verlangt ", "akzeptiert ",
	}
}

// demands lists the verbs of things that ask for their secret.
var demands = plausible.Set("wants ", "accepts ", "asks for ", "verlangt ", "akzeptiert ")

var (
	// openedWith matches what follows a verb up to its value.
	openedWith = regexp.MustCompile(`(?i)^\s?(?:(?:the|it|my|our|this|das|die|den|der)?\s?(?:[\p{L}-]{1,20}\s){0,2}(?:with|using|mit|per|durch)\s|\s?)["'\x60„“]?([^\s"'\x60„“”]{6,60})["'\x60”“]?(?:$|[\s,;.!?)])`)
	// demanded matches what stands right behind a verb of asking for a secret, entered the
	// things into which one logs in that may do so.
	demanded  = regexp.MustCompile(`^["'\x60„“]?([^\s"'\x60„“”]{6,60})["'\x60”“]?(?:$|[\s,;.!?)])`)
	entered   = regexp.MustCompile(`(?i)(?:^|[^\p{L}])(?:vnc|rdp|ssh|s?ftps?|smb|vpn|bios|uefi|ipmi|idrac|ilo|kvm|router|switch|nas|printer|drucker|modem|firewall|portal|console|konsole|wi-?fi|wlan|login|logon|anmeldung|terminal|kiosk|admin|root|account|konto|server|box|page|seite|dialog|installer|updater|tablet|scanner|camera|kamera|recorder|panel|app|web ?ui|web ?interface|oberfläche)s?[^.;\n]{0,40}$`)
	leadsWith = regexp.MustCompile(`(?i)\b(?:with|using|mit|per|durch)\s["'\x60„“]*$`)
	// withBefore matches a value before its German verb ("mit … verschlüsselt").
	withBefore = regexp.MustCompile(`(?i)\b(?:mit|per|durch)\s["'\x60„“]?([^\s"'\x60„“”]{6,60})["'\x60”“]?\s$`)
	// typed matches the digits that somebody types, before or behind the keypad.
	typed       = regexp.MustCompile(`(?i)\b(?:enter|type|punch in|punch|press|key in|dial|use|gib|tippe|tippen sie|eingeben:?)\s["'\x60]?([#*]?\d[\d#*-]{2,11})["'\x60]?\s(?:at|on|into|in|am|ins|auf)\s(?:the |dem |das |der )?(?:[\p{L}-]+\s)?$`)
	typedBehind = regexp.MustCompile(`(?i)^s?:?\s["'\x60]?([#*]?\d[\d#*-]{2,11})["'\x60]?\s?(?:eingeben|eintippen|tippen|drücken|wählen|[.,;]|$)`)
)

// findOpened finds what locks, opens or is typed.
func findOpened(text string, start, end int, emit func(from, to int)) {
	verb := strings.ToLower(text[start:end])
	head, tail := text[max(0, start-90):start], text[end:min(len(text), end+110)]
	switch verb {
	case "keypad", "key pad", "tastenfeld", "ziffernblock", "code panel":
		if m := typed.FindStringSubmatchIndex(head); m != nil && figures(head[m[2]:m[3]]) >= 4 && !plausible.Dates.MatchString(head[m[2]:m[3]]) {
			from := start - len(head)
			emit(from+m[2], from+m[3])
		} else if m := typedBehind.FindStringSubmatchIndex(tail); m != nil && figures(tail[m[2]:m[3]]) >= 4 && !plausible.Dates.MatchString(tail[m[2]:m[3]]) {
			emit(end+m[2], end+m[3])
		}
		return
	}
	if demands[verb] {
		if m := demanded.FindStringSubmatchIndex(tail); m != nil && entered.MatchString(head) {
			from, to := trimValue(text, end+m[2], end+m[3])
			if v := text[from:to]; plausible.Strict(v) && plausible.Named(v, 3) && strings.ContainsAny(v, plausible.Digits) && !strings.ContainsAny(v, "/:") && !method.MatchString(v) {
				emit(from, to)
			}
		}
		return
	}
	if verb == " unlocks " || verb == " entsperrt " {
		from := start
		for from > 0 && text[from-1] > ' ' {
			from--
		}
		if from, to := trimValue(text, from, start); plausible.Strict(text[from:to]) && strings.ContainsAny(text[from:to], plausible.Digits) {
			emitOpening(text, from, to, emit)
		}
		return
	}
	if m := withBefore.FindStringSubmatchIndex(head); m != nil {
		from := start - len(head)
		emitOpening(text, from+m[2], from+m[3], emit)
	}
	if first := text[start]; first < 0x80 && joinedBefore(text, start) {
		return // "mlock", "munlock"
	}
	direct := strings.HasSuffix(verb, "with") || strings.HasSuffix(verb, "by") || strings.HasSuffix(verb, "mit")
	if m := openedWith.FindStringSubmatchIndex(tail); m != nil && (direct || leadsWith.MatchString(tail[:m[2]])) {
		emitOpening(text, end+m[2], end+m[3], emit)
	}
}

// emitOpening emits a password, and no name of a method or a thing.
func emitOpening(text string, from, to int, emit func(from, to int)) {
	from, to = trimValue(text, from, to)
	if v := text[from:to]; drawnOrSigned(v) && plausible.Named(v, 3) && !method.MatchString(v) {
		emit(from, to)
	}
}

// method matches names of methods to encrypt and lock, with their numbers.
var method = regexp.MustCompile(`(?i)^(?:x?chacha\d*|salsa\d+|poly\d+|aes|gcm|cbc|ctr|ccm|siv|hkdf|hmac|hpke|kms|sse|gpg|pgp|age|luks|dm-crypt|veracrypt|filevault|bitlocker|tink|sops|vault|tls|dtls|mtls|ssl|ipsec|wireguard|rsa|dsa|ecdsa|ecdh|ed\d+|x\d+|curve|secp|nist|fips|p-?\d+|kyber|ml-|dilithium|sha|md5|blake|argon|scrypt|bcrypt|pbkdf|yubi|fido|u2f|totp|oauth|saml|oidc|csrf|cve|rfc|iso|pkcs|x509|mutex|rwlock|flock|lock|semaphore|pr|issue|adr)[\w-]*(?:[-_/+]\w+)*$|^v?\d[\d.]*$`)
