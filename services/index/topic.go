package index

import (
	"github.com/winnowhq/winnow/pkg/event"
	winnowv1 "github.com/winnowhq/winnow/proto/winnow/v1"
	"github.com/winnowhq/winnow/services/internal/memory"
	"github.com/winnowhq/winnow/services/internal/worker"
)

// memoryRef names the memory that an event is about.
type memoryRef struct {
	scopeKey
	memory string // id
}

// read returns the memory that an event is about. Only the relay publishes these events,
// so an error is a bug of Winnow.
func read(e worker.Event) (t memoryRef, err error) {
	var scope string
	switch e.Subject {
	case event.SubjectMemoryRecorded:
		var r winnowv1.MemoryRecorded
		err = event.Unmarshal(e.Envelope, &r)
		scope, t.memory = r.GetScope(), r.GetMemoryId()
	case event.SubjectMemoryArchived:
		var a winnowv1.MemoryArchived
		err = event.Unmarshal(e.Envelope, &a)
		scope, t.memory = a.GetScope(), a.GetMemoryId()
	case event.SubjectSignalRecorded: // it changed the memory's confidence
		var s winnowv1.SignalRecorded
		err = event.Unmarshal(e.Envelope, &s)
		scope, t.memory = s.GetScope(), s.GetMemoryId()
	}
	if err != nil {
		return t, err
	}
	if _, err := memory.ParseID(t.memory, memory.PrefixMemory); err != nil {
		return t, worker.Permanent("malformed", err)
	}
	t.tenant = e.Tenant
	if t.scope, err = memory.ParseScope(scope); err != nil {
		return t, worker.Permanent("malformed", err)
	}
	return t, nil
}
