package judge

import (
	"sync"

	"github.com/winnowhq/winnow/services/internal/judge/subject"
	"github.com/winnowhq/winnow/services/internal/judge/wording"
)

// rooms are shared by all lanes: a verdict needs one, and there are far more lanes than
// verdicts at a time.
var rooms = sync.Pool{New: func() any { return &wording.Room{} }}

// otherCause is [subject.OtherCause] of two texts; most name no cause.
func otherCause(a, b *wording.Text) bool {
	if !a.NamesCause || !b.NamesCause {
		return false
	}
	x, _ := a.Scanned()
	y, _ := b.Scanned()
	return subject.OtherCause(x, y)
}

// otherEvent is [subject.OtherEvent] of two texts of two days.
func otherEvent(a, b *wording.Text) bool {
	if a.Date.IsZero() || b.Date.IsZero() || a.Date.Equal(b.Date) {
		return false
	}
	x, _ := a.Scanned()
	y, _ := b.Scanned()
	return subject.OtherEvent(x, y)
}

// otherCauseOfOne reports that two texts name two causes of one event.
func otherCauseOfOne(a, b *wording.Text) bool {
	if !otherCause(a, b) {
		return false
	}
	x, _ := a.Scanned()
	y, _ := b.Scanned()
	return subject.SameEvent(x, y)
}
