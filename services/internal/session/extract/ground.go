package extract

import (
	"strings"

	"github.com/winnowhq/winnow/services/internal/judge/lexical"
	"github.com/winnowhq/winnow/services/internal/memory"
	"github.com/winnowhq/winnow/services/internal/session/trace"
)

// Reason says why an extraction or a sentence was dropped.
type Reason string

// The reasons.
const (
	ReasonNoEvidence Reason = "the trace has none of its evidence"
	ReasonInvented   Reason = "it names what its evidence does not say"
	ReasonUnrelated  Reason = "it has hardly a word of its evidence"
)

// Dropped is what the trace does not prove: one sentence of an extraction, or
// all of it.
type Dropped struct {
	Extraction Extraction // as it was
	Sentence   string     // what was taken out; empty when the whole was dropped
	Reason     Reason
	Claim      string // the name, path, number or address, where one was the reason
}

// Whole reports whether the entire extraction was dropped.
func (d Dropped) Whole() bool { return d.Sentence == "" }

// Ground returns the extractions that the session proves, and what was dropped.
// Every quotation is looked up letter by letter, blanks apart, in the turn that
// it cites and then in the others. The quotation returned is the trace's own
// text at its own turn. Every claim of a title, a description and a content
// must stand in the quotations or else in the cited turns, whose passage is
// then quoted too. A sentence with an unproved claim is removed. A title with
// one, or a content of which less than half is left, drops the whole
// extraction.
//
// An extraction without citations, as the seed's format allows, is looked up by
// its claims. An extraction that cites only words that were never said is
// dropped.
func Ground(s Session, list []Extraction) (kept []Extraction, dropped []Dropped) {
	for _, v := range Judge(s, list) {
		dropped = append(dropped, v.Dropped...)
		if v.Kept != nil {
			kept = append(kept, *v.Kept)
		}
	}
	return kept, dropped
}

// Verdict is the result of [Judge] for one extraction.
type Verdict struct {
	Given   Extraction
	Kept    *Extraction // nil where it was dropped
	Dropped []Dropped   // what was taken out, or why all of it
	Mended  bool        // it is the model's second version that is kept
}

// Judge is [Ground], with the result of each extraction.
func Judge(s Session, list []Extraction) []Verdict {
	b, words := newBook(s), lexical.NewAnalyzer()
	out := make([]Verdict, 0, len(list))
	for _, e := range list {
		kept, dropped := b.ground(e, words)
		if kept != nil {
			kept.settle(s)
		}
		out = append(out, Verdict{Given: e, Kept: kept, Dropped: dropped})
	}
	return out
}

func (b *book) ground(e Extraction, words *lexical.Analyzer) (*Extraction, []Dropped) {
	fail := func(reason Reason, claim string) (*Extraction, []Dropped) {
		return nil, []Dropped{{Extraction: e, Reason: reason, Claim: claim}}
	}
	if strings.TrimSpace(e.Text) == "" {
		return fail(ReasonNoEvidence, "")
	}
	quotes := b.cites(e.Evidence)
	if len(e.Evidence) == 0 {
		quotes = b.search(e, words)
	}
	if len(quotes) == 0 {
		return fail(ReasonNoEvidence, "")
	}
	quotes = b.widen(quotes, e.Title+"\n"+e.Description+"\n"+e.Text)
	said := newEvidence(quotes)

	var gone []Dropped
	prune := func(text string) string {
		rest, cuts := said.prune(text)
		for _, c := range cuts {
			gone = append(gone, Dropped{Extraction: e, Sentence: c.sentence, Reason: ReasonInvented, Claim: c.claim})
		}
		return rest
	}
	out := e
	if claim, missing := said.missing(e.Title); missing {
		return fail(ReasonInvented, claim)
	}
	out.Description, out.Text = prune(e.Description), prune(e.Text)
	if len(out.Text)*2 < len(strings.TrimSpace(e.Text)) || out.Text == "" || pointGone(e, gone, words) {
		return fail(ReasonInvented, gone[0].Claim)
	}
	if e.Description != "" && out.Description == "" {
		out.Description = e.Title // a lesson needs one, and its title is borne out
	}
	if b.share(out.Text, quotes, words) < related {
		return fail(ReasonUnrelated, "")
	}
	out.Tags = nil
	for _, tag := range e.Tags {
		if _, missing := said.missing(tag); !missing {
			out.Tags = append(out.Tags, tag)
		}
	}
	out.Evidence = quotes
	return &out, gone
}

