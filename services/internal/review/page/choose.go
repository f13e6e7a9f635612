package page

import (
	"cmp"
	"crypto/sha256"
	"slices"
	"strings"
	"time"

	"github.com/winnowhq/winnow/services/internal/memory"
)

// longestText is the most words of a text that a message puts to a person. It
// is shown whole or not asked about: nobody agrees to words they did not see.
const longestText = 60

// chosen is what waits, sorted by what the digest does with it.
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
			// Text from outside never takes a slot: whoever could fill the digest
			// from outside would push the real questions out of it (D8).
			c.outside++
		case words(shown(q.Proposal.Text, q.Proposal.Authority)) > longestText:
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

// consequence ranks a question: what agents must obey before what they are to
// prefer, before how things are built, before facts. The lowest comes first.
func consequence(p memory.Proposal) int {
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

// bySection puts questions in the order of MEMORY.md, own sections last and by
// name (S3.19). Within a section the order stays.
func bySection(list []Question) []Question {
	out := slices.Clone(list)
	slices.SortStableFunc(out, func(a, b Question) int {
		x, y := SectionOf(a.Proposal), SectionOf(b.Proposal)
		return cmp.Or(cmp.Compare(SectionRank(x), SectionRank(y)), strings.Compare(x, y))
	})
	return out
}

// SectionRank orders sections as MEMORY.md does; own ones come last.
func SectionRank(section string) int {
	sections := memory.DefaultSections()
	if i := slices.Index(sections, section); i >= 0 {
		return i
	}
	return len(sections)
}

// SectionOf is the heading of MEMORY.md that a proposal goes under: the one it
// names, else that of its kind.
func SectionOf(p memory.Proposal) string {
	if p.Section == "" {
		return memory.SectionFor(p.Kind)
	}
	return p.Section
}

// advice is what the item recommends. Replacing needs a memory to be replaced:
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

// sample orders spot checks by a hash with the digest's id: nobody can choose
// what is looked at, and the same digest always looks at the same.
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

// days are the whole days of a duration.
func days(d time.Duration) int { return int(d / (24 * time.Hour)) }
