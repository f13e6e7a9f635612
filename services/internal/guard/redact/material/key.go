package material

import (
	"regexp"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/winnowhq/winnow/services/internal/guard/redact/plausible"
)

// shown lists the words before "key" that make it no secret: what is public, what finds a
// row, an object or a message, what is pressed, and what names a key of the others.
var shown = plausible.Set("public", "pub", "primary", "foreign", "partition", "sort", "cache", "shard", "sharding", "routing", "object", "row", "column", "composite", "candidate", "surrogate",
	"natural", "index", "idempotency", "host", "dedup", "dedupe", "deduplication", "message", "group", "range", "hash", "lookup", "map", "config", "setting", "translation", "blob", "bucket",
	"registry", "hot", "arrow", "shortcut", "enter", "return", "function", "page", "issue", "jira", "dns", "ds", "gpg", "pgp", "ssh", "verification", "verify", "validation", "sec-websocket", "websocket", "file", "folder",
	"record", "document", "entity", "sequence", "event", "trace", "query", "unique", "search", "business", "tenant", "customer", "order", "geo", "tile", "trust", "trusted", "recipient", "peer",
	"öffentlicher", "öffentliche", "öffentlichen", "primär", "fremd", "sortier", "such", "such-", "partitions", "cache-", "verify-", "vk", "dnskey", "n", "tsig-", "client-public", "server-public", "authorized", "known")

// opener lists the words before "key" that say what it opens: behind them also the forms
// count that are names of things elsewhere (UUID, SHA-1).
var opener = regexp.MustCompile(`(?i)(?:api|app|auth|access|secret|subscription|license|licence|private|encryption|decryption|encrypt|decrypt|content|session|network|device|aes|drm|master|signing|hmac|stream|recovery|unlock|setup|service|account|ingest|write|admin|deploy|client|shared|lab|data|enc|cookie|root|volume|disk|pairing|link|transport|zugangs|zugriffs|geräte|netzwerk|haupt|zähler|stream-|wiederherstellungs|entschlüsselungs|verschlüsselungs|geheim|sicherheits)[ _.-]?$`)

// findNamedKey looks at what is before "key" and what it is given.
func findNamedKey(text string, start, end int, emit func(from, to int)) {
	at, flag := given(text, start, end)
	if at < 0 {
		return
	}
	from, to := run(text, at)
	if to-from < 16 {
		return
	}
	name := nameBefore(text, start)
	if lower := strings.ToLower(name); shown[lower] || shown[lower[strings.LastIndexAny(lower, "_.")+1:]] || strings.HasSuffix(lower, "public") || strings.HasSuffix(lower, "pub") {
		return
	}
	v := text[from:to]
	opens := opener.MatchString(text[max(0, start-24):start])
	if !isKey(v, opens || flag) || plausible.Placeholder(v) || IsPublic(text, from) {
		return
	}
	if UUID := plausible.UUID.MatchString(v); UUID && !opens {
		return
	}
	emit(from, to)
}

// given returns where the value of a name that ends at an offset begins: behind a sign of
// assignment, behind a verb that equates, or behind a blank when the name is a flag. It is
// negative when nothing is given. It runs at every "key" of a text, hence without an expression.
func given(text string, start, end int) (at int, flag bool) {
	at = end
	if at < len(text) && strings.IndexByte("s_", text[at]) >= 0 {
		return -1, false
	}
	for at < len(text) && strings.IndexByte("\"'`)]*\\", text[at]) >= 0 && at < end+3 {
		at++
	}
	blanks := 0
	for at < len(text) && (text[at] == ' ' || text[at] == '\t') && blanks < 4 {
		at++
		blanks++
	}
	if at == len(text) {
		return -1, false
	}
	switch c := text[at]; {
	case c == '=' || c == ':':
		at++
		for at < len(text) && strings.IndexByte("=>", text[at]) >= 0 {
			at++
		}
	case strings.HasPrefix(text[at:], "->") || strings.HasPrefix(text[at:], "=>"):
		at += 2
	case strings.HasPrefix(text[at:], "→"):
		at += len("→")
	case blanks > 0:
		word := at
		for word < len(text) && word < at+10 && text[word] != ' ' {
			word++
		}
		if equates[text[at:word]] {
			at = word
			break
		}
		if belongs[text[at:word]] {
			if at = pastOwner(text, word); at < 0 {
				return -1, false
			}
			break
		}
		if !flagBefore(text, start) {
			return -1, false
		}
		return quoteSkipped(text, at), true
	default:
		return -1, false
	}
	for n := 0; at < len(text) && (text[at] == ' ' || text[at] == '\t') && n < 8; n++ {
		at++
	}
	return quoteSkipped(text, at), flag
}

