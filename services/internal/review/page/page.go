package page

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/winnowhq/winnow/services/internal/memory"
)

// Word limits of the text around a question, so that any question that may be asked
// also fits.
const (
	longestReason  = 14
	longestSource  = 20
	longestAgainst = 30
	longestMerges  = 45
	longestSpot    = 25
	longestName    = 4 // of a section or session
)

// page is one version of the digest. Compose tries several.
type page struct {
	in      *Input
	words   *phrases
	chosen  chosen
	items   []Question
	waiting int // questions that could be asked and are not
	spots   []Spot
	// mergedShown is how many runs have a line of their own.
	mergedShown int
	// Optional lines.
	rulesOff, oldest, override, reasons, address bool
}

// ruleContradiction is the rule of questions which of two stored texts holds.
const ruleContradiction = "contradiction"

// text returns the whole message: blocks with an empty line between them.
func (p *page) text() string {
	blocks := [][]string{{p.header()}, p.questions(), p.counted(), p.mergedLines(), p.spotCheck(), p.figures(), p.replyLines()}
	var out []string
	for _, b := range blocks {
		if len(b) > 0 {
			out = append(out, strings.Join(b, "\n"))
		}
	}
	return strings.Join(out, "\n\n") + "\n"
}

// header has the same wording for every number, because programs read it too (S3.27).
func (p *page) header() string {
	c := p.in.Counts
	line := fmt.Sprintf(p.words.header, c.Promoted, c.Rejected, c.Merged, len(p.items))
	if len(p.items) > 0 {
		return line + ":"
	}
	if p.waiting+p.chosen.tooLong+p.chosen.outside > 0 {
		return line + "."
	}
	return line + ".\n" + p.words.nothing
}

func (p *page) questions() []string {
	var out []string
	for i, q := range p.items {
		out = append(out, p.question(i+1, q)...)
	}
	return out
}

// question returns the item line of S3.28, the text that it stands against, and its
// source.
func (p *page) question(n int, q Question) []string {
	text := shown(q.Proposal.Text, q.Proposal.Authority)
	line := fmt.Sprintf(p.words.item, n, heading(SectionOf(q.Proposal)), text, p.words.advice[advice(q.Decision)])
	if r := p.reason(q.Decision); r != "" {
		line += " (" + r + ")"
	}
	out := []string{line}
	if q.Against != "" {
		format := p.words.stored
		if strings.HasPrefix(q.Decision.Target, memory.PrefixProposal) {
			format = p.words.open
		}
		// The authority of the stored text is not known here, so its links are
		// disabled.
		out = append(out, "   "+fmt.Sprintf(format, clip(unlinked(harmless(q.Against)), longestAgainst)))
	}
	switch {
	case q.Decision.Rule == ruleContradiction:
		out = append(out, "   "+p.words.either)
	case len(q.Merges) > 0:
		list := fmt.Sprintf(p.words.merges, len(q.Merges), strings.Join(q.Merges, "; "))
		out = append(out, "   "+clip(unlinked(harmless(list)), longestMerges))
	}
	from := q.Proposal
	from.SessionID = clip(harmless(from.SessionID), longestName)
	from.ObservedAt = from.ObservedAt.In(p.in.Zone)
	return append(out, "   "+p.scope(from.Scope)+clip(unlinked(harmless(p.words.sourceOf(from))), longestSource))
}

// scope returns the scope at the begin of a line, where the reviewer answers for
// several.
func (p *page) scope(s memory.Scope) string {
	if len(p.in.Scopes) < 2 {
		return ""
	}
	return clip(harmless(string(s)), longestName) + " · "
}

// heading returns a section's name for the brackets. Publishers name sections, so it is
// made harmless.
func heading(name string) string {
	return clip(strings.NewReplacer("[", "(", "]", ")").Replace(harmless(name)), longestName)
}

// reason returns a decision's reason as part of a line: without a capital at its begin
// or a full stop at its end.
func (p *page) reason(d memory.Decision) string {
	if r, known := p.words.reasons[d.Rule]; known {
		return r
	}
	r := clip(unlinked(harmless(strings.TrimSuffix(strings.TrimSpace(d.Reason), "."))), longestReason)
	first, size := utf8.DecodeRuneInString(r)
	next, _ := utf8.DecodeRuneInString(r[size:])
	if unicode.IsUpper(first) && !unicode.IsUpper(next) {
		r = string(unicode.ToLower(first)) + r[size:]
	}
	return r
}

