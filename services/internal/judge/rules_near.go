package judge

import (
	"fmt"
	"slices"

	"github.com/winnowhq/winnow/services/internal/judge/subject"
	"github.com/winnowhq/winnow/services/internal/judge/wording"
	"github.com/winnowhq/winnow/services/internal/memory"
)

// These rules compare the proposal with its neighbours. Similarity never decides
// alone: the specifics guard (D3) has to agree.

const (
	// fullShare is the share of a text's meaning that another text must have to say
	// all of it.
	fullShare = 0.80
	// coveredShare is the share from which one text contains the other, however much
	// longer it is.
	coveredShare = 0.92
	// aboutShare is the share from which a short text is about the same thing as a
	// longer one, although the two are not alike as a whole.
	aboutShare = 0.66
	// topicShare is aboutShare without numbers: "Lines added: 150" is about the same
	// as "Lines added: 420 (git diff --stat)".
	topicShare = 0.80
	// restatedTopic is the same where a word was exchanged.
	restatedTopic = 0.60
	// renamedTopic is aboutShare where two names of one subject stand behind the same word.
	renamedTopic = 0.35
	// fewWords is the fewest words of meaning whose overlap proves anything.
	fewWords = 3
)

// aboutIts returns the neighbours that may be about what the proposal is about.
// No rule compares with the others: another subject makes another fact.
func aboutIts(near []Neighbour) []Neighbour {
	other := func(n Neighbour) bool { return n.Subject == subject.Different }
	if !slices.ContainsFunc(near, other) {
		return near
	}
	return slices.DeleteFunc(slices.Clone(near), other)
}

// replaceIfSame recommends to replace a neighbour only where both are about the
// same thing beyond doubt.
func replaceIfSame(n *Neighbour) memory.Advice {
	if n.Subject == subject.Same {
		return memory.AdviceReplace
	}
	return memory.AdviceReview
}

// saysNoMore reports whether the neighbour has every detail of the proposal.
func saysNoMore(n *Neighbour) bool {
	return n.Relation == memory.RelationEqual || n.Relation == memory.RelationContained
}

// mayRepeat reports whether a rule could take the proposal for a repeat of the neighbour
// or for a part of it, as far as similarity tells.
func mayRepeat(n *Neighbour, points Points) bool {
	return n.ByWords > points.Duplicate || n.Reworded || n.Forward >= fullShare
}

// duplicates reports whether the neighbour says what the proposal says: near enough by
// the points of the calibration, and with every detail. It is what dup.near asks.
func duplicates(s *settings, n *Neighbour) bool {
	if n.Same || n.Restated && !s.policy.Literal {
		return true
	}
	if n.ByWords <= s.points.Duplicate && !n.Reworded {
		return false
	}
	return s.policy.Literal || n.proved(s.points)
}

// proved reports whether words and details alone prove that the neighbour says what the
// proposal says.
func (n *Neighbour) proved(points Points) bool {
	return (n.ByWords > points.Duplicate || n.Reworded) && saysNoMore(n) && !n.Substituted && !n.Leftover && !n.Statement && !n.Transition && !n.Denies && !n.Named
}

func bestDuplicate(s *settings, near []Neighbour, role memory.CandidateRole) *Neighbour {
	for i := range near {
		if near[i].Role == role && duplicates(s, &near[i]) {
			return &near[i]
		}
	}
	return nil
}

func matchEchoPrompt(s *settings, _ *wording.Features, near []Neighbour) *Finding {
	if n := bestDuplicate(s, near, memory.RoleBoot); n != nil {
		return &Finding{Target: n.ID, Reason: "It restates a boot file that agents load anyway."}
	}
	return nil
}

func matchEchoRecall(s *settings, _ *wording.Features, near []Neighbour) *Finding {
	if n := bestDuplicate(s, near, memory.RoleServed); n != nil {
		return &Finding{Target: n.ID, Reason: "It restates what was served in its own session; an echo is no confirmation."}
	}
	return nil
}

func matchSettled(s *settings, _ *wording.Features, near []Neighbour) *Finding {
	n := bestDuplicate(s, near, memory.RoleSettled)
	if n == nil {
		return nil
	}
	reason := "A person rejected the same before."
	if !n.CreatedAt.IsZero() {
		reason = fmt.Sprintf("A person rejected the same on %s.", n.CreatedAt.Format("2 January 2006"))
	}
	return &Finding{Target: n.ID, Reason: reason}
}

func matchDupExact(_ *settings, _ *wording.Features, near []Neighbour) *Finding {
	for i := range near {
		if n := &near[i]; n.Same && judgedAgainst(n) {
			return duplicateOf(n, "The same words are stored already.")
		}
	}
	return nil
}

