package memory

import (
	"errors"
	"fmt"
	"math"
	"strings"

	winnowv1 "github.com/winnowhq/winnow/proto/winnow/v1"
)

// Size limits of a proposal. A proposal is one observation, not a document: a
// longer text belongs into a session, which distill reads.
const (
	MaxText        = 16 << 10 // bytes
	MaxLabel       = 256      // bytes: section, category, title, a tag, a session id
	MaxDescription = 1 << 10  // bytes
	MaxTags        = 32
	MaxTopics      = 5 // and as many macro topics
	MaxEvidence    = 32
	MaxSpan        = 4 << 10 // bytes of one quoted span
	MaxImportance  = 10
)

// Fault is an invalid field and its remedy.
type Fault struct {
	Field  string `json:"field"` // as a path, such as evidence[2].text
	Remedy string `json:"remedy"`
	// TooLarge means that only the size of the field is invalid.
	TooLarge bool `json:"-"`
}

func (f *Fault) Error() string { return f.Field + ": " + f.Remedy }

// Faults lists every [Fault] in a tree of wrapped and joined errors, in order.
func Faults(err error) []*Fault {
	switch e := err.(type) { //nolint:errorlint // it walks the tree itself
	case *Fault:
		return []*Fault{e}
	case interface{ Unwrap() error }:
		return Faults(e.Unwrap())
	case interface{ Unwrap() []error }:
		var all []*Fault
		for _, one := range e.Unwrap() {
			all = append(all, Faults(one)...)
		}
		return all
	}
	return nil
}

// CheckProposal validates the shape of a proposal. Every entry point uses it:
// subject, HTTP, MCP and command line. CheckProposal returns every [Fault], joined,
// or nil. It does not check authority or value of the text: claims are clamped
// elsewhere, and triage judges.
func CheckProposal(p *winnowv1.ProposalCreated) error {
	var c shape
	c.parsed("scope", p.GetScope(), func(s string) error { _, err := ParseScope(s); return err })
	switch n := len(p.GetText()); {
	case strings.TrimSpace(p.GetText()) == "":
		c.fault("text", "is empty; send the observation itself")
	case n > MaxText:
		c.large("text", "%d bytes, at most %d; publish a session instead and let distill read it", n, MaxText)
	}
	c.parsed("kind", p.GetKind(), func(s string) error { _, err := ParseKind(s); return err })
	c.origin("origin", p.GetOrigin())
	for _, label := range [...]struct{ field, value string }{
		{"section", p.GetSection()}, {"category", p.GetCategory()}, {"title", p.GetTitle()}, {"session_id", p.GetSessionId()},
	} {
		c.atMost(label.field, label.value, MaxLabel, "shorten it")
	}
	c.atMost("description", p.GetDescription(), MaxDescription, "the text has room for more")
	if i := p.GetImportance(); i < 0 || i > MaxImportance {
		c.fault("importance", "%d, want 1 to %d, or 0 for not stated", i, MaxImportance)
	}
	if v := p.GetConfidence(); math.IsNaN(v) || v < 0 || v > 1 {
		c.fault("confidence", "%v, want a number from 0 to 1, where 0 is not stated", v)
	}
	if o := p.GetOutcome(); o != "" && o != "success" && o != "failure" {
		c.fault("outcome", "%.40q, want success, failure or nothing", o)
	}
	if t := p.GetObservedAt(); t != nil && !t.IsValid() {
		c.fault("observed_at", "not a valid time; want RFC 3339, such as 2026-11-16T09:00:00Z")
	}
	c.lists(p)
	return errors.Join(c.faults...)
}

// shape collects faults.
type shape struct{ faults []error }

func (c *shape) fault(field, format string, args ...any) {
	c.faults = append(c.faults, &Fault{Field: field, Remedy: fmt.Sprintf(format, args...)})
}

func (c *shape) large(field, format string, args ...any) {
	c.faults = append(c.faults, &Fault{Field: field, Remedy: fmt.Sprintf(format, args...), TooLarge: true})
}

func (c *shape) atMost(field, value string, most int, remedy string) {
	if len(value) > most {
		c.large(field, "%d bytes, at most %d; %s", len(value), most, remedy)
	}
}

// parsed checks a field with its parser. The parser's error names the remedy.
func (c *shape) parsed(field, value string, parse func(string) error) {
	if err := parse(value); err != nil {
		// Parsers quote the value, and a long value makes the message unreadable.
		c.fault(field, "%.300s", err)
	}
}

// origin checks that a claim is a known origin; empty is no claim.
func (c *shape) origin(field, claim string) {
	if claim != "" {
		c.parsed(field, claim, func(s string) error { _, err := ParseOrigin(s); return err })
	}
}

func (c *shape) lists(p *winnowv1.ProposalCreated) {
	if n := len(p.GetTags()); n > MaxTags {
		c.fault("tags", "%d, at most %d; keep those that somebody would search by", n, MaxTags)
	}
	for _, list := range []struct {
		field  string
		values []string
	}{{"topics", p.GetTopics()}, {"macro_topics", p.GetMacroTopics()}} {
		if n := len(list.values); n > MaxTopics {
			c.fault(list.field, "%d, at most %d; a text about everything is about nothing", n, MaxTopics)
		}
		for i, topic := range list.values {
			c.atMost(fmt.Sprintf("%s[%d]", list.field, i), topic, MaxLabel, "shorten it")
		}
	}
	for i, tag := range p.GetTags() {
		c.atMost(fmt.Sprintf("tags[%d]", i), tag, MaxLabel, "shorten it")
	}
	if n := len(p.GetEvidence()); n > MaxEvidence {
		c.fault("evidence", "%d spans, at most %d; quote the words that matter", n, MaxEvidence)
	}
	for i, e := range p.GetEvidence() {
		c.atMost(fmt.Sprintf("evidence[%d].text", i), e.GetText(), MaxSpan, "quote the words that matter")
		c.origin(fmt.Sprintf("evidence[%d].origin", i), e.GetOrigin())
	}
}

// Tags that mean something to Winnow beside [TagConsolidated] and [TagWorkflow].
const (
	// TagPinned marks a memory that a person wants loaded at any value.
	TagPinned = "pinned"
	// TagSuperseded marks a memory that a consolidation replaced.
	TagSuperseded = "superseded"
)

// ReservedTag reports a tag that Winnow alone sets (SPEC §1). Case and spaces around
// it do not matter, so that no spelling of a reserved tag comes from a publisher.
func ReservedTag(tag string) bool {
	switch tag = strings.ToLower(strings.TrimSpace(tag)); {
	case tag == TagPinned, tag == TagConsolidated, tag == TagSuperseded, strings.HasPrefix(tag, TagWorkflow):
		return true
	}
	return false
}

// OwnTags returns the tags that a publisher may set, in their order, and how many of
// the given ones it may not. The result shares no memory with tags.
func OwnTags(tags []string) (own []string, reserved int) {
	own = make([]string, 0, len(tags))
	for _, tag := range tags {
		if ReservedTag(tag) {
			reserved++
			continue
		}
		own = append(own, tag)
	}
	return own, reserved
}
