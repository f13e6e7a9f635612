package distill

import (
	"context"
	"time"

	"github.com/winnowhq/winnow/services/internal/worker"
)

// Hurried is the distiller with short pauses, which gives a model up at a try, so
// that a test need not live through an hour.
func Hurried(last int) worker.Definition {
	d := Definition
	p := patience{first: time.Millisecond, most: 5 * time.Millisecond, asked: 10 * time.Millisecond, limit: time.Hour, least: last, last: last}
	d.Work = func(deps worker.Deps) (worker.Work, error) { return newWork(deps, p), nil }
	return d
}

// Pause and Over are those of the default patience.
func Pause(attempt int, asked time.Duration) time.Duration {
	return defaultPatience().pause(attempt, asked)
}

// Over is when rules must do.
func Over(attempt int, waited time.Duration) bool { return defaultPatience().over(attempt, waited) }

// MaxDeliver is how often the bus delivers a session.
const MaxDeliver = maxDeliver

// Nonce is the word of a session's fence.
var Nonce = nonce

// Room is a bound of memory.
type Room struct{ r *room }

// NewRoom makes one.
func NewRoom(all int64) Room { return Room{newRoom(all)} }

// Enter waits for room.
func (r Room) Enter(ctx context.Context, bytes int64) (func(), error) { return r.r.enter(ctx, bytes) }
