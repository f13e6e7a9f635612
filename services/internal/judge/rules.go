package judge

import (
	"fmt"

	"github.com/winnowhq/winnow/services/internal/judge/wording"
	"github.com/winnowhq/winnow/services/internal/memory"
)

// Rule is one row of the table of SPEC §6. Rules are data, so that `winnow why` can
// print them and docs/rules.md is generated from them.
type Rule struct {
	ID       string
	Sentence string // for people
	Verdict  memory.Verdict

	match func(s *settings, f *wording.Features, near []Neighbour) *Finding
}

// rules is the whole table in order of precedence (D4): quarantine, reject, update,
// conflict, merge, promote, review.
var rules = []Rule{
	{"poison", "It tries to steer an agent and comes from below a registered publisher.", memory.VerdictQuarantined, matchPoison},
	{"echo.prompt", "It only restates a boot file that agents load anyway.", memory.VerdictRejected, matchEchoPrompt},
	{"echo.recall", "It only restates what was served in its own session.", memory.VerdictRejected, matchEchoRecall},
	{"artifact", "It is an order to edit the memory file, not something to remember.", memory.VerdictRejected, matchArtifact},
	{"rawdate", "It is a date without a text.", memory.VerdictRejected, matchRawDate},
	{"retired", "It names a tool, version or decision that was retired.", memory.VerdictRejected, matchRetired},
	{"settled", "A person rejected the same before.", memory.VerdictRejected, matchSettled},
	{"dup.exact", "The same words are stored already.", memory.VerdictRejected, matchDupExact},
	{"dup.near", "Something stored says the same, with every detail.", memory.VerdictRejected, matchDupNear},
	{"update", "It says that a stored value changed.", memory.VerdictPromoted, matchUpdate},
	{"boundary", "It may say the same as something stored: at the threshold, or in other words.", memory.VerdictNeedsReview, matchBoundary},
	{"conflict", "It gives another value for something stored, without saying that it changed.", memory.VerdictNeedsReview, matchConflict},
	{"merge", "It overlaps with something stored, and one of the two says all that the other does.", memory.VerdictMerged, matchMerge},
	{"remember", "A person asked for it to be remembered.", memory.VerdictPromoted, matchRemember},
	{"personal", "A person said it about their own matters.", memory.VerdictPromoted, matchPersonal},
	{"fact", "It is dated, names something, contradicts nothing and orders nothing.", memory.VerdictPromoted, matchFact},
	{"strategy", "A distilled lesson passed all gates.", memory.VerdictPromoted, matchStrategy},
	{"sensitive", "It says that a protection was lowered or that a source of trust changed; true and false ones read alike.", memory.VerdictNeedsReview, matchSensitive},
	{"printed", "It only repeats what a tool printed; nobody in the session said it.", memory.VerdictNeedsReview, matchPrinted},
	{"transient", "It is a plan or the state of the moment.", memory.VerdictNeedsReview, matchTransient},
	{"hardrule", "It obliges or forbids; only a person makes rules.", memory.VerdictNeedsReview, matchHardRule},
	{"preference", "It says what somebody likes; only they can confirm it.", memory.VerdictNeedsReview, matchPreference},
	{"opinion", "It judges instead of stating.", memory.VerdictNeedsReview, matchOpinion},
	{"convention", "It says how things are to be done; only a person agrees to that.", memory.VerdictNeedsReview, matchConvention},
	{"undated", "It has no date, or names nothing that could be checked.", memory.VerdictNeedsReview, matchUndated},
	{"ambiguous", "No rule is sure.", memory.VerdictNeedsReview, matchAmbiguous},
}

// absorbed is the rule of the decision on a waiting proposal that a fuller one
// replaced, seen from that proposal's side. It never matches by itself.
var absorbed = Rule{"absorbed", "A fuller proposal says the same and took its place.", memory.VerdictMerged, nil}

var lastResort = Rule{"ambiguous", "No rule of this policy matched.", memory.VerdictNeedsReview, nil}

// Rules returns the table in order of precedence, for printing.
func Rules() []Rule { return append(append([]Rule(nil), rules...), absorbed) }

// RuleByID returns the rule of this id.
func RuleByID(id string) (Rule, bool) {
	for _, r := range Rules() {
		if r.ID == id {
			return r, true
		}
	}
	return Rule{}, false
}

