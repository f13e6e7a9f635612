package rules

import (
	"regexp"
	"strings"
	"unicode/utf8"

	"github.com/winnowhq/winnow/services/internal/memory"
	"github.com/winnowhq/winnow/services/internal/session/extract"
	"github.com/winnowhq/winnow/services/internal/session/trace"
	"github.com/winnowhq/winnow/services/internal/session/transcript"
)

// maxSpoken is the length in bytes up to which a person's turn counts as
// spoken. A longer turn was pasted, or written by a program.
const maxSpoken = 2000

// said finds what persons said that is still valid after their session.
func said(s extract.Session) []candidate {
	if trace.Format(s.Format) == trace.FormatSWEAgent {
		return nil // a program speaks as the user, and its words are the task
	}
	var found []candidate
	persons := 0
	for i, l := range s.Lines {
		if outside(l) || l.Calls() {
			continue
		}
		switch {
		case l.Role == trace.RoleUser && len(l.Text) <= maxSpoken && !strings.HasPrefix(l.Text, "/"):
			persons++
			if steers(l.Text) {
				continue
			}
			found = append(found, spokenBy(s, i)...)
		case l.Role == trace.RoleAssistant && persons > 0:
			found = append(found, agreed(l)...)
		}
	}
	return found
}

// spokenBy reads one turn of a person.
func spokenBy(s extract.Session, i int) []candidate {
	var found []candidate
	l := s.Lines[i]
	listing := false // "Remember:" was said, and a list follows
	for _, u := range utterances(l.Text) {
		if u.item && listing {
			found = append(found, stated(l, u.text, standing(u.text), kindOfStatement(u.text), rankRemember))
			continue
		}
		listing = false
		if clause, ok := remembered(u.text); ok {
			if clause == "" {
				listing = true
				continue
			}
			found = append(found, stated(l, u.text, clause, kindOfWish(u.text, clause), rankRemember))
			continue
		}
		if !lasting(u.text) {
			continue
		}
		switch {
		case decides(u.text):
			found = append(found, stated(l, u.text, decided(u.text), memory.KindDecision, rankDecision))
		case len(found) < extract.MaxMemories && (setsRight(u.text) || opposes(u.text)):
			found = append(found, stated(l, u.text, standing(interjection.ReplaceAllString(u.text, "")), memory.KindFact, rankCorrection))
		case len(found) < extract.MaxMemories && corrects(u.text):
			found = append(found, corrected(s, i, u.text))
		case len(found) < extract.MaxMemories && laysDown(u.text):
			found = append(found, stated(l, u.text, standing(reminded(interjection.ReplaceAllString(u.text, ""))), memory.KindConvention, rankCorrection))
		case len(found) < extract.MaxMemories && tastes(u.text):
			found = append(found, stated(l, u.text, standing(interjection.ReplaceAllString(u.text, "")), memory.KindPreference, rankCorrection))
		case states(u.text):
			found = append(found, stated(l, u.text, standing(u.text), memory.KindFact, rankFact))
		}
	}
	return found
}

// stated returns a person's sentence, unchanged, as a candidate.
func stated(l transcript.Line, quote, clause string, kind memory.Kind, rank int) candidate {
	return candidate{rank: rank, turn: l.N, Extraction: extract.Extraction{
		Kind: kind, Text: sentence(clause), Evidence: []extract.Quote{{Turn: l.N, Text: quote}},
	}}
}

// agreed finds a decision in an agent's turn: only one that is called a
// decision and has its reason, because agents decide something in every other
// turn.
func agreed(l transcript.Line) []candidate {
	if len(l.Text) > maxSpoken {
		return nil
	}
	for _, u := range utterances(l.Text) {
		if firmDecision.MatchString(u.text) && reason.MatchString(u.text) && lasting(u.text) && named(u.text) {
			return []candidate{stated(l, u.text, standing(u.text), memory.KindDecision, rankDecision)}
		}
	}
	return nil
}

