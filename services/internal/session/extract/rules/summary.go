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
	// continues matches the beginning of the summary with which an agent's
	// program replaces turns on compaction. A draft of the summary in a
	// transcript of its own repeats it and is not read.
	continues = regexp.MustCompile(`^\s*This session is being continued from a previous conversation`)
	// numberedHeading matches the heading of a summary's numbered section.
	numberedHeading = regexp.MustCompile(`^(?:#{1,4}\s+)?\**\d{1,2}[.)]\s+\**([^*:]+?)\**\s*:?\**\s*$`)
	troubles        = regexp.MustCompile(`(?i)^(?:errors?|problems?) (?:and|&) (?:their )?(?:fixes|solutions|resolutions)$|^(?:fehler|probleme) und (?:ihre |deren )?(?:lösungen|behebung(?:en)?|korrekturen)$`)
	insights        = regexp.MustCompile(`(?i)^(?:key (?:technical )?concepts|problem[ -]solving|technische (?:konzepte|grundlagen)|(?:wichtige|zentrale) (?:technische )?konzepte|problemlösung(?:en)?)$`)
	bullet          = regexp.MustCompile(`^(\s*)(?:[-*•]|\d{1,2}[.)])\s+(\S.*)$`)
)

// point is one entry of a summary's list, with its lines unchanged.
type point struct{ lines []string }

// summed finds what agents wrote down when their context was compacted: errors
// with what fixed them, and how the project works. It is the densest part of a
// long session, and still mostly about that day only.
func summed(s extract.Session) []candidate {
	var found []candidate
	words := lexical.NewAnalyzer()
	for i := len(s.Lines) - 1; i >= 0; i-- { // the last one first: it knows how the work ended
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

// unlike appends a candidate unless the list has it in other words.
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

// points returns the entries of the sections whose heading matches.
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
			depth = -1 // prose is no entry, and ends one
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

// quotes returns the lines of an entry from which a text was made.
func (p point) quotes(l transcript.Line) []extract.Quote {
	var list []extract.Quote
	for _, line := range p.lines {
		list = append(list, extract.Quote{Turn: l.N, Text: line})
	}
	return list
}
