package rules

import (
	"regexp"
	"strings"

	"github.com/winnowhq/winnow/services/internal/judge/lexical"
	"github.com/winnowhq/winnow/services/internal/memory"
	"github.com/winnowhq/winnow/services/internal/session/extract"
	"github.com/winnowhq/winnow/services/internal/session/trace"
	"github.com/winnowhq/winnow/services/internal/session/transcript"
)

var (
	// continues begins the summary that an agent's program puts in the place of
	// the turns it forgets. The draft of it in a transcript of its own says the
	// same again and is not read.
	continues = regexp.MustCompile(`^\s*This session is being continued from a previous conversation`)
	// numberedHeading is of a summary's numbered sections.
	numberedHeading = regexp.MustCompile(`^(?:#{1,4}\s+)?\**\d{1,2}[.)]\s+\**([^*:]+?)\**\s*:?\**\s*$`)
	troubles        = regexp.MustCompile(`(?i)^(?:errors?|problems?) (?:and|&) (?:their )?(?:fixes|solutions|resolutions)$|^(?:fehler|probleme) und (?:ihre |deren )?(?:lösungen|behebung(?:en)?|korrekturen)$`)
	insights        = regexp.MustCompile(`(?i)^(?:key (?:technical )?concepts|problem[ -]solving|technische (?:konzepte|grundlagen)|(?:wichtige|zentrale) (?:technische )?konzepte|problemlösung(?:en)?)$`)
	bullet          = regexp.MustCompile(`^(\s*)(?:[-*•]|\d{1,2}[.)])\s+(\S.*)$`)
)

// point is one entry of a summary's list, its lines as they stand.
type point struct{ lines []string }

// summed finds what agents wrote down for themselves when their memory was cut:
// errors with what fixed them, and how things are here. It is the densest part of
// a long session, and most of it is still about that day only.
func summed(s extract.Session) []candidate {
	var found []candidate
	words := lexical.NewAnalyzer()
	for i := len(s.Lines) - 1; i >= 0; i-- { // the last one first: it knows how things ended
		l := s.Lines[i]
		if l.Role != trace.RoleAssistant || l.Calls() || outside(l) || !continues.MatchString(l.Text) {
			continue
		}
		de := language(extract.Middle(l.Text, maxSpoken)) == "de"
		for _, p := range points(l.Text, troubles) {
			found = unlike(found, lesson(l, p, de), words)
		}
		for _, p := range points(l.Text, insights) {
			found = unlike(found, insight(l, p), words)
		}
	}
	return found
}

// unlike adds what is not there already in other words.
func unlike(found []candidate, c candidate, words *lexical.Analyzer) []candidate {
	if c.Text == "" {
		return found
	}
	text := words.Analyze(memory.Scan(c.Text), nil)
	for _, old := range found {
		if lexical.Compare(text, words.Analyze(memory.Scan(old.Text), nil)).Similarity > lexical.PointLoose {
			return found
		}
	}
	return append(found, c)
}

// points are the entries of the sections with a heading like that.
func points(summary string, like *regexp.Regexp) []point {
	var list []point
	in, fenced, wraps, depth := false, false, false, -1
	for line := range strings.SplitSeq(summary, "\n") {
		if strings.HasPrefix(strings.TrimSpace(line), "```") {
			fenced, wraps = !fenced, false
			continue
		}
		if m := numberedHeading.FindStringSubmatch(line); m != nil && !fenced {
			in, wraps, depth = like.MatchString(strings.TrimSpace(m[1])), false, -1
			continue
		}
		m := bullet.FindStringSubmatch(line)
		switch {
		case !in || fenced:
		case m == nil && strings.TrimSpace(line) == "":
			wraps = false
		case m == nil && wraps: // a line that was broken
			last := list[len(list)-1].lines
			last[len(last)-1] += " " + strings.TrimSpace(line)
		case m == nil:
			depth = -1 // prose is nobody's entry, and ends one
		case depth < 0 || len(m[1]) <= depth:
			depth, wraps = len(m[1]), true
			list = append(list, point{lines: []string{strings.TrimSpace(m[2])}})
		default:
			wraps = true
			last := &list[len(list)-1]
			last.lines = append(last.lines, strings.TrimSpace(m[2]))
		}
	}
	return list
}

// quotes are the lines of an entry that a text was made of.
func (p point) quotes(l transcript.Line) []extract.Quote {
	var list []extract.Quote
	for _, line := range p.lines {
		list = append(list, extract.Quote{Turn: l.N, Text: line})
	}
	return list
}
