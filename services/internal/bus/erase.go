package bus

import "context"

// Eraser deletes messages for good, as winnow forget does: their bytes are overwritten.
type Eraser interface {
	// Erase reads all messages of the streams of events and of dead letters, and erases
	// those that match says; without apply it only counts them. It returns how many, by
	// stream. After an error those before it are gone, and another Erase does the rest.
	Erase(ctx context.Context, match func(StoredMessage) bool, apply bool) (map[string]int, error)
	// EraseTrace does the same with the pieces of a trace that an event refers to.
	EraseTrace(ctx context.Context, uri string, apply bool) (int, error)
}

// StoredMessage is a message as its publisher sent it. That of a dead letter has the
// letter's reason.
type StoredMessage struct {
	Subject string
	Header  map[string][]string
	Data    []byte
	Reason  string
}
