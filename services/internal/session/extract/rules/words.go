package rules

import (
	"regexp"
	"strings"

	"github.com/winnowhq/winnow/services/internal/memory"
	"github.com/winnowhq/winnow/services/internal/session/extract"
)

// What persons say, English and German. Every expression looks at one sentence.
var (
	// remember matches the beginning of a wish to have something remembered.
	remember = regexp.MustCompile(`(?i)^(?:(?:and|also|ok(?:ay)?|oh|btw|by the way|one more thing|for next time|und|noch was|übrigens)[,:]?\s+)*(?:please\s+|bitte\s+)?` +
		`(?:(?:always\s+)?remember(?: this| the following| these)?(?: for (?:next time|later|the future))?|note(?: down)?|make a note|keep in mind|don't forget|do not forget|for future reference|for the record` +
		`|merk(?:e)? dir(?: bitte)?(?: folgendes)?|denk(?:e)?(?: bitte)? (?:immer )?daran|vergiss(?: bitte)? nicht|nicht vergessen|behalte?(?: bitte)? im (?:kopf|hinterkopf)|für die zukunft|zum merken|merken)\b` +
		`(?:\s*[:,–-]\s*|\s+|$)(?:(?:that|dass)\s+)?(.*)$`)
	// reminiscence matches what looks like a wish and is none: "remember when
	// …", "note the difference".
	reminiscence = regexp.MustCompile(`(?i)^(?:when|how|why|what|who|where|me|us|the (?:time|last|difference)|als|wie|wann|was|(?:we|you|i)(?:'ve| have) (?:now|just|already|only)|(?:show|tell|give|let) me|explain|i(?:'m| am)|zeig|sag|gib|erklär\w*|ich bin)\b`)
	// taskNow matches what is not to be forgotten today: "don't forget to rename the file".
	// habit matches what makes it hold longer.
	taskNow = regexp.MustCompile(`(?i)\b(?:don't|do not) forget to\s|\b(?:vergiss|vergesst)(?: bitte)? nicht,.*\bzu\b|\b(?:vergiss|vergesst)(?: bitte)? nicht,.*\Bzu\w+en\b`)
	habit   = regexp.MustCompile(`(?i)\b(?:always|never|every|each|whenever|any time|immer|nie|niemals|jede[mnrs]?|jedes mal|sobald)\b`)

	firmDecision  = regexp.MustCompile(`(?i)\b(?:we(?:'ve| have)?(?: now| finally)? (?:decided|agreed|settled on|chose|standardi[sz]ed on)|it (?:is|was) decided|decision:|wir haben (?:uns )?(?:\S+ ){0,8}(?:entschieden|beschlossen|geeinigt|festgelegt)|(?:es )?(?:ist|wurde) beschlossen|entscheidung:|beschlossen:)`)
	looseDecision = regexp.MustCompile(`(?i)^(?:(?:ok(?:ay)?|alright|right|yes|so|then|ja|gut|also|dann)[,:]?\s+)*(?:let's (?:use|go with|stick (?:with|to)|switch to|keep|move to)|we(?:'ll| will|'re going to| are going to) (?:use|go with|stick (?:with|to)|switch to|keep|move to)|we(?:'re| are) (?:going with|switching to|moving to|sticking with)|we go with` +
		`|lass(?:t)? uns \S+|wir (?:nehmen|setzen auf|bleiben bei|wechseln (?:zu|auf)|steigen auf))\b`)
	letUs  = regexp.MustCompile(`(?i)^(?:(?:ok(?:ay)?|alright|right|yes|so|then)[,:]?\s+)*let's\s+`)
	reason = regexp.MustCompile(`(?i)\b(?:because|since|so that|so we|so the|as (?:it|we|they|the)|to avoid|due to|weil|da (?:es|wir|sie|der|die|das)|damit|denn|wegen|um \S+ zu)\b`)

	// interjection matches how a person stops an agent.
	interjection = regexp.MustCompile(`(?i)^(?:(?:good|great|fine|nice|looks good|ok(?:ay)?|yes|yep|sure|gut|schön|ja|passt|klar)[,.]?\s+(?:but|aber)\s+|wrong \w+[,.:;–-]+\s*|(?:das|that)(?:'s| is)? (?:stimmt nicht|ist falsch|wrong|not (?:right|true|correct))[,.:;–-]+\s*|(?:as )?i (?:already )?(?:told|said)(?: you)?(?: before| already)?[,:]\s*|(?:wie|ich habe) (?:es )?(?:schon |bereits )?gesagt[,:]\s*|(?:no|nope|nah|stop|wait|wrong|hold on|actually|hey|please|sorry|not like that|again|nein|nee|ne|stopp|halt|falsch|doch|moment|eigentlich|bitte)(?:\s*[,.!:;–-]+\s*|\s+(?:please|bitte)?[,]?\s*))+`)
	halts        = regexp.MustCompile(`(?i)^(?:wrong \w+|(?:das|that)(?:'s| is)? (?:stimmt nicht|ist falsch|wrong|not (?:right|true|correct))|no|nope|nah|stop|wrong|wait|hold on|actually|not like that|nein|nee|ne|stopp|halt|falsch|doch|moment)\s*[,.!:;–-]`)
	// directs matches the beginning of what is to be done instead.
	directs = regexp.MustCompile(`(?i)^(?:(?:always|never|only|immer|nie|niemals|nur)\s+)?(?:use|run|call|name|don't|do not|never|always|prefer|stop|avoid|we (?:use|run|call|name|keep|put|write|don't|do not|never|always|only|prefer|stick|test|deploy|commit|format)|it's called|the \S+ is (?:called|named)` +
		`|nimm|nutz(?:e)?|benutz(?:e)?|verwende|kein(?:e|en)?|wir (?:nutzen|benutzen|verwenden|nehmen|schreiben|testen|formatieren|deployen|committen|haben hier|machen)|das heißt|immer|nie|niemals|nur)\b`)
	// general matches what extends a directive beyond the present.
	general = regexp.MustCompile(`(?i)\b(?:always|never|in this (?:repo|repository|project|codebase|team|house)|in our (?:repo|repository|project|codebase|team)|around here|by convention|we (?:use|don't use|do not use|never|always|only|prefer|stick (?:to|with))|i (?:always |really )?prefer|i(?:'d| would) (?:always )?(?:rather|prefer)` +
		`|immer|nie|niemals|grundsätzlich|in diesem (?:repo|projekt)|bei uns|wir (?:nutzen|benutzen|verwenden) (?:\S+ ){0,4}(?:statt|nicht|nie|immer|nur)|ich bevorzuge|mir ist \S+ lieber|ich hätte lieber)\b`)
	prefers   = regexp.MustCompile(`(?i)\b(?:i (?:always |really )?prefer|i(?:'d| would) (?:always )?(?:rather|prefer)|i (?:like|hate|don't like)|prefer(?:ably)?|ich bevorzuge|ich mag|lieber)\b`)
	contrasts = regexp.MustCompile(`(?i)\b(?:instead|rather than|not|never|don't|over|always|statt|anstatt|nicht|sondern|nie|niemals|immer|kein(?:e|en)?|lieber)\b`)

	// asserts matches verbs of statements about how things are set up.
	asserts = regexp.MustCompile(`(?i)\b(?:(?:is|are) in [\w./-]+\.\w+|(?:runs?|listens?|is (?:reachable|available|served|exposed)) (?:on|at|under|from)|lives? (?:in|at|under)|(?:is|are) (?:stored|set|kept|located|hosted|deployed|configured|defined|generated|built|released|published|pinned|owned|named|called|documented) ?(?:in|at|on|to|from|by|with|via|under)?|belongs? to|requires?|only supports?|expires? after|(?:is|are) (?:on|at) (?:port|version)|points? to|comes? from|(?:is|are) limited to` +
		`|(?:läuft|lauscht|hört) (?:auf|unter)|(?:liegt|liegen|steht|stehen) (?:in|unter|auf)|ist erreichbar (?:unter|auf)|heißt|gehört|benötigt|braucht mindestens|erwartet|zeigt auf|wird (?:\S+ ){0,5}(?:gebaut|erzeugt|ausgerollt|gehostet|gespeichert|veröffentlicht))`)
	// subject matches what a statement can be about.
	subject = regexp.MustCompile("^(?i:(?:fyi|for reference|zur info|btw|by the way|übrigens)[,:]?\\s+)?(?:(?i:the|our|all|every|each|their|der|die|das|unser|unsere|alle|jeder|jede)\\s|[A-Z`][\\w`./-]+\\s)")
	// subjectless matches a beginning that is capital only because the sentence begins there.
	subjectless = regexp.MustCompile(`^(?:Only|Needs?|Let|Show|It|They|We|You|There|Here|And|But|So|Then|Now|Just|Also|Not|No|Yes|What|Why|How|Where|Who|Which|Looks?|Seems?|Nur|Es|Wir|Ihr|Sie|Dann|Jetzt|Auch|Nicht|Wie|Was|Wo|Warum)\s`)
	opener      = regexp.MustCompile(`(?i)^(?:fyi|for reference|zur info|btw|by the way|übrigens)[,:]?\s+`)
	// asks matches statements that want something done, or report trouble.
	asks = regexp.MustCompile(`(?i)\b(?:should|shouldn't|want|need you|needs to|have to|please|can you|could you|fix|add|change|make|implement|i(?:'m| am| get| see| have| tried)|fail(?:s|ed|ing)?|errors?|broken|bugs?|wrong|crash\w*|doesn't|does not|isn't|not working|issue|problem|missing|slow|exception|invalid|unexpected|if|when|whenever|maybe|probably|i think|\S+\.log\b|/tmp/` +
		`|soll(?:te|en)?|muss|bitte|kannst|füge|ändere|ich|fehler\w*|kaputt|falsch|fehlt|problem|langsam|wenn|falls|vielleicht|wahrscheinlich)\b`)

	// pointing matches words whose meaning only the session shows.
	pointing = regexp.MustCompile(`(?i)\b(?:this|that one|these|those|above|below|the other|the same|the (?:first|second|third|last|next|former|latter)(?: (?:one|version|option|way|idea|draft|variant))?|first\.?$|your (?:last|previous|change|code|fix)|again|it there|attached|following|diese[rsmn]?|dies|jene[rsmn]?|oben|unten|das andere|(?:den|die|das) (?:erste|zweite|letzte|nächste)n?|deine?[nrsm]?|nochmal|folgende[rsn]?|angehängt)\b`)
	// passing matches words that mean the present moment.
	passing = regexp.MustCompile(`(?i)\b(?:for now|right now|at the moment|currently|today|yesterday|tomorrow|this time|just now|temporarily|still|gerade|aktuell|heute|gestern|morgen|im moment|vorerst|zurzeit|momentan)\b`)
	// thisProject matches the one "this" that does not point.
	thisProject = regexp.MustCompile(`(?i)\b(?:in )?(?:this (?:repo|repository|project|codebase|team)|diese[mns] (?:repo|projekt|team))\b`)
)

