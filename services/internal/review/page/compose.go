package page

import (
	"time"

	"github.com/winnowhq/winnow/services/internal/memory"
)

// Compose writes a digest of at most MaxItems questions and MaxWords words. When not
// everything fits, optional figures go first, then spot checks down to one, then the
// least consequential questions, which wait and are counted. What runs merged is always
// counted, and shown run by run where there is room.
func Compose(in Input) memory.Digest {
	if in.MaxItems <= 0 {
		in.MaxItems = mostItems
	}
	if in.MaxWords <= 0 {
		in.MaxWords = defaultWords
	}
	in.MaxItems, in.MaxWords = min(in.MaxItems, mostItems), max(in.MaxWords, fewestWords)
	if in.Zone == nil {
		in.Zone = time.UTC
	}
	in.PromotedTotal = max(in.PromotedTotal, len(in.Promoted))

	c := choose(in)
	spots := sample(in.Digest.ID, in.Promoted)
	p := page{in: &in, words: phrasesOf(in.Digest.Language), chosen: c}
	fits := func() bool { return words(p.text()) <= in.MaxWords }

	// One spot check stays in every digest that has any: spot checks measure how often
	// a promotion is wrong.
	for asked := min(in.MaxItems, len(c.questions)); asked >= 0; asked-- {
		p.items, p.waiting = bySection(c.questions[:asked]), len(c.questions)-asked
		p.spots = spots[:min(1, len(spots))]
		if fits() {
			break
		}
	}
	// Then the optional lines that fit, the most informative first.
	for _, part := range []*bool{&p.rulesOff, &p.oldest, &p.override, &p.address} {
		if *part = true; !fits() {
			*part = false
		}
	}
	// What was merged without a person is told before more spot checks are listed.
	for n := 1; n <= min(mostMerged, len(in.Merged)); n++ {
		if p.mergedShown = n; !fits() {
			p.mergedShown = n - 1
			break
		}
	}
	for n := len(p.spots) + 1; n <= len(spots); n++ {
		if p.spots = spots[:n]; !fits() {
			p.spots = spots[:n-1]
			break
		}
	}
	if p.reasons = true; !fits() {
		p.reasons = false
	}

	d := in.Digest
	d.Text, d.Items, d.Spots = p.text(), nil, nil
	for i, q := range p.items {
		d.Items = append(d.Items, memory.DigestItem{
			Number: i + 1, ProposalID: q.Proposal.ID, DecisionID: q.Decision.ID, Advice: advice(q.Decision),
		})
	}
	for i, s := range p.spots {
		d.Spots = append(d.Spots, memory.DigestSpot{Number: i + 1, MemoryID: s.MemoryID, DecisionID: s.DecisionID})
	}
	return d
}
