package material

import (
	"regexp"
	"strings"
)

// longestShown bounds how far back a text of base64 is followed to its beginning, in bytes.
const longestShown = 4096

// IsPublic reports whether a run of letters and digits belongs to data that grants no access:
// a digest in base64, a public key, a certificate, a picture. Signs of base64 cut such a text
// into several runs, hence the look back to where it begins.
func IsPublic(text string, start int) bool {
	from := start
	for limit := max(0, start-longestShown); from > limit && keyByte[text[from-1]]; {
		from--
	}
	rest := text[from:]
	for _, p := range beginnings {
		if strings.HasPrefix(rest, p) {
			return true
		}
	}
	if certificate(rest) || box(rest) {
		return true
	}
	return announcesPublic.MatchString(text[max(0, from-64):from])
}

// beginnings of data in base64 that is made to be shown: public keys of SSH, digests with
// their name, pictures, fonts, documents, archives and programs.
var beginnings = []string{
	"AAAAC3Nza", "AAAAB3Nza", "AAAAE2Vj", "AAAAGnNr", "AAAAInNr", "sha1-", "sha256-", "sha384-", "sha512-", "sha1/", "sha256/",
	"iVBORw0KGgo", "/9j/", "R0lGOD", "UklGR", "d09GM", "d09GR", "AAEAAAA", "T1RUTw", "JVBERi0", "UEsDB", "H4sIA", "PHN2Zy", "PD94bWw", "PCFET0NUWVBF", "AGFzbQ", "T2dnUw", "SUQz", "AAABAA", "f0VMR",
}

// certificate reports base64 of DER that begins as a certificate, a request or a public key
// does: a sequence whose first member is a sequence. A private key begins with a number.
func certificate(s string) bool {
	if len(s) < 12 || s[0] != 'M' || s[1] != 'I' && s[1] != 'F' {
		return false
	}
	raw, ok := decoded(s[:12])
	switch {
	case !ok:
		return false
	case raw[0] == 0x30 && raw[1] == 0x82:
		return raw[4] == 0x30
	case raw[0] == 0x30 && raw[1] == 0x59:
		return raw[2] == 0x30
	}
	return false
}

// box reports base64 of a box of a media file: its length, and its kind in letters.
func box(s string) bool {
	if !strings.HasPrefix(s, "AAAA") || len(s) < 12 {
		return false
	}
	raw, ok := decoded(s[:12])
	if !ok {
		return false
	}
	switch string(raw[4:8]) {
	case "pssh", "ftyp", "moov", "free", "mdat", "styp", "sidx", "moof":
		return true
	}
	return false
}

// decoded returns the nine bytes of twelve digits of base64.
func decoded(s string) (raw [9]byte, ok bool) {
	var bits uint32
	n := 0
	for i := range 12 {
		d := strings.IndexByte("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/", s[i])
		if d < 0 {
			return raw, false
		}
		bits = bits<<6 | uint32(d)
		if i%4 == 3 {
			raw[n], raw[n+1], raw[n+2] = byte(bits>>16), byte(bits>>8), byte(bits)
			n, bits = n+3, 0
		}
	}
	return raw, true
}

// announcesPublic matches what announces a digest, a public key, or data that an address holds.
var announcesPublic = regexp.MustCompile(`(?i)(?:sha-?\d{1,3}[-:/=]\s?["']?|\bh1:|;base64,|\b(?:public|pub)[ _-]?key["']?\s{0,3}[:=]?\s{0,3}["']?|minisign[^\n]{0,20}\s|integrity["']?\s{0,3}[:=]\s{0,3}["']?|fingerprint["']?\s{0,3}[:=]?\s{0,3}["']?|\bp=|etag["']?\s{0,3}[:=]\s{0,3}(?:W/)?["']?|` +
	`\bpeer["']?\s{0,2}[:=]?\s{1,3}|content-md5["']?:\s|\blog[ _-]?id["']?\s?[:=]?\s["']?|websocket-(?:key|accept):\s|certificate(?:-authority)?(?:-data)?["']?\s?[:>]\s?["']?|\baddress["']?\s?[:=]?\s["']?|"(?:x|y|n|kid|x5t(?:#S256)?|e)"\s?:\s?"|^\s*[xyn]:\s["']?|\n\s*[xyn]:\s["']?|\benc\[[^\]]{0,60}|\b(?:iv|tag|data|salt):)$`)
