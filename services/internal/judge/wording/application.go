package wording

import "github.com/winnowhq/winnow/services/internal/memory"

// application returns the token at which the application part of a lesson begins:
// "Context: … Lesson: … Application: …", one label a line or all on one line.
// len(t.Tokens) for other texts. The part says how to use what was learned; its orders
// make no convention of the lesson. What it forbids or demands without exception is a
// rule there too.
func application(t *Text) int {
	learned := false
	for i := range t.Tokens {
		if !labelStart(t.Tokens, i) {
			continue
		}
		switch t.Tokens[i].Value {
		case "lesson", "lektion", "erkenntnis", "learning", "lehre":
			learned = true
		case "application", "anwendung":
			if learned {
				return i
			}
		}
	}
	return len(t.Tokens)
}

// labelStart reports whether the word at i is a label: it begins a line or a sentence, and a
// colon follows, or, of a word alone on its line, the end of the line.
func labelStart(tokens []memory.Token, i int) bool {
	if i+1 >= len(tokens) {
		return false
	}
	before, after := tokens[i].Sep, tokens[i+1].Sep
	if i == 0 || before == '\n' {
		return after == ':' || after == '\n'
	}
	return (before == '.' || before == ';') && after == ':' && tokens[i].Upper
}
