package redact

import (
	"strings"

	"github.com/winnowhq/winnow/services/internal/guard/redact/plausible"
)

// maxKnown bounds the secrets that a stream looks for again. A conversation
// with more has printed a list of secrets.
const maxKnown = 256

// Stream redacts the texts of one conversation, one after the other: a secret
// that was recognised by its label in one text is replaced where a later text
// repeats it without the label. It is not safe for concurrent use.
type Stream struct {
	redactor *Redactor
	tenant   string
	known    map[string]string // secrets to their placeholders
}

// Stream returns the stream of a new conversation of a tenant.
func (r *Redactor) Stream(tenant string) *Stream {
	return &Stream{redactor: r, tenant: tenant, known: make(map[string]string)}
}

// Text is [Redactor.Text] for the conversation's next text.
func (s *Stream) Text(text string) string {
	text = s.Repeats(text)
	clean, findings := s.redactor.Text(s.tenant, text)
	for _, f := range findings {
		secret := core(text[f.Start:f.End])
		if len(secret) >= shortestRepeat && plausible.Mixed(secret) && len(s.known) < maxKnown {
			s.known[secret] = placeholder(f.Rule, f.Tag)
		}
	}
	return clean
}

// Repeats replaces only secrets that the texts so far revealed. It is for texts
// that were redacted before a later text revealed the secret. Placeholders are
// not scanned.
func (s *Stream) Repeats(text string) string {
	for secret, instead := range s.known {
		if !strings.Contains(text, secret) {
			continue
		}
		pieces := split(text)
		for i, p := range pieces {
			if !p.done {
				pieces[i].text = strings.ReplaceAll(p.text, secret, instead)
			}
		}
		text = join(pieces)
	}
	return text
}

// Count returns how many secrets were replaced in a redacted text.
func Count(s string) int {
	if !strings.Contains(s, placeholderOpen) {
		return 0
	}
	return len(placeholderShape.FindAllStringIndex(s, -1))
}