// remembered returns what a person asks to remember; empty with ok where a list
// follows.
func remembered(text string) (clause string, ok bool) {
	m := remember.FindStringSubmatch(text)
	if m == nil || asked(text) || shouted(text) || taskNow.MatchString(text) && !habit.MatchString(text) {
		return "", false
	}
	clause = strings.TrimSpace(m[1])
	switch {
	case clause == "" || strings.Trim(clause, ":") == "":
		return "", strings.HasSuffix(text, ":")
	case reminiscence.MatchString(clause), pointing.MatchString(withoutProject(clause)), len(strings.Fields(clause)) < 3:
		return "", false
	}
	if subordinate.MatchString(text) {
		return verbSecond(clause), true
	}
	return strings.TrimPrefix(clause, "to "), true
}

// subordinate matches a German clause whose verb stands at its end.
var subordinate = regexp.MustCompile(`(?i)^\S.{0,40}?\bdass\s`)

// verbSecond turns a German subordinate clause into a main clause: "die
// Datenbank auf Port 5433 läuft" becomes "die Datenbank läuft auf Port 5433".
// The word after the subject marks its end. Where no word does, the clause
// stays unchanged.
func verbSecond(clause string) string {
	words := strings.Fields(strings.TrimRight(clause, ".! "))
	if n := len(words); n > 2 && !strings.Contains(clause, ",") {
		verb := words[n-1]
		for i := 1; i < n-1; i++ {
			if pronoun.MatchString(words[i-1]) && i == 1 || afterSubject.MatchString(words[i]) {
				return strings.Join(words[:i], " ") + " " + verb + " " + strings.Join(words[i:n-1], " ")
			}
		}
	}
	return "es gilt, dass " + clause
}

