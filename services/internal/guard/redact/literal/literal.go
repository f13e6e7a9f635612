package literal

import (
	"regexp"
	"strings"

	"github.com/winnowhq/winnow/services/internal/guard/redact/plausible"
)

var (
	// typed matches what follows the name of a field up to what is typed into it.
	typed = regexp.MustCompile(`(?i)^[\w-]{0,16}\]?["'\x60](?:\]?["'\x60]?\)+\.(?:type|fill|send_?keys|set_?value|input|press_?sequentially|clear\(\)\.type)\(\s*|,\s{0,2}(?:with:\s*|value:\s*)?)["'\x60]([^"'\x60\r\n]{4,100})["'\x60]`)
	// typing matches the calls that type, before the name of a field.
	typing = regexp.MustCompile(`(?i)(?:\b(?:fill|fill_in|type|send_?keys|set_?value|input)[( ]\s*["'\x60][^"'\x60\n]{0,20}|\b(?:get|find|find_element|getByLabel|getByPlaceholder|getByTestId|locator|query_?selector|by\.\w+)\b\(?[^\n]{0,40}["'\x60][^"'\x60\n]{0,24})$`)
	// first and second match the literals of a call.
	firstLiteral  = regexp.MustCompile(`(?i)^[\w.:]+\(\s*(?:[bur]{0,2})["'\x60]([^"'\x60\r\n]{6,200})["'\x60]`)
	secondLiteral = regexp.MustCompile(`(?i)^[\w.:]+\(\s*[^,()"'\x60\n]{1,60}(?:\([^()\n]{0,60}\))?,\s*(?:[bur]{0,2})["'\x60]([^"'\x60\r\n]{6,200})["'\x60]|^[\w.:]+\(\s*["'][\w-]{2,20}["'],\s*["'\x60]([^"'\x60\r\n]{6,200})["'\x60]`)
	// charsBefore matches a literal before its array.
	charsBefore = regexp.MustCompile(`"([^"\r\n]{4,100})$`)
	opensWith   = regexp.MustCompile(`(?i)(?:pass|pwd|secret|key|cred|store|load|pbe|login|auth)`)
	keyBefore   = regexp.MustCompile(`(?i)(?:key|secret|iv)\w*\b[^\n"']{0,30}$`)
)

func findTyped(text string, start, end int, emit func(from, to int)) {
	if end == len(text) || strings.IndexByte("\"'`]-_", text[end]) < 0 && !plausible.IsLetter(rune(text[end])) {
		return
	}
	m := typed.FindStringSubmatchIndex(text[end:min(len(text), end+170)])
	if m == nil || !typing.MatchString(text[max(0, start-90):start]) {
		return
	}
	if v := text[end+m[2] : end+m[3]]; plausible.Chosen(v) && !plausible.Prose(v) {
		emit(end+m[2], end+m[3])
	}
}

func findSigning(text string, start, end int, emit func(from, to int)) {
	rest := text[start:min(len(text), start+320)]
	name := strings.ToLower(text[start : end-1])
	hexed := name == "fromhex" || name == "decodestring"
	if head := strings.ToLower(text[max(0, start-40):start]); hexed && (!keyBefore.MatchString(head) || strings.Contains(head, "hash")) {
		return
	}
	m := secondLiteral.FindStringSubmatchIndex(rest)
	if m == nil || hexed {
		m = firstLiteral.FindStringSubmatchIndex(rest)
	}
	for g := 2; g < len(m); g += 2 {
		if m[g] < 0 {
			continue
		}
		v := rest[m[g]:m[g+1]]
		switch {
		case hexed && !(plausible.Hex.MatchString(v) && len(v) >= 32 && plausible.Mixed(v) && plausible.Entropy(v) >= 3):
		case strings.HasPrefix(name, "pgp_sym") || strings.HasPrefix(name, "aes_"):
			if plausible.Chosen(v) && !plausible.Prose(v) {
				emit(start+m[g], start+m[g+1])
			}
		case plausible.Chosen(v) && (plausible.Token(v) || plausible.UUID.MatchString(v)) && !strings.HasPrefix(v, "eyJ"):
			emit(start+m[g], start+m[g+1])
		}
		return
	}
}

func findChars(text string, start, end int, emit func(from, to int)) {
	if text[start] == '"' {
		head := text[max(0, start-160):start]
		head = head[strings.LastIndexByte(head, '\n')+1:]
		if m := charsBefore.FindStringSubmatchIndex(head); m != nil && opensWith.MatchString(head[:m[0]]) && plausible.Chosen(head[m[2]:m[3]]) {
			from := start - len(head)
			emit(from+m[2], from+m[3])
		}
		return
	}
	if m := firstLiteral.FindStringSubmatchIndex(text[start:min(len(text), start+160)]); m != nil {
		if v := text[start+m[2] : start+m[3]]; plausible.Chosen(v) && plausible.Loose(v) {
			emit(start+m[2], start+m[3])
		}
	}
}
