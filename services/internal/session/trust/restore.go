package trust

import "github.com/winnowhq/winnow/services/internal/session/trace"

// Restore returns a session's tracker from its stored turns and the spans that
// they were given on arrival. The stored spans hold, even if the lists of tools
// have changed since.
func Restore(turns []trace.Turn, spans []Span, o Options) *Tracker {
	t := NewTracker(o)
	for i, turn := range turns {
		if i >= len(spans) {
			break
		}
		t.Recall(turn, spans[i])
	}
	return t
}

// Recall adds the next turn of a stored session with the span that it was given
// when it came in.
func (t *Tracker) Recall(turn trace.Turn, span Span) {
	t.remember(turn, span)
	if turn.Calls() {
		t.call(turn)
	}
}