var (
	equates = plausible.Set("is", "was", "reads", "contains", "holds", "ist", "war", "lautet", "heißt", "enthält")
	belongs = plausible.Set("of", "for", "on", "in", "from", "to", "vom", "von", "für", "des", "der", "im", "am", "zum", "zur", "auf")
)

// pastOwner skips at most four words that say what a key belongs to and returns where the
// value begins: behind a verb that equates or a colon. It is negative without one.
func pastOwner(text string, at int) int {
	for range 5 {
		for at < len(text) && text[at] == ' ' {
			at++
		}
		word := at
		for at < len(text) && at < word+30 && text[at] != ' ' && text[at] != '\n' {
			at++
		}
		switch w := text[word:at]; {
		case w == "" || at == len(text) || text[at] == '\n':
			return -1
		case strings.HasSuffix(w, ":") || w == "=" || equates[w]:
			return at
		case strings.IndexByte(".;,!?", w[len(w)-1]) >= 0:
			return -1
		}
	}
	return -1
}

func quoteSkipped(text string, at int) int {
	for n := 0; at < len(text) && n < 2 && strings.IndexByte("\"'`\\", text[at]) >= 0; n++ {
		at++
	}
	return at
}

// flagBefore reports whether the word that holds an offset begins with a hyphen.
func flagBefore(text string, at int) bool {
	for at > 0 && (plausible.IsWordByte(text[at-1]) || '0' <= text[at-1] && text[at-1] <= '9') {
		at--
	}
	return at < len(text) && text[at] == '-'
}

// nameBefore returns the word before an offset, also where a blank or a hyphen parts them.
func nameBefore(text string, at int) string {
	for at > 0 && strings.IndexByte(" _-.", text[at-1]) >= 0 {
		at--
	}
	from := at
	for from > 0 && at-from < 40 {
		r, size := utf8.DecodeLastRuneInString(text[:from])
		if !unicode.IsLetter(r) && r != '_' && r != '-' {
			break
		}
		from -= size
	}
	return text[from:at]
}

// run returns the bytes of base64, hexadecimal digits or groups from an offset on.
func run(text string, from int) (start, end int) {
	end = from
	for end < len(text) && end < from+200 && keyByte[text[end]] {
		end++
	}
	for n := 0; n < 2 && end < len(text) && text[end] == '='; n++ {
		end++
	}
	if end < len(text) {
		if r, _ := utf8.DecodeRuneInString(text[end:]); unicode.IsLetter(r) || strings.IndexByte("([{", text[end]) >= 0 {
			return from, from
		}
		if text[end] == '.' && end+1 < len(text) && (plausible.IsWordByte(text[end+1]) || '0' <= text[end+1] && text[end+1] <= '9') {
			return from, from // a name with parts
		}
	}
	return from, end
}

var keyByte = func() (in [256]bool) {
	for _, c := range []byte("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/-_") {
		in[c] = true
	}
	return in
}()

// isKey reports whether a value has the form of a key: hexadecimal digits of a key's length,
// base64 of random bytes, or drawn groups. plainly adds the forms that digests and ids have.
func isKey(v string, plainly bool) bool {
	body := strings.TrimRight(v, "=")
	if plausible.Hex.MatchString(body) {
		switch len(body) {
		case 32, 48, 64, 96, 128:
			return mixedHex(body)
		case 40:
			return plainly && mixedHex(body)
		}
		return false
	}
	if plausible.UUID.MatchString(v) {
		return plainly
	}
	if Groups(v) {
		return plainly
	}
	if len(body) < 20 || !plausible.Random(body) || plausible.Kebab.MatchString(body) || plausible.Entropy(body) < 3.5 {
		return false
	}
	return plainly || len(body) >= 32 && !strings.ContainsAny(body, "-_")
}

