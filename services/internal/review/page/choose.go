package page

import (
	"cmp"
	"crypto/sha256"
	"slices"
	"strings"
	"time"

	"github.com/winnowhq/winnow/services/internal/memory"
)

// longestText is the most words of a text that a digest asks about. A text is shown
// whole or not asked about, so that a person agrees only to words on the page.
const longestText = 60

// longestOffer is longestText for an offer, whose text stands for several.
const longestOffer = 160

func longest(p memory.Proposal) int {
	if p.Offer() {
		return longestOffer
	}
	return longestText
}

// chosen is the waiting questions, sorted by what the digest does with them.
type chosen struct {
	questions []Question // short enough to be asked, most consequential first
	tooLong   int
	outside   int
}

func choose(in Input) chosen {
	c := chosen{outside: max(in.Outside, 0)}
	for _, q := range in.Waiting {
		switch {
		case q.Proposal.Authority <= memory.OriginExternal:
			// Text from outside never takes a slot: an attacker who could fill the
			// digest would push the real questions out of it (D8).
			c.outside++
		case words(shown(q.Proposal.Text, q.Proposal.Authority)) > longest(q.Proposal):
			c.tooLong++
		default:
			c.questions = append(c.questions, q)
		}
	}
	slices.SortStableFunc(c.questions, func(a, b Question) int {
		return cmp.Or(
			cmp.Compare(consequence(a.Proposal), consequence(b.Proposal)),
			a.Proposal.CreatedAt.Compare(b.Proposal.CreatedAt),
			cmp.Compare(a.Proposal.ID, b.Proposal.ID),
		)
	})
	return c
}

// consequence ranks a question, the lowest first: rules that agents must obey, then
// preferences, then how things are built, then facts, then offers to merge.
func consequence(p memory.Proposal) int {
	if p.Offer() {
		return 4 // nothing is lost while it waits
	}
	switch p.Kind {
	case memory.KindRule:
		return 0
	case memory.KindPreference, memory.KindConvention:
		return 1
	case memory.KindDecision, memory.KindStrategy:
		return 2
	}
	return 3
}

// bySection sorts questions in the order of MEMORY.md, custom sections last and by name
// (S3.19). The sort is stable.
func bySection(list []Question) []Question {
	out := slices.Clone(list)
	slices.SortStableFunc(out, func(a, b Question) int {
		x, y := SectionOf(a.Proposal), SectionOf(b.Proposal)
		return cmp.Or(cmp.Compare(SectionRank(x), SectionRank(y)), strings.Compare(x, y))
	})
	return out
}

// SectionRank returns the rank of a section in MEMORY.md; custom sections come last.
func SectionRank(section string) int {
	sections := memory.DefaultSections()
	if i := slices.Index(sections, section); i >= 0 {
		return i
	}
	return len(sections)
}

// SectionOf returns the heading of MEMORY.md for a proposal: the one that it names,
// else that of its kind.
func SectionOf(p memory.Proposal) string {
	if p.Section == "" {
		return memory.SectionFor(p.Kind)
	}
	return p.Section
}

// advice returns what the item recommends. A replacement needs a memory to replace:
// against a proposal that waits as well, only the person can choose.
func advice(d memory.Decision) memory.Advice {
	switch d.Advice {
	case memory.AdvicePromote, memory.AdviceReject:
		return d.Advice
	case memory.AdviceReplace:
		if strings.HasPrefix(d.Target, memory.PrefixMemory) {
			return d.Advice
		}
	}
	return memory.AdviceReview
}

// mostSpots is how many spot checks are listed; of more, a sample is.
const mostSpots = 10

// sample orders spot checks by a hash with the digest's id, so that the choice cannot
// be influenced and the same digest always has the same.
func sample(id string, spots []Spot) []Spot {
	type keyed struct {
		key  [sha256.Size]byte
		spot Spot
	}
	list := make([]keyed, len(spots))
	for i, s := range spots {
		list[i] = keyed{sha256.Sum256([]byte(id + "\x00" + s.MemoryID)), s}
	}
	slices.SortStableFunc(list, func(a, b keyed) int { return slices.Compare(a.key[:], b.key[:]) })
	out := make([]Spot, 0, mostSpots)
	for _, k := range list[:min(len(list), mostSpots)] {
		out = append(out, k.spot)
	}
	return out
}

// days returns the whole days of a duration.
func days(d time.Duration) int { return int(d / (24 * time.Hour)) }
