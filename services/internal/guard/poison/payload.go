package poison

import (
	"encoding/base64"
	"strings"
)

// encodedPayload and its siblings are found by code and not by a pattern.
var (
	encodedPayload = &detector{
		id: "any.encoded-payload", class: Obfuscation, language: "any",
		sentence: "Holds base64 that decodes to an instruction.",
	}
	hiddenCharacters = &detector{
		id: "any.hidden-characters", class: Obfuscation, language: "any",
		sentence: "Splits words with characters that have no width.",
	}
	hiddenMessage = &detector{
		id: "any.hidden-message", class: Obfuscation, language: "any",
		sentence: "Holds characters that no screen shows and that can encode a message: tags, variation selectors, rows without width.",
	}
	mixedScript = &detector{
		id: "any.mixed-script", class: Obfuscation, language: "any",
		sentence: "Mixes Latin letters with look-alikes of another alphabet in one word.",
	}
)

// minEncoded is the length in bytes from which base64 can hold a sentence.
const minEncoded = 24

// maxEncoded bounds the work on one token, in bytes.
const maxEncoded = 4096

// scanPayloads decodes base64-looking tokens and scans their content. Only one
// level is decoded, because an attacker can always add another.
func scanPayloads(text string, hits []Hit) []Hit {
	for i := 0; i < len(text); {
		if !base64Byte(text[i]) {
			i++
			continue
		}
		start := i
		upper, lower := false, false
		for ; i < len(text) && base64Byte(text[i]); i++ {
			upper = upper || 'A' <= text[i] && text[i] <= 'Z'
			lower = lower || 'a' <= text[i] && text[i] <= 'z'
		}
		if i-start < minEncoded || i-start > maxEncoded || !upper || !lower {
			continue
		}
		decoded, ok := decodeText(text[start:i])
		if !ok {
			continue
		}
		n := normalise(decoded)
		if inner := compiled.scan(n, nil); len(inner) > 0 {
			return append(hits, Hit{Detector: encodedPayload.id, Class: encodedPayload.class, Span: Span{start, i}, Phrase: inner[0].Phrase})
		}
	}
	return hits
}

func base64Byte(c byte) bool {
	return 'a' <= c && c <= 'z' || 'A' <= c && c <= 'Z' || '0' <= c && c <= '9' || c == '+' || c == '/' || c == '-' || c == '_'
}

// decodeText decodes a token when the result is printable text with blanks.
func decodeText(token string) (string, bool) {
	enc := base64.RawStdEncoding
	if strings.ContainsAny(token, "-_") {
		enc = base64.RawURLEncoding
	}
	raw, err := enc.DecodeString(token[:len(token)-boolToInt(len(token)%4 == 1)])
	if err != nil {
		return "", false
	}
	blanks := 0
	for _, c := range raw {
		if c < ' ' && c != '\n' && c != '\t' || c == 0x7f {
			return "", false
		}
		if c == ' ' {
			blanks++
		}
	}
	return string(raw), blanks > 1
}

func boolToInt(b bool) int {
	if b {
		return 1
	}
	return 0
}
