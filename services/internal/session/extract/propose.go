package extract

import (
	"strconv"

	"github.com/winnowhq/winnow/services/internal/judge/lexical"
	"github.com/winnowhq/winnow/services/internal/memory"
	"github.com/winnowhq/winnow/services/internal/session/trace"
	"github.com/winnowhq/winnow/services/internal/session/trust"
)

// Proposal is an extraction with the origin that its text may claim.
type Proposal struct {
	Extraction
	// N numbers the proposal within its session, from 1. A redelivery gives the
	// same number.
	N int
	// Authority is the most that the text may claim.
	Authority memory.Origin
	Spans     []Span
}

// Span is a passage that proves a proposal, as it is published.
type Span struct {
	Ref    string // turn:N
	Role   trace.Role
	Origin memory.Origin
	Text   string
}

// Authority returns the origin of a text by the turns that it cites.
type Authority func(text string, ancestors []trust.Ancestor) memory.Origin

// Trusting returns the authority by the spans that were stored with a session:
// see [trust.Tracker.Authority]. The format and the highest origin are the
// session's and override o.
func Trusting(s Session, o trust.Options) Authority {
	o.Format, o.Highest = trace.Format(s.Format), s.Highest
	turns, spans := make([]trace.Turn, len(s.Lines)), make([]trust.Span, len(s.Lines))
	for i, l := range s.Lines {
		turns[i], spans[i] = l.Turn, l.Span
	}
	return trust.Restore(turns, spans, o).Authority
}

// Proposals returns each extraction with the origin that it may claim: the
// least of the cited turns whose words it carries; external where it carries
// words from outside, whatever it cites; and a person's only where a person's
// own words say all of it. Claims of a model in the extraction do not count.
// kept must come from [Ground].
func Proposals(s Session, kept []Extraction, judge Authority) []Proposal {
	b := newBook(s)
	words := lexical.NewAnalyzer()
	list := make([]Proposal, 0, len(kept))
	for i, e := range kept {
		p := Proposal{Extraction: e, N: i + 1}
		var ancestors []trust.Ancestor
		cited := make(map[int]bool)
		for _, q := range e.Evidence {
			l := b.lines[b.byN[q.Turn]]
			p.Spans = append(p.Spans, Span{Ref: "turn:" + strconv.Itoa(q.Turn), Role: l.Role, Origin: l.Span.Origin, Text: q.Text})
			if !cited[q.Turn] {
				cited[q.Turn] = true
				ancestors = append(ancestors, trust.Ancestor{Text: l.Text, Origin: l.Span.Origin})
			}
		}
		p.Authority = judge(e.Words(), ancestors)
		if p.Authority > memory.OriginAgent && !p.said(words) {
			p.Authority = memory.OriginAgent
		}
		list = append(list, p)
	}
	return list
}

// Words returns all text of an extraction that a reader will see.
func (e *Extraction) Words() string {
	if e.Title == "" {
		return e.Text
	}
	return e.Title + ".\n" + e.Description + "\n" + e.Text
}

// ownWords is the least share of a text's meaning that persons' quotations must
// have for the text to be a person's.
const ownWords = 0.85

// said reports whether persons said a proposal: every claim, and almost all of
// the meaning, stands in what is quoted of them. Sharing a name with a person's
// turn is not enough: an agent's conclusion about a file that a person named is
// the agent's.
func (p *Proposal) said(words *lexical.Analyzer) bool {
	var quotes []Quote
	all := ""
	for _, span := range p.Spans {
		if span.Origin >= memory.OriginFirstParty {
			quotes = append(quotes, Quote{Text: span.Text})
			all += span.Text + "\n"
		}
	}
	if len(quotes) == 0 {
		return false
	}
	if _, missing := newEvidence(quotes).missing(p.Words()); missing {
		return false
	}
	a, b := words.Analyze(memory.Scan(p.Words()), nil), words.Analyze(memory.Scan(all), nil)
	return lexical.Compare(a, b).Forward >= ownWords
}
