package store

import (
	"context"

	"github.com/winnowhq/winnow/services/internal/memory"
)

// RecordConsumer is the consumer under which the api claims the id of a lesson that
// an agent recorded by memory_record, in the commit that puts the lesson's event into
// the outbox.
const RecordConsumer = "api"

// Lessons says which events Winnow itself put out as lessons. Only such an event is
// a strategy; anybody may write the word into an event.
type Lessons interface {
	// OwnLessons returns the indexes, ascending, of the events that are lessons of
	// Winnow's own: drawn from a session of the same publisher that was distilled into
	// at least as many, or recorded by memory_record in the publisher's name. What
	// proves it was committed before the event was published.
	OwnLessons(ctx context.Context, tenant memory.Tenant, events []LessonEvent) ([]int, error)
}

// LessonEvent identifies an event that says it is a lesson.
type LessonEvent struct {
	ID        string // the event's, as its publisher chose it
	Principal string // from the credential
	Session   string // the publisher's name of the session, as the payload says
}
