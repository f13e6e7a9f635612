package index

import (
	"errors"

	"github.com/winnowhq/winnow/pkg/event"
	winnowv1 "github.com/winnowhq/winnow/proto/winnow/v1"
	"github.com/winnowhq/winnow/services/internal/bus"
	"github.com/winnowhq/winnow/services/internal/memory"
)

// told is what an event says changed.
type told struct {
	place
	memory string // id
}

// read reads which memory of which scope an event is about. Only the relay
// publishes these, so an error is a fault of ours.
func read(m bus.Message) (t told, err error) {
	meta := m.Meta()
	e, err := event.Parse(m.Subject(), m.Header(), m.Data(), bus.FallbackID(meta.Stream, meta.Sequence, meta.Stored))
	if err != nil {
		return t, err
	}
	var scope string
	switch e.Subject {
	case event.SubjectMemoryRecorded:
		var r winnowv1.MemoryRecorded
		err = event.Unmarshal(e, &r)
		scope, t.memory = r.GetScope(), r.GetMemoryId()
	case event.SubjectMemoryArchived:
		var a winnowv1.MemoryArchived
		err = event.Unmarshal(e, &a)
		scope, t.memory = a.GetScope(), a.GetMemoryId()
	}
	if err != nil {
		return t, err
	}
	if e.Tenant == "" {
		return t, errors.New("the event names no tenant")
	}
	if _, err := memory.ParseID(t.memory, memory.PrefixMemory); err != nil {
		return t, err
	}
	t.tenant = memory.Tenant(e.Tenant)
	t.scope, err = memory.ParseScope(scope)
	return t, err
}
