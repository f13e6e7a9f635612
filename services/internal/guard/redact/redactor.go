package redact

import (
	"cmp"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"slices"
)

// ErrNoKey says that a Redactor needs a key: tags of an unkeyed digest could be
// looked up in a table of common passwords.
var ErrNoKey = errors.New("redact: empty tag key")

// Config chooses what a Redactor replaces.
type Config struct {
	// PII adds e-mail addresses, phone numbers, IBANs and card numbers.
	PII bool
	// Key makes tags unguessable. At least one byte; 32 random ones are sensible.
	Key []byte
}

// Finding is one replaced part of a text.
type Finding struct {
	Rule string // id of the rule, see Rules
	Tag  string // eight hexadecimal digits, equal for equal secrets of a tenant
	// Start and End are byte offsets of the replaced part in the original text.
	Start, End int
}

// Redactor replaces secrets. It is immutable and safe for concurrent use.
// Create one and reuse it, since New compiles a few hundred expressions.
type Redactor struct {
	key      []byte
	scanners []scanner
}

// scanner proposes spans of one segment of text that holds no placeholder.
type scanner interface {
	scan(segment string, emit func(span))
}

// New compiles the rules, which takes some 25 ms the first time in a process.
// It fails with ErrNoKey, or when the library's rules do not compile.
func New(cfg Config) (*Redactor, error) {
	if len(cfg.Key) == 0 {
		return nil, ErrNoKey
	}
	lib, err := sharedLibrary()
	if err != nil {
		return nil, fmt.Errorf("redact: gitleaks rules: %w", err)
	}
	r := &Redactor{key: slices.Clone(cfg.Key)}
	own := newAnchored(ownRules())
	plain := []scanner{lib, own, entropyScanner{}, passFileScanner{}}
	r.scanners = append(plain, encodedScanner{inside: slices.Clone(plain)})
	if cfg.PII {
		r.scanners = append(r.scanners, newAnchored(personalRules()))
	}
	return r, nil
}

// maxPasses bounds how often a text is read again. Ordinary texts need two or
// three passes; only one made for the purpose hides a secret behind each that is
// replaced.
const maxPasses = 24

// chainedRule names what is replaced when maxPasses do not reach the end.
const chainedRule = "chained"

// Text returns s with every secret replaced, and what was replaced, in order. A
// text without secrets is returned unchanged, without a copy.
//
// Replacing one secret changes the context of its neighbours, so what stands
// between replacements is scanned again until a pass finds nothing. After
// maxPasses, what still reveals secrets is replaced as a whole. The result is a
// fixed point: redacting it again changes nothing. The cost is proportional to
// the length of the text.
func (r *Redactor) Text(tenant, s string) (string, []Finding) {
	pieces := split(s)
	var findings []Finding
	for n := 1; ; n++ {
		next, found := r.pass(tenant, pieces, n > maxPasses)
		if len(found) == 0 {
			break
		}
		findings = append(findings, found...)
		pieces = next
	}
	if len(findings) == 0 {
		return s, nil
	}
	slices.SortFunc(findings, func(a, b Finding) int { return cmp.Compare(a.Start, b.Start) })
	return join(pieces), findings
}

// pass scans every piece that is still to be read and replaces its findings, or,
// when whole is set, each piece that has any.
func (r *Redactor) pass(tenant string, pieces []piece, whole bool) ([]piece, []Finding) {
	next := make([]piece, 0, len(pieces))
	var findings []Finding
	for _, p := range pieces {
		if p.done || p.clean {
			next = append(next, p)
			continue
		}
		spans := r.spans(p.text)
		if len(spans) == 0 {
			p.clean = true
			next = append(next, p)
			continue
		}
		if whole {
			spans = []span{{rule: chainedRule, end: len(p.text)}}
		}
		at := 0
		for _, sp := range spans {
			if sp.start > at {
				next = append(next, piece{text: p.text[at:sp.start], start: p.start + at})
			}
			tag := r.tag(tenant, p.text[sp.start:sp.end])
			next = append(next, piece{text: placeholder(sp.rule, tag), start: p.start + sp.start, done: true})
			findings = append(findings, Finding{Rule: sp.rule, Tag: tag, Start: p.start + sp.start, End: p.start + sp.end})
			at = sp.end
		}
		if at < len(p.text) {
			next = append(next, piece{text: p.text[at:], start: p.start + at})
		}
	}
	return next, findings
}

// spans runs all scanners over one segment and resolves their overlaps.
func (r *Redactor) spans(segment string) []span {
	if len(segment) < shortestSecret {
		return nil
	}
	var found []span
	emit := func(sp span) {
		if sp.end > sp.start {
			found = append(found, sp)
		}
	}
	for _, sc := range r.scanners {
		sc.scan(segment, emit)
	}
	if len(found) == 0 {
		return nil
	}
	return resolve(repeats(segment, found))
}

// SecretName refuses a name that [Redactor.Secret] recognises. It does not repeat it.
const SecretName = "looks like a secret, and names are stored and shown as they are; choose another one, and replace the secret if it is one"

// Secret reports whether a name holds a secret. Such a name, of a scope, a principal or a
// term, is refused: it would be stored, logged and shown as it is, and a tag in its place
// would name something else.
func (r *Redactor) Secret(name string) bool {
	_, found := r.Text("", name)
	return len(found) > 0
}

// ID returns an id that a publisher chose, such as an event's or a request's, in the form
// that may be stored, logged and told: itself, or a hash where it holds a secret. Equal
// ids stay equal in every process, whatever its key, so that a repeat is still known; the
// same rule cannot be a keyed tag, since without a common key each process has its own.
func (r *Redactor) ID(id string) string {
	if _, found := r.Text("", id); len(found) == 0 {
		return id
	}
	sum := sha256.Sum256([]byte("winnow/id/v1\x00" + id))
	return "hidden-" + hex.EncodeToString(sum[:16])
}