var (
	pronoun      = regexp.MustCompile(`(?i)^(?:wir|man|es|er|sie|ich|alle)$`)
	afterSubject = regexp.MustCompile(`^(?:auf|in|im|unter|über|mit|nur|immer|nie|niemals|an|am|bei|beim|von|vom|vor|nach|zu|zum|zur|aus|für|durch|nicht|erst|mindestens|höchstens|per|via|ohne|jeden|jede|jedes|seit|ab|als)$`)
)

func withoutProject(text string) string { return thisProject.ReplaceAllString(text, "") }

// decides reports whether a text is a person's decision: it is called one, or
// it is a choice with its reason.
func decides(text string) bool {
	return (firmDecision.MatchString(text) || looseDecision.MatchString(text) && reason.MatchString(text)) && len(strings.Fields(text)) >= 4
}

// decided returns a decision that can be read alone.
func decided(text string) string {
	if rest := letUs.ReplaceAllString(text, ""); rest != text {
		return "Decided: " + rest
	}
	return standing(text)
}

// corrects reports whether a sentence tells an agent how this project works:
// after a word that stops the agent, or in general terms.
func corrects(text string) bool {
	rest := heldIn.ReplaceAllString(interjection.ReplaceAllString(text, ""), "")
	forever := fromNow.MatchString(rest)
	rest = fromNow.ReplaceAllString(rest, "")
	if asksFor.MatchString(rest) || history.MatchString(rest) || vague.MatchString(rest) && !(forever && len(strings.Fields(rest)) >= 4) {
		return false
	}
	if halts.MatchString(text) && directs.MatchString(rest) && len(strings.Fields(rest)) <= 30 {
		return true
	}
	if forever && len(strings.Fields(rest)) >= 3 {
		return true
	}
	return general.MatchString(rest) && (directs.MatchString(rest) || prefers.MatchString(rest)) && len(strings.Fields(rest)) >= 4
}

