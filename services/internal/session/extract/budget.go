package extract

import (
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/winnowhq/winnow/services/internal/session/trace"
	"github.com/winnowhq/winnow/services/internal/session/transcript"
)

// charsPerToken is the estimate of D27.
const charsPerToken = 4

// Tokens estimates how many tokens a text costs a model (D27).
func Tokens(text string) int {
	return (utf8.RuneCountInString(text) + charsPerToken - 1) / charsPerToken
}

// cut marks what was left out in the middle of a text.
const cut = " […] "

// Middle returns at most so many bytes of a text, with both ends: the beginning
// of a command's output says what it is about, and the end how it went.
func Middle(text string, most int) string {
	if len(text) <= most {
		return text
	}
	keep := max(most-len(cut), 0) / 2
	head := strings.ToValidUTF8(text[:keep], "")
	tail := strings.ToValidUTF8(text[len(text)-keep:], "")
	return head + cut + tail
}

// edges is how many turns at the beginning and at the end have priority over
// all others: they say what was asked, and how the session ended.
const edges = 4

// spokenTurn is the length in bytes up to which a person's turn is chosen with the edges:
// corrections are short, and a hundred failures must not crowd them out. Longer ones were
// pasted.
const spokenTurn = 400

// shown returns the lines of the trace that fit the budget, in their order, with a mark
// where lines are missing. Beginning, end and what people said in short are chosen first;
// then failures, each once; then what made them pass; then longer turns of people; then the
// other turns from the end on.
func shown(s Session, o PromptOptions) []string {
	budget := o.Tokens * charsPerToken
	if budget <= 0 || wordsOf(s, budget) <= budget {
		if lines := all(s, o.Nonce); budget <= 0 || size(lines) <= budget {
			return lines
		}
	}
	// Short turns stay whole. A long turn may take a tenth of the budget.
	most := max(budget/10, 200)
	left, kept := budget-markCost, make([]string, len(s.Lines))
	misses := 0
	for _, i := range ranked(s) {
		if left < markCost+shortest || misses > maxMisses {
			break // almost nothing fits any more
		}
		line := show(s.Lines[i], most, o.Nonce)
		cost := utf8.RuneCountInString(line) + 1 + markCost
		if cost > left {
			line = show(s.Lines[i], min(most, left/3), o.Nonce)
			if cost = utf8.RuneCountInString(line) + 1 + markCost; cost > left || left/3 < shortest {
				misses++
				continue
			}
		}
		kept[i] = line
		left -= cost
	}
	return joined(kept)
}

// markCost is the length of a line that counts missing turns. In the worst case
// every line has one beside it.
const markCost = len(`{"omitted_turns":200000}`) + 1

// maxMisses is how many turns may be too long for the remaining budget before
// the search stops, so that a session of a hundred thousand turns is not
// searched to its end.
const maxMisses = 100

// shortest is the fewest bytes of a text that are worth showing.
const shortest = 80

func all(s Session, nonce string) []string {
	lines := make([]string, len(s.Lines))
	for i, l := range s.Lines {
		lines[i] = show(l, len(l.Text), nonce)
	}
	return lines
}

// wordsOf counts the characters of a session's texts, and stops at enough.
func wordsOf(s Session, enough int) int {
	n := 0
	for _, l := range s.Lines {
		if n += utf8.RuneCountInString(l.Text); n > enough {
			break
		}
	}
	return n
}

// size returns the length of the lines in characters, with their line ends.
func size(lines []string) int {
	n := 0
	for _, line := range lines {
		n += utf8.RuneCountInString(line) + 1
	}
	return n
}

// joined inserts a mark where lines are missing.
func joined(kept []string) []string {
	var lines []string
	missing := 0
	flush := func() {
		if missing > 0 {
			lines = append(lines, write(shownTurn{Omitted: missing}))
		}
		missing = 0
	}
	for _, line := range kept {
		if line == "" {
			missing++
			continue
		}
		flush()
		lines = append(lines, line)
	}
	flush()
	return lines
}

// The ranks of turns: those of a smaller one get their part of the budget first.
const (
	rankEdge    = iota // beginning, end, and what persons said in short
	rankFailed         // failures, each once
	rankSolved         // what made them pass, without which they teach nothing
	rankNear           // calls and the decisions about failures, and refused edits
	rankPerson         // longer turns of persons
	rankAgent          // the rest from the end on
	rankTool           // with what programs were told ("/compact") and failures again
	rankProgram        // a program's instructions to its model, which teach nothing
)

// ranked returns the order in which turns get a part of the budget.
func ranked(s Session) []int {
	n := len(s.Lines)
	rank := make([]int, n)
	seen, solves := make(map[string]bool), solutions(s)
	for i, l := range s.Lines {
		switch {
		case l.Role == trace.RoleSystem:
			rank[i] = rankProgram
		case i < edges || i >= n-edges, l.Role == trace.RoleUser && len(l.Text) <= spokenTurn && !strings.HasPrefix(l.Text, "/"):
			rank[i] = rankEdge
		case failed(l) && seen[withoutDigits(l.Text)]:
			rank[i] = rankTool
		case failed(l) && l.Tool.Kind == trace.KindEdit:
			rank[i] = rankNear
		case failed(l):
			rank[i], seen[withoutDigits(l.Text)] = rankFailed, true
		case solves[i]:
			rank[i] = rankSolved
		case i > 0 && failed(s.Lines[i-1]) || i+1 < n && failed(s.Lines[i+1]):
			rank[i] = rankNear
		case l.Role == trace.RoleUser && len(l.Text) > spokenTurn:
			rank[i] = rankPerson
		case l.Role == trace.RoleAssistant:
			rank[i] = rankAgent
		default:
			rank[i] = rankTool
		}
	}
	order := make([]int, n)
	for i := range order {
		order[i] = i
	}
	slices.SortFunc(order, func(a, b int) int {
		if d := rank[a] - rank[b]; d != 0 {
			return d
		}
		if rank[a] >= rankAgent {
			return b - a
		}
		return a - b
	})
	return order
}

// withoutDigits returns the beginning of an output without its numbers: the same failure
// takes another time each time.
func withoutDigits(text string) string {
	return strings.Map(func(r rune) rune {
		if r >= '0' && r <= '9' {
			return -1
		}
		return r
	}, Middle(text, 600))
}

func failed(l transcript.Line) bool { return l.Role == trace.RoleTool && l.Settled && l.Error }
