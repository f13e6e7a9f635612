package redact

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"regexp"
	"strings"
)

const (
	placeholderOpen = "⟨secret:"
	tagDigits       = 8
)

// placeholderShape is exact, so that a forged look-alike holding a real secret
// in place of the tag is still scanned as text.
var placeholderShape = regexp.MustCompile(`⟨secret:[a-z0-9][a-z0-9-]{0,63}:[0-9a-f]{8}⟩`)

// piece is a stretch of the text being redacted: either still text, or done,
// which is a placeholder that no rule may look into. A clean piece was read and
// holds nothing, whatever its neighbours become.
type piece struct {
	text  string
	start int // byte offset of the piece in the original text
	done  bool
	clean bool
}

// split splits a text at the placeholders that it already holds.
func split(s string) []piece {
	if !strings.Contains(s, placeholderOpen) {
		return []piece{{text: s}}
	}
	var out []piece
	at := 0
	for _, m := range placeholderShape.FindAllStringIndex(s, -1) {
		if m[0] > at {
			out = append(out, piece{text: s[at:m[0]], start: at})
		}
		out = append(out, piece{text: s[m[0]:m[1]], start: m[0], done: true})
		at = m[1]
	}
	if at < len(s) {
		out = append(out, piece{text: s[at:], start: at})
	}
	return out
}

// join returns the text of the pieces.
func join(pieces []piece) string {
	length := 0
	for _, p := range pieces {
		length += len(p.text)
	}
	var out strings.Builder
	out.Grow(length)
	for _, p := range pieces {
		out.WriteString(p.text)
	}
	return out.String()
}

func placeholder(rule, tag string) string {
	return placeholderOpen + rule + ":" + tag + "⟩"
}

// tag returns the tag of a secret within a tenant. The zero byte separates
// tenant "ab" with secret "c" from tenant "a" with secret "bc".
func (r *Redactor) tag(tenant, secret string) string {
	mac := hmac.New(sha256.New, r.key)
	mac.Write([]byte(tenant))
	mac.Write([]byte{0})
	mac.Write([]byte(secret))
	return hex.EncodeToString(mac.Sum(nil))[:tagDigits]
}

// Untagged returns a redacted text in which all secrets read the same,
// independent of the secret and of the rule that found it: what is hashed and
// compared must not distinguish one secret from another.
func Untagged(s string) string {
	if !strings.Contains(s, placeholderOpen) {
		return s
	}
	return placeholderShape.ReplaceAllLiteralString(s, "⟨secret⟩")
}
