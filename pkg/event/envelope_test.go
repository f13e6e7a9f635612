package event_test

import (
	"testing"

	"github.com/winnowhq/winnow/pkg/event"
	winnowv1 "github.com/winnowhq/winnow/proto/winnow/v1"
)

// A publisher with nothing but `nats pub` is served. // S4, bare JSON
func TestBareJSONIsServed(t *testing.T) {
	t.Parallel()
	env, err := event.Parse("memory.proposal.created", nil,
		[]byte(` {"scope":"project:shop","text":"Postgres listens on 5440.","observed_at":"2026-01-31T09:30:00Z"}`), "MEMORY:7")
	if err != nil {
		t.Fatal(err)
	}
	var p winnowv1.ProposalCreated
	if err := event.Unmarshal(env, &p); err != nil {
		t.Fatal(err)
	}
	if env.ID != "MEMORY:7" || env.Principal != "" || env.Type != "memory.proposal.created.v1" || env.ContentType != event.ContentJSON {
		t.Errorf("envelope %+v", env)
	}
	if p.GetText() != "Postgres listens on 5440." || p.GetObservedAt().AsTime().Year() != 2026 {
		t.Errorf("payload %v", &p)
	}
}