func matchPoison(_ *settings, f *wording.Features, _ []Neighbour) *Finding {
	if len(f.Poison) == 0 || f.Authority >= memory.OriginFirstParty {
		return nil
	}
	return &Finding{Advice: memory.AdviceReject, Reason: fmt.Sprintf("It looks like an attempt to steer an agent (%s).", f.Poison[0])}
}

func matchArtifact(s *settings, f *wording.Features, _ []Neighbour) *Finding {
	if f.Artifact == "" {
		return nil
	}
	return &Finding{Reason: fmt.Sprintf("It begins with an order to edit the memory file: %q.", f.Artifact)}
}

func matchRawDate(_ *settings, f *wording.Features, _ []Neighbour) *Finding {
	if !f.RawDate {
		return nil
	}
	return &Finding{}
}

func matchRetired(_ *settings, f *wording.Features, _ []Neighbour) *Finding {
	if len(f.Retired) == 0 || f.Announces {
		return nil
	}
	return &Finding{Reason: fmt.Sprintf("It names %q, which was retired.", f.Retired[0])}
}

func matchRemember(s *settings, f *wording.Features, _ []Neighbour) *Finding {
	// A text that a person publishes in their own name, as `winnow remember` does, is
	// a request without the word.
	asked := f.Has("remember") || f.Asked || f.Origin == memory.OriginHuman
	if !asked || f.Authority < memory.OriginFirstParty || len(f.Poison) > 0 {
		return nil
	}
	if f.Has("reported") || f.Guarded() {
		return nil
	}
	if f.Kind == memory.KindRule || f.Kind == memory.KindConvention {
		return &Finding{Verdict: memory.VerdictNeedsReview, Advice: memory.AdvicePromote, Reason: "A person asked for it to be remembered; it is a rule, so one look is needed."}
	}
	return &Finding{Reason: "A person asked for it to be remembered."}
}

func matchPersonal(_ *settings, f *wording.Features, _ []Neighbour) *Finding {
	if f.ScopeKind != memory.ScopeUser || f.Authority < memory.OriginFirstParty || len(f.Poison) > 0 || f.Words < 2 || f.Guarded() {
		return nil
	}
	if (f.Kind == memory.KindRule || f.Has("convention")) && f.Authority < memory.OriginHuman {
		return nil
	}
	return &Finding{}
}

func matchFact(s *settings, f *wording.Features, near []Neighbour) *Finding {
	switch {
	case !f.Dated(), !f.Names(), f.Words < 4:
		return nil
	case f.Authority < s.policy.PromoteFrom(), len(f.Poison) > 0:
		return nil
	case s.policy.Literal:
		if f.Has("preference") || f.Has("opinion") {
			return nil
		}
		return &Finding{}
	case f.Personal(), f.Has("transient"), f.Has("reported"), f.Has("urging"), f.Has("steering"), f.Has("remember"), f.Has("habit"), f.Guarded():
		return nil
	case f.Kind != memory.KindFact && f.Kind != memory.KindDecision, !f.Observed, f.Idle:
		return nil
	}
	for i := range near {
		if mayRestate(s, &near[i]) {
			return nil
		}
	}
	named := "one thing by its number"
	if len(f.Anchors) > 0 {
		named = f.Anchors[0]
	}
	return &Finding{Reason: fmt.Sprintf("It is dated and names %s; nothing stored contradicts it.", named)}
}

func matchStrategy(s *settings, f *wording.Features, _ []Neighbour) *Finding {
	switch {
	case f.Stated != memory.KindStrategy, f.Authority < s.policy.PromoteFrom(), len(f.Poison) > 0, f.Has("urging"), f.Has("steering"), f.Guarded():
		return nil
	case (f.Has("second_person") || f.Has("possible")) && f.Has("rule"):
		return nil // it obliges the reader: a rule, under any name
	case f.Printed, f.Has("question"), f.Words < 4, f.Imperative != "" && !f.Works, !f.Works && !f.Observed && !f.Reasons:
		// Only a tool said it, it asks, or it has nothing to do with the work. A lesson
		// names what it is about, reports what happened, or says when and why.
		return nil
	}
	return &Finding{Reason: "A distilled lesson that passed all gates; its confidence will show whether it helps."}
}