func matchDupNear(s *settings, _ *wording.Features, near []Neighbour) *Finding {
	for i := range near {
		if n := &near[i]; !n.Same && judgedAgainst(n) && duplicates(s, n) {
			how := "with every detail"
			if n.Restated {
				how = "in other words"
			}
			return duplicateOf(n, fmt.Sprintf("%s says the same %s (similarity %.2f).", capital(roleInWords(n.Role)), how, n.Similarity))
		}
	}
	return nil
}

// judgedAgainst reports whether a proposal can be a duplicate of the neighbour: any
// memory, and a waiting proposal unless the new one survives it (D5).
func judgedAgainst(n *Neighbour) bool {
	return n.Role == memory.RoleMemory || n.Role == memory.RoleOpen && !n.Weaker
}

func duplicateOf(n *Neighbour, reason string) *Finding {
	found := &Finding{Target: n.ID, Reason: reason}
	if n.Role == memory.RoleOpen {
		found.Verdict = memory.VerdictMerged
	}
	return found
}

func matchUpdate(s *settings, f *wording.Features, near []Neighbour) *Finding {
	if f.Personal() || f.Has("transient") || f.Has("reported") || f.Has("steering") || len(f.Poison) > 0 || f.Guarded() || f.Authority < s.policy.PromoteFrom() {
		return nil
	}
	for i := range near {
		n := &near[i]
		if !f.Dated() && !(n.Transition && n.Undated) {
			continue // undated it has to name both values, and to be as vague as what it replaces
		}
		if n.Role == memory.RoleMemory && (n.Transition && !n.Elsewhere || n.Newer && (n.Subject == subject.Same || n.Moved)) && f.Authority >= n.Authority && !obliges(n.Kind) {
			return &Finding{Target: n.ID, Reason: fmt.Sprintf("It says that a stored value changed (%s).", clipped(n.differences()))}
		}
	}
	return nil
}

// matchBoundary asks a person about texts exactly at the threshold (D1, S3.16), and
// about texts above it by their vectors but not by their words. A model may recommend
// and never acts (D2).
func matchBoundary(s *settings, _ *wording.Features, near []Neighbour) *Finding {
	for i := range near {
		n := &near[i]
		if n.ByWords > s.points.Duplicate || !saysNoMore(n) || !judgedAgainst(n) {
			continue
		}
		switch {
		case n.Similarity == s.points.Duplicate:
			return &Finding{Target: n.ID, Advice: memory.AdviceReject, Reason: "It is exactly as similar to something stored as the threshold."}
		case n.Similarity > s.points.Duplicate && !n.Substituted && !n.Statement:
			return &Finding{Target: n.ID, Advice: memory.AdviceReject, Reason: fmt.Sprintf("It seems to say in other words what %s says.", roleInWords(n.Role))}
		}
	}
	return nil
}

// aboutTheSame reports whether two texts are on one subject: alike as a whole, or one
// nearly contained in the other.
func aboutTheSame(s *settings, n *Neighbour) bool {
	return n.ByWords > s.points.Cluster || n.Topic >= topicShare && n.Words >= 2 || n.ByWords > s.points.Loose && n.Words >= fewWords && max(n.Forward, n.Backward) >= aboutShare
}

func matchConflict(s *settings, _ *wording.Features, near []Neighbour) *Finding {
	for i := range near {
		n := &near[i]
		if n.Role != memory.RoleMemory && n.Role != memory.RoleOpen {
			continue
		}
		if n.Relation == memory.RelationConflict && aboutTheSame(s, n) {
			return &Finding{Target: n.ID, Advice: replaceIfSame(n), Reason: fmt.Sprintf("It differs from %s (%s).", roleInWords(n.Role), clipped(n.differences()))}
		}
		if n.Renamed {
			return &Finding{Target: n.ID, Advice: memory.AdviceReview, Reason: fmt.Sprintf("It gives another name of the same thing than %s.", roleInWords(n.Role))}
		}
		if n.Transition && n.Elsewhere {
			return &Finding{Target: n.ID, Advice: memory.AdviceReview, Reason: "It says that a value changed which a memory has too, perhaps of something else."}
		}
		if n.Against && n.Role == memory.RoleMemory {
			return &Finding{Target: n.ID, Advice: replaceIfSame(n), Reason: fmt.Sprintf("It says of the same thing the opposite of %s.", roleInWords(n.Role))}
		}
		if n.Relation == memory.RelationComplement && n.Subject == subject.Same && n.Topic >= topicShare && n.Words >= fewWords && n.otherNumber() {
			return &Finding{Target: n.ID, Advice: memory.AdviceReview, Reason: fmt.Sprintf("It has another number than %s (%s).", roleInWords(n.Role), clipped(n.differences()))}
		}
		if n.Extends {
			continue // it takes nothing back; rule merge compares what it adds
		}
		if n.Substituted && !n.Same && !n.Foreign && n.ByWords > s.points.Cluster {
			return &Finding{Target: n.ID, Advice: memory.AdviceReview, Reason: fmt.Sprintf("It reads like %s with a word exchanged.", roleInWords(n.Role))}
		}
		if n.Leftover && !n.Foreign && n.ByWords > s.points.Duplicate {
			return &Finding{Target: n.ID, Advice: memory.AdviceReview, Reason: fmt.Sprintf("It says nearly what %s says; one of the two says more or less.", roleInWords(n.Role))}
		}
	}
	return nil
}

