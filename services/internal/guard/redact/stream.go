package redact

import "strings"

// maxKnown bounds the secrets that a stream looks for again. Who prints more has
// printed a list of them.
const maxKnown = 256

// Stream redacts the texts of one conversation, one after the other: a secret
// that was recognised by its label in one is as secret where a later one repeats
// it alone. It is not safe for concurrent use.
type Stream struct {
	redactor *Redactor
	tenant   string
	known    map[string]string // secrets to their placeholders
}

// Stream begins a conversation of a tenant.
func (r *Redactor) Stream(tenant string) *Stream {
	return &Stream{redactor: r, tenant: tenant, known: make(map[string]string)}
}

// Text is [Redactor.Text] of the conversation's next text.
func (s *Stream) Text(text string) string {
	text = s.Repeats(text)
	clean, findings := s.redactor.Text(s.tenant, text)
	for _, f := range findings {
		secret := core(text[f.Start:f.End])
		if len(secret) >= shortestRepeat && mixed(secret) && len(s.known) < maxKnown {
			s.known[secret] = placeholder(f.Rule, f.Tag)
		}
	}
	return clean
}

// Repeats replaces only what the texts so far gave away: for what was redacted
// before a later text said that it is a secret. Placeholders are not looked into.
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

// Count is how many secrets a redacted text holds the places of.
func Count(s string) int {
	if !strings.Contains(s, placeholderOpen) {
		return 0
	}
	return len(placeholderShape.FindAllStringIndex(s, -1))
}