func matchSensitive(_ *settings, f *wording.Features, _ []Neighbour) *Finding {
	if !f.Guarded() {
		return nil
	}
	return &Finding{Advice: memory.AdviceReview, Reason: fmt.Sprintf("It says that a protection was lowered or a source of trust changed (%q): please confirm it.", f.Cue("sensitive"))}
}

func matchPrinted(_ *settings, f *wording.Features, _ []Neighbour) *Finding {
	if !f.Printed || f.Stated != memory.KindStrategy {
		return nil
	}
	return &Finding{Advice: memory.AdviceReview, Reason: "It only repeats what a tool printed; nobody in the session said it."}
}

func matchTransient(_ *settings, f *wording.Features, _ []Neighbour) *Finding {
	if !f.Has("transient") && f.Kind != memory.KindTask {
		return nil
	}
	return &Finding{Advice: memory.AdviceReject, Reason: fmt.Sprintf("It sounds like a plan or the state of the moment (%q).", f.Cue("transient"))}
}

func matchHardRule(_ *settings, f *wording.Features, _ []Neighbour) *Finding {
	if f.Kind != memory.KindRule {
		return nil
	}
	return &Finding{Advice: adviceByTrust(f), Reason: fmt.Sprintf("A rule (%q); only a person makes rules.", f.Cue("rule"))}
}

func matchPreference(_ *settings, f *wording.Features, _ []Neighbour) *Finding {
	if !f.Has("preference") {
		return nil
	}
	return &Finding{Advice: memory.AdviceReview, Reason: fmt.Sprintf("New preference (%q).", f.Cue("preference"))}
}

func matchOpinion(_ *settings, f *wording.Features, _ []Neighbour) *Finding {
	if !f.Has("opinion") {
		return nil
	}
	return &Finding{Advice: memory.AdviceReview, Reason: fmt.Sprintf("An opinion (%q), not a fact.", f.Cue("opinion"))}
}

func matchConvention(_ *settings, f *wording.Features, _ []Neighbour) *Finding {
	if f.Kind != memory.KindConvention && f.Imperative == "" && !f.Has("second_person") && !f.Has("generic") {
		if !f.Has("norm") {
			return nil
		}
		return &Finding{Advice: adviceByTrust(f), Reason: fmt.Sprintf("It reads like a rule, advice or a plan (%q); agree to it or not.", f.Cue("norm"))}
	}
	return &Finding{Advice: adviceByTrust(f), Reason: "A new convention; agree to it or not."}
}

func matchUndated(_ *settings, f *wording.Features, _ []Neighbour) *Finding {
	switch {
	case !f.Dated():
		return &Finding{Advice: adviceByTrust(f), Reason: "True perhaps, but nobody says when."}
	case !f.Names():
		return &Finding{Advice: adviceByTrust(f), Reason: "It names no tool, file, command or setting."}
	}
	return nil
}

func matchAmbiguous(s *settings, f *wording.Features, near []Neighbour) *Finding {
	if f.Authority < s.policy.PromoteFrom() {
		return &Finding{Advice: adviceByTrust(f), Reason: fmt.Sprintf("Its source (%s) is not trusted enough to act alone.", f.Authority)}
	}
	for i := range near {
		if mayRestate(s, &near[i]) {
			return &Finding{Target: near[i].ID, Advice: replaceIfSame(&near[i]), Reason: fmt.Sprintf("It may be the new state of %s.", roleInWords(near[i].Role))}
		}
	}
	if f.Has("habit") {
		return &Finding{Advice: memory.AdviceReview, Reason: fmt.Sprintf("It says how several things are (%q): a person tells a fact from a rule.", f.Cue("habit"))}
	}
	if f.Has("possible") {
		return &Finding{Advice: memory.AdviceReview, Reason: fmt.Sprintf("It says what one can do (%q): a person tells whether one may.", f.Cue("possible"))}
	}
	if f.Idle {
		return &Finding{Advice: memory.AdviceReview, Reason: "One of its sentences names nothing and reports nothing."}
	}
	return &Finding{Advice: memory.AdviceReview, Reason: "No rule is sure."}
}

// adviceByTrust recommends promotion for authority agent and above, and rejection for
// external and below. Otherwise it leaves the choice to the person.
func adviceByTrust(f *wording.Features) memory.Advice {
	switch {
	case f.Authority <= memory.OriginExternal:
		return memory.AdviceReject
	case f.Authority >= memory.OriginAgent:
		return memory.AdvicePromote
	}
	return memory.AdviceReview
}