func mixedHex(v string) bool {
	return strings.ContainsAny(v, plausible.Digits) && strings.ContainsAny(v, "abcdefABCDEF") && plausible.Entropy(v) >= 2.5
}

// Groups reports whether a value is drawn in at least three groups of equal length between
// hyphens, most of them with letters and digits.
func Groups(v string) bool {
	groups := strings.Split(v, "-")
	if len(groups) < 3 || len(groups) > 10 || len(groups[0]) < 3 || len(groups[0]) > 8 {
		return false
	}
	mixed := 0
	for _, g := range groups {
		if len(g) != len(groups[0]) {
			return false
		}
		letters, figures := false, false
		for i := range len(g) {
			letters = letters || plausible.IsLetter(rune(g[i]))
			figures = figures || '0' <= g[i] && g[i] <= '9'
		}
		if letters && figures {
			mixed++
		}
	}
	return 2*mixed > len(groups)
}

// acronyms of keys in standards: of meters (GUEK, GBEK, GAK), of Bluetooth (LTK, IRK, CSRK), of
// wireless networks (PMK, PTK, GTK), of payments and content (KEK, DEK, CEK, TMK, ZMK, BDK, IPEK), of SIM cards (OPc).
var acronyms = []string{"guek", "gbek", "gak", "ltk", "irk", "csrk", "pmk", "ptk", "gtk", "kek", "dek", "cek", "tmk", "zmk", "bdk", "ipek", "opc"}

// findAcronym needs capitals and a key in hexadecimal digits.
func findAcronym(text string, start, end int, emit func(from, to int)) {
	if start > 0 && (plausible.IsLetter(rune(text[start-1])) || plausible.IsWordByte(text[start-1])) || end == len(text) || text[start] >= 'a' {
		return
	}
	at := end
	for n := 0; at < len(text) && n < 4 && strings.IndexByte(" \t:=\"'`", text[at]) >= 0; n++ {
		at++
	}
	if at == end {
		return
	}
	if word := strings.IndexByte(text[at:min(len(text), at+10)], ' '); word > 0 && equates[text[at:at+word]] {
		at = quoteSkipped(text, at+word+1)
	}
	if from, to := run(text, at); to-from >= 32 && plausible.Hex.MatchString(text[from:to]) && mixedHex(text[from:to]) {
		emit(from, to)
	}
}

// findStreamKey looks at the last part of the address's path.
func findStreamKey(text string, _, end int, emit func(from, to int)) {
	to := end
	for to < len(text) && to < end+300 && strings.IndexByte(" \t\r\n\"'`<>|)]}", text[to]) < 0 {
		to++
	}
	if to < len(text) && text[to] == '<' {
		return
	}
	last := strings.LastIndexByte(text[end:to], '/')
	if last < 0 {
		return
	}
	from := end + last + 1
	if i := strings.IndexAny(text[from:to], "?#"); i >= 0 {
		to = from + i
	}
	v := strings.TrimRight(text[from:to], ".,;:")
	if len(v) >= 8 && !plausible.Placeholder(v) && (Groups(v) || plausible.Token(v) && (plausible.Random(v) || len(v) >= 16)) {
		emit(from, from+len(v))
	}
}

// privatePart matches the private members of a JSON web key.
var privatePart = regexp.MustCompile(`["'](?:d|k|p|q|dp|dq|qi)\\?["']\s{0,3}:\s{0,3}\\?["']([A-Za-z0-9_+/=-]{16,1000})\\?["']`)

func findPrivateJWK(text string, start, end int, emit func(from, to int)) {
	from, to := max(0, start-600), min(len(text), end+4000)
	if i := strings.LastIndexByte(text[from:start], '{'); i >= 0 {
		from += i
	}
	if i := strings.IndexByte(text[end:to], '}'); i >= 0 {
		to = end + i
	}
	for _, m := range privatePart.FindAllStringSubmatchIndex(text[from:to], 8) {
		if !plausible.Placeholder(text[from+m[2] : from+m[3]]) {
			emit(from+m[2], from+m[3])
		}
	}
}