// counted returns the lines about waiting proposals that are not asked about, so that
// none is dropped silently.
func (p *page) counted() []string {
	var out []string
	if p.waiting > 0 {
		out = append(out, p.words.more.of(p.waiting))
	}
	if n := p.chosen.tooLong; n > 0 {
		out = append(out, p.words.tooLong.of(n))
	}
	if n := p.chosen.outside; n > 0 {
		out = append(out, p.words.outside.of(n))
	}
	if n := p.in.Expired; n > 0 {
		out = append(out, p.words.expired.of(n, days(p.in.ExpireAfter)))
	}
	return out
}

func (p *page) spotCheck() []string {
	if len(p.spots) == 0 {
		return nil
	}
	out := []string{p.words.spots}
	if len(p.spots) < p.in.PromotedTotal {
		out[0] = fmt.Sprintf(p.words.spotsOf, len(p.spots), p.in.PromotedTotal)
	}
	for i, s := range p.spots {
		line := fmt.Sprintf(`p%d. %s"%s"`, i+1, p.scope(s.Scope), clip(shown(s.Text, s.Authority), longestSpot))
		if rule := p.words.rules[s.Rule]; rule != "" {
			line += " (" + rule + ")"
		}
		out = append(out, line)
	}
	return out
}

// figures returns the lines about the quality of triage.
func (p *page) figures() []string {
	var out []string
	if p.reasons && len(p.in.Counts.RejectedBy) > 0 {
		out = append(out, fmt.Sprintf(p.words.why, p.rejections()))
	}
	if p.override && p.in.Reviewed > 0 {
		share := (100*p.in.Overrode + p.in.Reviewed/2) / p.in.Reviewed
		out = append(out, fmt.Sprintf(p.words.override, p.in.Overrode, p.in.Reviewed, share))
	}
	if p.oldest && days(p.in.Oldest) > 0 {
		out = append(out, p.words.oldest.of(days(p.in.Oldest)))
	}
	if p.rulesOff {
		for _, id := range slices.Sorted(slices.Values(p.in.RulesOff)) {
			out = append(out, fmt.Sprintf(p.words.ruleOff, cmp.Or(p.words.rules[id], id), id))
		}
	}
	return out
}

// rejections lists the reasons of rejections, the most frequent first.
func (p *page) rejections() string {
	by := p.in.Counts.RejectedBy
	ids := make([]string, 0, len(by))
	for id := range by {
		ids = append(ids, id)
	}
	slices.SortFunc(ids, func(a, b string) int { return cmp.Or(cmp.Compare(by[b], by[a]), cmp.Compare(a, b)) })
	for i, id := range ids {
		ids[i] = fmt.Sprintf("%d × %s", by[id], cmp.Or(p.words.rules[id], id))
	}
	return strings.Join(ids, ", ")
}

// replyLines returns examples of replies, with numbers that this digest has.
func (p *page) replyLines() []string {
	n, w := len(p.items), p.words
	var ways []string
	if n > 0 {
		ways = append(ways, "ok")
	}
	if n > 1 {
		ways = append(ways, fmt.Sprintf(w.except, min(3, n)), w.yes+" "+w.no)
	} else if n == 1 {
		ways = append(ways, w.yes)
	}
	if n > 0 {
		ways = append(ways, fmt.Sprintf(w.text, min(4, n)))
	}
	if s := len(p.spots); s > 0 {
		ways = append(ways, fmt.Sprintf("p%dn", min(2, s)))
	}
	var out []string
	if n > 0 {
		ways = append(ways, w.later)
	}
	if len(ways) > 0 {
		ways = append(ways, w.undo)
		out = append(out, w.reply+strings.Join(ways, " · ")+"      "+w.code+" "+p.in.Digest.Code)
	}
	if p.address && p.in.ReviewURL != "" {
		out = append(out, fmt.Sprintf(w.page, p.in.ReviewURL))
	}
	return out
}
