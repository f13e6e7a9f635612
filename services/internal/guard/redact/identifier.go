package redact

import (
	"regexp"
	"strings"
)

// identifier reports whether a value names a thing and does not open it: a ULID, a
// UUID, or a digest, unless its label says plainly that it is a secret. from
// is where the label begins.
func identifier(text string, from, start, end int) bool {
	// Expressions take the full stop of a sentence along.
	v := strings.TrimRight(text[start:end], ".")
	if ulid.MatchString(v) {
		return true
	}
	label := strings.ToLower(text[from:start])
	if uuid.MatchString(v) {
		return !openly(label)
	}
	switch len(v) {
	case 32, 40, 64, 96, 128:
		return hexOnly.MatchString(v) && digestLabel.MatchString(label)
	}
	return false
}

var (
	ulid        = regexp.MustCompile(`^[0-7][0-9A-HJKMNP-TV-Z]{25}$`)
	uuid        = regexp.MustCompile(`(?i)^[0-9a-f]{8}(?:-[0-9a-f]{4}){3}-[0-9a-f]{12}$`)
	hexOnly     = regexp.MustCompile(`(?i)^[0-9a-f]+$`)
	digestLabel = regexp.MustCompile(`sha-?\d|hash|digest|checksum|commit|revision|\brev\b|fingerprint|etag|md5|\bcid\b`)
)

// openly reports whether a label calls its value a secret.
func openly(label string) bool {
	for _, w := range []string{"secret", "token", "passw", "api_key", "apikey", "api-key", "api key", "credential"} {
		if strings.Contains(label, w) {
			return true
		}
	}
	return false
}
