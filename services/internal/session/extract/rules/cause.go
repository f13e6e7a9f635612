package rules

import (
	"regexp"
	"strings"
	"unicode/utf8"

	"github.com/winnowhq/winnow/services/internal/session/extract"
	"github.com/winnowhq/winnow/services/internal/session/trace"
)

var (
	// explains matches a sentence that says why something went wrong.
	explains = regexp.MustCompile(`(?i)\b(?:because|caused by|due to|root cause|the (?:actual |real |underlying )?(?:problem|issue|bug|culprit|reason|cause|error|failure) (?:is|was|comes|came|lies)|turns out|truncat\w+|off by one|instead of|rather than|expects|does(?:n't| not) (?:exist|support|accept|handle|match|include|set|export)|was(?:n't| not) (?:set|exported|registered|imported|closed|initiali[sz]ed)|(?:is|was) (?:missing|unset|nil|null|shadowed|deprecated)|never (?:set|called|closed|reached|released)|requires|conflicts? with|needs? (?:the|an?|to)|(?:has|have) to be|should(?:n't| not) be \w+ed|lacks?|stuck|no longer|only (?:has|have|works|accepts|knows)|(?:is|are|was|were)(?: not|n't) (?:running|built|installed|migrated|there|part of|on the|loaded|started|global|among|granted)|(?:before|until) (?:it|its|the) \S+ (?:is|was|exists?)` +
		`|weil|liegt (?:daran|an)|lag (?:daran|an)|ursache|der grund|wegen|das problem (?:ist|war)|(?:fehlt|fehlte)\b|erwartet|statt|stattdessen|braucht|benötigt|läuft (?:noch )?nicht|ist (?:noch )?nicht (?:gebaut|installiert|gesetzt|gestartet|da)|deshalb|daher|damit es)\b`)
	// plans matches what an agent is about to do, which explains nothing
	// afterwards.
	plans = regexp.MustCompile(`(?i)^(?:(?:now|next|so|then|first|ok(?:ay)?|great|perfect|good|alright|therefore)[,:]?\s+)*(?:let's|let me|let us|i'll|i will|i'm going|i am going|i need to|i should|i'd like|we should|we need|we'll|we will|we can|to (?:fix|resolve|address|solve|confirm|verify|begin|ensure|be)\b|as suggested|jetzt|zuerst|als nächstes|ich werde|ich (?:schaue|prüfe|ändere|füge|muss)|lass(?:t)? (?:mich|uns)|wir (?:sollten|müssen|werden|können))`)
	// unsure matches sentences that may turn out wrong.
	unsure = regexp.MustCompile(`(?i)\b(?:might|perhaps|maybe|possibly|probably|presumably|not sure|wahrscheinlich|vielleicht|möglicherweise|vermutlich)\b`)
	// back matches a reference to the sentence before.
	back = regexp.MustCompile(`(?i)^(?:it|this|that|they|these|instead|which|es|das|dies|stattdessen|sie)\b|,\s(?:it|they|es|sie) (?:should|must|is|was|needs|sollte|muss)\b`)
	// ours matches sentences about the work of the day.
	ours = regexp.MustCompile(`(?i)\b(?:(?:un)?related to (?:our|my|the|this) (?:change|edit|work|fix|patch)\w*|pre-?existing|(?:our|my) (?:change|edit|fix|patch)\w*|unsere[rn]? änderung\w*)\b`)
	// urges matches a sentence that tells the reader what to do, or to whom it was said.
	urges = regexp.MustCompile(`(?i)https?://|\b(?:you|your|please|curl|wget|sudo|remember|download|bitte|du|sie sollten)\b|^(?:run|execute|always|never|ignore|disable|use|führe|installiere|immer|nie)\b`)
	// slips matches explanations of slips of the pen, and of work that was only half done:
	// what the next reader of the code does not meet again.
	slips = regexp.MustCompile(`(?i)\b(?:missing (?:an? |the )?(?:closing |opening |trailing )?(?:colon|comma|semicolon|bracket|brace|paren\w*|quotes?|imports?|backtick|newline)s?|(?:syntax|indentation) errors?|typos?|misspel\w+|unused (?:import|variable)s?|forgot(?:ten)? (?:the|an?|to) (?:\S+ )?(?:import|comma|colon)|does(?:n't| not) exist yet|do(?:n't| not) exist yet|no longer exists?|not (?:been )?implemented(?: yet)?` +
		`|tippfehler|syntaxfehler|fehlende[snr]? (?:komma|doppelpunkt|klammer|import|semikolon)|import fehlt|gibt es noch nicht|existiert (?:noch nicht|nicht mehr))\b|^(?:SyntaxError|IndentationError)\b`)
	// unnamed matches a compiler's complaint about a name that the code did not have yet. With a
	// change of code after it and no explanation, that was the work of the day.
	unnamed = regexp.MustCompile("(?i)\\bname ['\"`]?\\w+['\"`]? is not defined\\b|\\bcannot find (?:function|macro|value|type|trait|struct|name|symbol)\\b|\\bundefined: \\w|\\bundeclared\\b|\\bhas no (?:member|attribute|field or method)\\b")
	// aside matches an empty beginning of a sentence.
	aside = regexp.MustCompile(`^(?i:yes|so|however|ah|oh|ok|okay|indeed|right|hmm|interesting|great|perfect|ja|genau|stimmt|okay)[,.!:]?\s+`)
	// runOn matches a full stop without a blank after it.
	runOn = regexp.MustCompile(`([\p{Ll}\d)])\.([A-ZÄÖÜ]\p{Ll}+\s)`)
)

