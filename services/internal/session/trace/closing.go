package trace

import (
	"regexp"
	"strings"
)

// maxClosing is the length in bytes up to which a person's last turn can be a
// verdict. A longer turn discusses something else.
const maxClosing = 600

// judge returns the outcome that a person's closing words state, in English or
// German. Blame outweighs thanks: "thanks, but it still fails" is a failure. A
// new request is no verdict, however politely it begins.
func judge(text string) Outcome {
	text = strings.ToLower(strings.TrimSpace(text))
	if len(text) > maxClosing || text == "" {
		return OutcomeUnknown
	}
	text = strings.NewReplacer("’", "'", "don't worry", "", "no problem", "", "kein problem", "", "no longer fails", "works", "not bad", "good", "nicht schlecht", "gut").Replace(text)
	switch {
	case blame.MatchString(text):
		return OutcomeFailure
	case request.MatchString(text):
		return OutcomeUnknown
	case praise.MatchString(text):
		return OutcomeSuccess
	}
	return OutcomeUnknown
}

var (
	blame = regexp.MustCompile(`(?:doesn't|does not|didn't|did not|isn't|is not|not|never|won't) (?:\w+ )?(?:work|help|compile|build|pass|fix|correct|right|what i)` +
		`|\bstill (?:fail|broken|not|doesn't|wrong|the same|crash|get|an? error|see(?:ing)? )|\bthat(?:'s| is) (?:wrong|not (?:it|right|what))|\b(?:you|it) broke\b|\bgiv(?:e|ing) up\b|\bforget it\b|\bnever mind\b` +
		`|\b(?:revert|undo) (?:it|that|this|everything|all)\b|\bmade it worse\b|\bsame error\b` +
		`|\b(?:funktioniert|geht|klappt|läuft|stimmt|hilft|passt) (?:\w+ ){0,3}(?:nicht|nich|ned)\b|\bimmer noch (?:nicht|kaputt|falsch|fehler|der|den|das|ein)|\bleider nicht\b|\bdas ist falsch\b|\bvergiss es\b|\bgebe? (?:es )?auf\b` +
		`|\bmach(?:e)? (?:das|es|alles) rückgängig|\bkaputt ?gemacht\b|\bschlimmer\b`)

	praise = regexp.MustCompile(`\b(?:thanks|thank you|thx|perfect|great|excellent|awesome|brilliant|lgtm|well done|good job|nice work|ship it|works(?: now| fine| great| perfectly)?|working now|looks good|that did it|(?:all )?(?:tests|checks) (?:pass|are green)|solved|fixed now|very helpful|really helpful)\b` +
		`|\b(?:danke|dankeschön|perfekt|super|klasse|prima|toll|spitze|wunderbar|ausgezeichnet|passt(?: so)?|funktioniert(?: jetzt| nun| wieder)?|klappt(?: jetzt)?|läuft(?: jetzt| wieder)?|geht jetzt|sieht gut aus|alles grün|erledigt|gelöst|gute arbeit)\b`)

	request = regexp.MustCompile(`\b(?:can|could|would|will) you\b|\bplease\b|\bnow (?:add|make|do|write|run|fix|change|update|implement|create)\b|\b(?:also|next),? (?:add|make|do|write|run|fix|change|update|implement|create|can|show)\b|\?\s*$` +
		`|\b(?:kannst|könntest|würdest) du\b|\b(?:können|könnten) sie\b|\bbitte\b|\bjetzt (?:noch|füge|mach|schreib)`)
)
