package index

import (
	"errors"

	"github.com/winnowhq/winnow/pkg/event"
	winnowv1 "github.com/winnowhq/winnow/proto/winnow/v1"
	"github.com/winnowhq/winnow/services/internal/bus"
	"github.com/winnowhq/winnow/services/internal/memory"
)

// placeOf reads which scope an event is about.
func placeOf(m bus.Message) (place, error) {
	meta := m.Meta()
	e, err := event.Parse(m.Subject(), m.Header(), m.Data(), bus.FallbackID(meta.Stream, meta.Sequence))
	if err != nil {
		return place{}, err
	}
	var scope string
	switch e.Subject {
	case event.SubjectMemoryRecorded:
		var r winnowv1.MemoryRecorded
		err = event.Unmarshal(e, &r)
		scope = r.GetScope()
	case event.SubjectMemoryArchived:
		var a winnowv1.MemoryArchived
		err = event.Unmarshal(e, &a)
		scope = a.GetScope()
	}
	if err != nil {
		return place{}, err
	}
	if e.Tenant == "" {
		return place{}, errors.New("the event names no tenant")
	}
	parsed, err := memory.ParseScope(scope)
	return place{memory.Tenant(e.Tenant), parsed}, err
}