// maxCause is the length of an explanation in characters.
const maxCause = 400

// cause returns an agent's explanation between two lines of the session, with
// its turn: the last one before the change was made. It is empty without an
// explanation.
func cause(s extract.Session, from, to int) (text string, quote extract.Quote) {
	for i := to; i >= from && i >= 0; i-- {
		l := s.Lines[i]
		if l.Role != trace.RoleAssistant || l.Calls() || outside(l) || len(l.Text) > maxSpoken {
			continue
		}
		if text := explanation(l.Text); text != "" {
			return text, extract.Quote{Turn: l.N, Text: text}
		}
	}
	return "", extract.Quote{}
}

// explanation returns the part of a turn that says why. It may have blanks that
// the turn does not have.
func explanation(turn string) string {
	before := ""
	for line := range strings.SplitSeq(turn, "\n") {
		if pasted.MatchString(line) || strings.HasPrefix(strings.TrimSpace(line), "```") {
			before = ""
			continue
		}
		for _, part := range spans(listMark.ReplaceAllString(line, "")) {
			sentence := aside.ReplaceAllString(strings.TrimSpace(part), "")
			said := explains.MatchString(sentence) && !plans.MatchString(sentence) && !unsure.MatchString(sentence) && !slips.MatchString(sentence) && !ours.MatchString(sentence) && !strings.HasSuffix(sentence, "?") && !strings.HasSuffix(sentence, ":")
			if said && back.MatchString(sentence) {
				if before == "" || plans.MatchString(before) {
					said = false
				} else {
					sentence = before + " " + sentence
				}
			}
			if said && utf8.RuneCountInString(sentence) <= maxCause && utf8.RuneCountInString(sentence) >= 20 && !urges.MatchString(sentence) && !steers(sentence) {
				return sentence
			}
			before = strings.TrimSpace(part)
		}
	}
	return ""
}

// spans returns the sentences of a line, also where a blank after a full stop
// is missing.
func spans(line string) []string {
	line = runOn.ReplaceAllString(line, "$1. $2")
	var list []string
	for _, s := range extract.Sentences(line) {
		list = append(list, line[s.Start:s.End])
	}
	return list
}

// confirms matches an agent's statement that the change worked.
var confirms = regexp.MustCompile(`(?i)\b(?:fixed|resolved|succe(?:ss|ssful|ssfully|eded)|passes|passed|pass now|works (?:now|as expected|correctly)|as expected|solved|behoben|gelöst|erfolgreich|funktioniert jetzt|läuft (?:jetzt|durch)|wie erwartet)\b`)

// confirmed reports whether an agent's next words after a line say that the
// change worked.
func confirmed(s extract.Session, after int) (extract.Quote, bool) {
	for i := after + 1; i < len(s.Lines) && i <= after+2; i++ {
		l := s.Lines[i]
		if l.Role != trace.RoleAssistant || l.Calls() || outside(l) {
			continue
		}
		for _, part := range spans(l.Text) {
			if confirms.MatchString(part) && !unsure.MatchString(part) && !strings.Contains(strings.ToLower(part), "not ") {
				return extract.Quote{Turn: l.N, Text: strings.TrimSpace(part)}, true
			}
		}
		return extract.Quote{}, false
	}
	return extract.Quote{}, false
}