func matchMerge(s *settings, f *wording.Features, near []Neighbour) *Finding {
	for i := range near {
		n := &near[i]
		if !overlapping(s, n) {
			continue
		}
		switch {
		case n.Role == memory.RoleOpen && !n.Weaker && (saysNoMore(n) && !n.Statement && !n.Leftover && !n.Named && n.Forward >= fullShare || n.Authority > f.Authority && fuller(n)):
			return &Finding{Target: n.ID, Reason: "A waiting proposal says this and more."}
		case n.Role == memory.RoleMemory && saysNoMore(n) && n.Forward >= fullShare && !n.Extends:
			if n.Forward >= coveredShare && !n.Statement && !n.Leftover && !n.Named {
				return &Finding{Target: n.ID, Reason: "A longer memory says all of it."}
			}
			return &Finding{Target: n.ID, Verdict: memory.VerdictNeedsReview, Advice: memory.AdviceReject, Reason: "Already covered by a longer memory."}
		case n.Role == memory.RoleMemory && fuller(n):
			dated := f.Dated() || n.Extends && n.Undated // as vague as what it replaces
			if f.Authority >= n.Authority && f.Authority >= s.policy.PromoteFrom() && dated && promotable(f) && !obliges(n.Kind) {
				return &Finding{Target: n.ID, Verdict: memory.VerdictPromoted, Reason: "It says all that a memory says, and more; it takes its place."}
			}
			return &Finding{Target: n.ID, Verdict: memory.VerdictNeedsReview, Advice: replaceIfSame(n), Reason: "It says all that a memory says, and more."}
		}
	}
	return nil
}

// overlapping is D5's term: similar at loose, in the same section, without conflict,
// and with enough words to mean anything.
func overlapping(s *settings, n *Neighbour) bool {
	alike := n.ByWords > s.points.Loose || n.Words > fewWords && max(n.Forward, n.Backward) >= coveredShare
	return n.SameSection && n.Words >= fewWords && alike && n.Relation != memory.RelationConflict && (!n.Substituted || n.Extends)
}

// fuller reports whether the proposal has all of the neighbour's details and nearly
// all of its words.
func fuller(n *Neighbour) bool {
	return (n.Relation == memory.RelationSuperset || n.Relation == memory.RelationEqual) && n.Backward >= fullShare
}

// promotable reports whether the text may be promoted without a person, as far as its
// features tell; whether it is dated is asked elsewhere.
func promotable(f *wording.Features) bool {
	return !f.Personal() && !f.Has("transient") && !f.Has("reported") && !f.Has("urging") && !f.Has("steering") && !f.Has("habit") && !f.Idle && !f.Guarded() && len(f.Poison) == 0
}

// obliges reports whether only a person makes and changes memories of this kind.
func obliges(k memory.Kind) bool {
	return k == memory.KindRule || k == memory.KindConvention || k == memory.KindPreference
}

// mayRestate reports whether the neighbour is on the same subject, and neither text
// contains the other: it may be the old state of the same thing.
func mayRestate(s *settings, n *Neighbour) bool {
	if n.Role != memory.RoleMemory && n.Role != memory.RoleOpen || fuller(n) {
		return false
	}
	if n.Foreign {
		return false
	}
	return n.Topic >= restatedTopic && n.Words >= 2 && n.Substituted || n.ByWords > s.points.Cluster
}

// absorbs reports whether the proposal replaces a waiting one (D5): it survives, and
// it says all that the other says.
func absorbs(s *settings, f *wording.Features, n *Neighbour) bool {
	if n.Role != memory.RoleOpen || !n.Weaker || n.Subject == subject.Different {
		return false
	}
	if n.Same {
		return true
	}
	if n.Relation == memory.RelationConflict || n.Substituted || obliges(n.Kind) && !f.Orders() {
		return false // a statement does not replace a rule
	}
	return duplicates(s, n) || overlapping(s, n) && fuller(n) || n.SameSection && n.ByWords > s.points.Duplicate && n.Relation == memory.RelationSuperset
}

func capital(s string) string {
	if s == "" {
		return s
	}
	return string(s[0]-'a'+'A') + s[1:]
}
