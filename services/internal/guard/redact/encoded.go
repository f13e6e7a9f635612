package redact

import (
	"encoding/base64"
	"regexp"
	"strings"
	"unicode/utf8"

	"github.com/winnowhq/winnow/services/internal/guard/redact/plausible"
)

// encodedScanner finds base64 of secrets. A run of base64 is decoded once, in one
// pass over the text, and counts when what it says is readable and
//
//   - the rules find a secret in it, or
//   - it reads as a password, and a word for a secret stands before it in its line.
//
// What is encoded twice is not looked into.
type encodedScanner struct {
	inside []scanner
}

const (
	encodedRule = "base64-secret"
	minEncoded  = 8
	maxEncoded  = 16384
	// labelReach is how far before a run its label may stand, in bytes.
	labelReach = 120
)

func (e encodedScanner) scan(segment string, emit func(span)) {
	for i := 0; i < len(segment); {
		if !base64Byte[segment[i]] {
			i++
			continue
		}
		start := i
		for i < len(segment) && base64Byte[segment[i]] {
			i++
		}
		end := i
		for pad := 0; pad < 2 && i < len(segment) && segment[i] == '='; pad++ {
			i++
			end = i
		}
		if n := end - start; n < minEncoded || n > maxEncoded {
			continue
		}
		plain, ok := readable(strings.TrimRight(segment[start:end], "="))
		if ok && (e.secretInside(plain) || plausible.Strict(plain) && (labelled(segment, start) || decodes.MatchString(segment[end:min(len(segment), end+40)]))) {
			emit(span{rule: encodedRule, rank: rankShaped, start: start, end: end})
		} else if !ok && segment[end-1] == '=' && keyOfData(segment, start, end) {
			emit(span{rule: encodedRule, rank: rankShaped, start: start, end: end})
		}
	}
}

// keyOfData reports the bytes of a key as the value of a line below "data:", as Kubernetes
// keeps secrets: alone in its line, of a key's length, under a name that is no digest's and
// no public part's.
func keyOfData(text string, start, end int) bool {
	if end < len(text) && text[end] != '\n' && text[end] != '\r' {
		return false
	}
	line := strings.LastIndexByte(text[:start], '\n') + 1
	name, blank, found := strings.Cut(text[line:start], ":")
	if !found || strings.TrimSpace(blank) != "" || publicPart.MatchString(name) || !strings.Contains(text[max(0, line-400):line], "data:\n") {
		return false
	}
	raw, err := base64.StdEncoding.DecodeString(text[start:end])
	return err == nil && (len(raw) == 16 || len(raw) == 24 || len(raw) == 32 || len(raw) == 48 || len(raw) == 64) && plausible.Random(text[start:end])
}

var publicPart = regexp.MustCompile(`(?i)hash|digest|sum|sha|pub|cert|crt|ca\b|fingerprint|integrity|etag|binary`)

// secretInside reports whether the rules find something in a decoded text.
func (e encodedScanner) secretInside(plain string) bool {
	if len(plain) < 12 || !strings.ContainsAny(plain, ":= ") {
		return false
	}
	found := false
	for _, sc := range e.inside {
		sc.scan(plain, func(span) { found = true })
		if found {
			return true
		}
	}
	return false
}

// decodes matches a pipe into a decoder.
var decodes = regexp.MustCompile(`^["']?\s*\|\s*(?:base64|openssl)\b`)

// labelled reports whether a word for a secret stands before a run, in its line
// or the line above.
func labelled(text string, at int) bool {
	label := text[max(0, at-labelReach):at]
	if strings.HasSuffix(label, ";base64,") {
		return false // data inside an address
	}
	if i := strings.LastIndexByte(label, '\n'); i >= 0 {
		if j := strings.LastIndexByte(label[:i], '\n'); j >= 0 {
			label = label[j+1:]
		}
	}
	label = strings.ToLower(label)
	for _, w := range []string{"secret", "pass", "passwor", "kennwort", "token", "pwd", "pw:", "credential", "base64", "b64", "apikey", "api_key", "auth"} {
		if strings.Contains(label, w) {
			return true
		}
	}
	return false
}

// readable decodes base64, standard or for addresses, when the result is text: at
// least five bytes, all printable.
func readable(run string) (string, bool) {
	encoding := base64.RawStdEncoding
	if strings.ContainsAny(run, "-_") {
		encoding = base64.RawURLEncoding
	}
	// Most runs are words and digests; their first bytes show it.
	var head [24]byte
	if n, err := encoding.Decode(head[:], []byte(run[:min(len(run), 32)/4*4])); err != nil || !printable(head[:n], true) {
		return "", false
	}
	raw, err := encoding.DecodeString(run)
	if err != nil || len(raw) < 5 || !printable(raw, false) {
		return "", false
	}
	return strings.TrimRight(string(raw), "\r\n"), true
}

// printable reports whether bytes are text. cut allows the last character to be
// incomplete.
func printable(b []byte, cut bool) bool {
	for i := 0; i < len(b); {
		c := b[i]
		if c < utf8.RuneSelf {
			if c < ' ' && c != '\n' && c != '\r' && c != '\t' || c == 0x7f {
				return false
			}
			i++
			continue
		}
		r, size := utf8.DecodeRune(b[i:])
		if r == utf8.RuneError && size == 1 {
			return cut && i >= len(b)-3
		}
		// Three in four runs of random bytes hold no accented Latin letter only.
		if r > 0x2122 {
			return false
		}
		i += size
	}
	return len(b) > 0
}

// base64Byte marks the letters of both alphabets.
var base64Byte = func() (in [256]bool) {
	for _, c := range []byte("ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789+/-_") {
		in[c] = true
	}
	return in
}()