// fromNow matches how a person begins a rule.
var fromNow = regexp.MustCompile(`(?i)^(?:(?:and|then|so|but|und|dann|also|aber)\s+)?(?:from now on|going forward|from here on|in (?:the )?future|(?:the )?next time|beim nächsten mal|nächstes mal|ab (?:jetzt|sofort)|von jetzt an|von nun an|künftig|zukünftig|in zukunft)[,:]?\s+`)

// setsRight reports whether a sentence stops an agent and says how things are: "no,
// the version is set in build.gradle".
func setsRight(text string) bool {
	rest := interjection.ReplaceAllString(text, "")
	return halts.MatchString(text) && (states(rest) || asserts.MatchString(rest) && !asks.MatchString(rest) && len(extract.Claims(rest)) > 0 && !pointing.MatchString(rest))
}

// asksFor matches the beginning of an order for the present, independent of
// what follows.
var asksFor = regexp.MustCompile(`(?i)^(?:can|could|would|will) you\b|^(?:kannst|könntest) du\b|\b(?:never mind|forget (?:it|that)|don't (?:worry|bother|know|think|see|understand)|(?:rather|prefer) (?:if )?you\b|immer noch|vergiss es|keine ahnung|kein problem)\b`)

var (
	// heldIn matches the part before a directive that says where it holds.
	heldIn = regexp.MustCompile(`(?i)^(?:(?:in|for) (?:this|our) (?:repo|repository|project|codebase|team)|around here|by convention|in diesem (?:repo|projekt)|bei uns)[,:]?\s+`)
	// history matches what happened, not what is done.
	history = regexp.MustCompile(`(?i)^we (?:never|always|only) (?:\w+ed|got|had|did|saw|heard|came|went|made|said|knew|found|were|was|have|see|know)\b`)
)