// corrected composes a correction. A correction without an object gets the
// command that was run before it.
func corrected(s extract.Session, i int, text string) candidate {
	c := stated(s.Lines[i], text, standing(interjection.ReplaceAllString(text, "")), kindOfCorrection(text), rankCorrection)
	if contrasts.MatchString(text) {
		return c
	}
	for k := i - 1; k >= 0 && s.Lines[k].Role != trace.RoleUser; k-- {
		l := s.Lines[k]
		if command := invoked(extract.OneLine(l.Tool.Command)).core; l.Calls() && quotable(command) && !outside(l) {
			words := " This corrected `" + command + "`."
			if language(text) == "de" {
				words = " Das korrigierte `" + command + "`."
			}
			c.Text += words
			c.Evidence = append(c.Evidence, extract.Quote{Turn: l.N, Text: command})
			break
		}
	}
	return c
}

// utterance is one sentence of a speaker; item says that it belongs to a list.
type utterance struct {
	text string
	item bool
}

var (
	listMark = regexp.MustCompile(`^\s*(?:[-*•+]|\d{1,2}[.)])\s+`)
	// pasted matches the beginning of lines that were not spoken: quotations,
	// code, logs.
	pasted = regexp.MustCompile(`^(?:\s*>|\t|    |\s*(?:at |File ")|\d{4}-\d\d-\d\d[T ]|\[\d|\s*[{}<|]|[+-]{3} |@@|\$ )`)
)

// utterances returns the sentences of a turn that were spoken: no code, no
// quotations, no logs.
func utterances(text string) []utterance {
	var list []utterance
	fenced := false
	for line := range strings.SplitSeq(text, "\n") {
		if strings.HasPrefix(strings.TrimSpace(line), "```") {
			fenced = !fenced
			continue
		}
		if fenced || pasted.MatchString(line) {
			continue
		}
		rest := listMark.ReplaceAllString(line, "")
		for _, s := range extract.Sentences(rest) {
			if t := strings.TrimSpace(rest[s.Start:s.End]); t != "" {
				list = append(list, utterance{t, len(rest) < len(line)})
			}
		}
	}
	return list
}

// Bounds of a sentence that can stand alone, in characters.
const (
	minSentence = 8
	maxSentence = 300
)

// lasting reports whether a sentence could matter tomorrow: no question, no
// reference to what is on the screen, nothing about the present moment.
func lasting(text string) bool {
	n := utf8.RuneCountInString(text)
	return n >= minSentence && n <= maxSentence && !asked(text) && !strings.HasSuffix(text, ":") &&
		!pointing.MatchString(withoutProject(text)) && !passing.MatchString(text) && !shouted(text)
}

// asked reports whether a sentence is a question, also one that is cried out: "is there?!".
func asked(text string) bool { return strings.HasSuffix(strings.TrimRight(text, `!. )"'`), "?") }

// shouted reports whether a sentence is in capitals, as programs write to
// models.
func shouted(text string) bool {
	upper := 0
	for word := range strings.FieldsSeq(text) {
		if len(word) > 3 && word == strings.ToUpper(word) && word != strings.ToLower(word) && !strings.ContainsAny(word, "_`/") {
			upper++
		}
	}
	return upper >= 3
}

// named reports whether a text names something: a detail, or a capitalised word
// after the first.
func named(text string) bool { return len(extract.Claims(text)) > 0 || properName.MatchString(text) }

var properName = regexp.MustCompile(`[a-zäöüß,] (?:the )?[A-Z][A-Za-z]{2,}`)

// maxCommand is how many characters of a command can be quoted in a sentence.
const maxCommand = 120

func quotable(command string) bool {
	return command != "" && utf8.RuneCountInString(command) <= maxCommand && !strings.Contains(command, "`") && !strings.Contains(command, "⟨secret")
}