// removal is a sentence that was removed, and the claim that caused it.
type removal struct{ sentence, claim string }

// prune removes the sentences whose claims the evidence lacks.
func (e evidence) prune(text string) (string, []removal) {
	var b strings.Builder
	var cuts []removal
	// Steps are counted over the whole text.
	claims := withoutMarks(text)
	for _, s := range Sentences(text) {
		sentence := text[s.Start:s.End]
		if claim, missing := e.missing(claims[s.Start:s.End]); missing {
			if rest, cut := e.withoutClause(sentence); rest != "" {
				cuts = append(cuts, removal{cut, claim})
				b.WriteString(rest)
				continue
			}
			cuts = append(cuts, removal{strings.TrimSpace(sentence), claim})
			continue
		}
		if strings.TrimSpace(sentence) == "" && strings.HasSuffix(b.String(), "\n") && len(cuts) > 0 {
			continue // the end of a line that was removed
		}
		b.WriteString(sentence)
	}
	rest := strings.TrimSpace(b.String())
	if len(cuts) > 0 {
		rest = renumbered(rest)
	}
	// A claim can span two sentences, or arise where two sentences now meet.
	if claim, missing := e.missing(rest); missing {
		return "", append(cuts, removal{rest, claim})
	}
	return rest, cuts
}

// search finds evidence for an extraction without citations: the first passage
// that holds each claim and, for a text without claims, the most similar
// passage.
func (b *book) search(e Extraction, words *lexical.Analyzer) []Quote {
	var quotes []Quote
	for _, claim := range Claims(e.Title + "\n" + e.Description + "\n" + e.Text) {
		if newEvidence(quotes).has(claim) {
			continue
		}
		for _, l := range b.lines {
			if l.Role == trace.RoleSystem {
				continue
			}
			if start, end, ok := Within(l.Text, claim); ok {
				quotes = add(quotes, Quote{Turn: l.N, Text: Passage(l.Text, start, end)})
				break
			}
		}
	}
	if len(quotes) > 0 {
		return quotes
	}
	about := words.Analyze(memory.Scan(e.Text), nil)
	best, at := lexical.PointLoose, Quote{}
	for _, l := range b.lines {
		if l.Role == trace.RoleSystem || len(l.Text) > maxSearched {
			continue
		}
		for _, p := range Sentences(l.Text) {
			text := strings.TrimSpace(l.Text[p.Start:p.End])
			if text == "" || len(text) > MaxQuote {
				continue
			}
			if score := lexical.Compare(about, words.Analyze(memory.Scan(text), nil)).Similarity; score > best {
				best, at = score, Quote{Turn: l.N, Text: text}
			}
		}
	}
	if at.Turn == 0 {
		return nil
	}
	return []Quote{at}
}

// maxSearched bounds the length in bytes of a turn that is compared sentence by
// sentence: a longer turn is output, not a statement.
const maxSearched = 8 << 10

// related is the least share of a text's meaning that its cited turns must
// have. It is low because a lesson uses other words than the session. Below it,
// true quotations accompany an unrelated text.
const related = 0.2

// share returns how much of a text's meaning the cited turns have, 0–1.
func (b *book) share(text string, quotes []Quote, words *lexical.Analyzer) float64 {
	var all strings.Builder
	seen := make(map[int]bool)
	for _, q := range quotes {
		all.WriteString(q.Text + "\n")
		if !seen[q.Turn] {
			seen[q.Turn] = true
			all.WriteString(Middle(b.lines[b.byN[q.Turn]].Text, maxSearched) + "\n")
		}
	}
	return lexical.Compare(words.Analyze(memory.Scan(text), nil), words.Analyze(memory.Scan(all.String()), nil)).Forward
}