// vague matches directives that name nothing: "don't do that", "we don't need
// it".
var vague = regexp.MustCompile(`(?i)^(?:(?:always|never|only|just|immer|nie|nur)\s+)?(?:(?:don't|do not|stop|avoid|prefer)\s+)?(?:\w+\s+)?(?:it|that|them|him|her|me|us|something|anything|everything|nothing|so|both|one|das|es|ihn|sie|ihm|alles|nichts|so|beides|mich|uns)(?:[.,!]|\s|$)` +
	`|^we (?:don't|do not|never) (?:need|have|know|want|care|understand|see|think|mean|ask|say)|^(?:don't|do not|never)(?: you)? (?:do|say|ask|touch|change|worry|forget)(?: it| that| this| anything)?[.!]?$|^(?:stop|never|always|nie|niemals|immer|nur)[.!]?$`)

// states reports whether a text says how things are set up, with a detail in
// it.
func states(text string) bool {
	return subject.MatchString(text) && !subjectless.MatchString(text) && asserts.MatchString(text) && !asks.MatchString(text) && len(extract.Claims(text)) > 0
}

// standing removes what only belongs to the conversation.
func standing(text string) string {
	text = opener.ReplaceAllString(text, "")
	return strings.TrimSpace(strings.TrimSuffix(strings.TrimSpace(text), "!"))
}

// toDo matches a wish to have something done and not known: "remember to run make gen".
var toDo = regexp.MustCompile(`(?i)\b(?:remember|forget|mind) to\s`)

// kindOfWish returns the kind of a clause that is to be remembered, by the whole sentence.
func kindOfWish(text, clause string) memory.Kind {
	if kind := kindOfStatement(clause); kind != memory.KindFact || !toDo.MatchString(text) {
		return kind
	}
	return memory.KindConvention
}

// kindOfStatement returns the kind of something to be remembered.
func kindOfStatement(text string) memory.Kind {
	switch {
	case prefers.MatchString(text):
		return memory.KindPreference
	case firmDecision.MatchString(text):
		return memory.KindDecision
	case directs.MatchString(text), imperative.MatchString(text), memory.Extract(text).Obliges() && !asserts.MatchString(text):
		return memory.KindConvention
	}
	return memory.KindFact
}

// imperative matches the beginning of an order to the reader.
var imperative = regexp.MustCompile(`(?i)^(?:to )?(?:use|run|put|keep|write|call|name|add|make|commit|test|deploy|check|ask|update|set|install|start|stop|format|push|open|close|avoid|do|nimm|nutze|verwende|benutze|schreib|lass|setze|starte|mach|prüfe|frag)\s`)

func kindOfCorrection(text string) memory.Kind {
	if prefers.MatchString(text) {
		return memory.KindPreference
	}
	return memory.KindConvention
}
