package jetstream_test

import (
	"strings"
	"testing"
	"time"

	"github.com/winnowhq/winnow/services/internal/bus"
	"github.com/winnowhq/winnow/services/internal/bus/jetstream"
	"github.com/winnowhq/winnow/services/internal/bus/natstest"
)

func triage() bus.Durable {
	return bus.Durable{
		Stream: bus.StreamIntake, Name: "triage",
		Filters:    []string{"memory.proposal.created", "memory.proposal.created.>"},
		AckWait:    30 * time.Second,
		MaxPending: 1024, MaxDeliver: 6,
	}
}

// Provisioning twice changes nothing the second time, and a difference is named
// before it is repaired.
func TestProvisionIsIdempotentAndReportsDrift(t *testing.T) {
	t.Parallel()
	s := natstest.New(t, triage())
	topology := jetstream.Topology{Durables: []bus.Durable{triage()}}

	again, err := jetstream.Provision(t.Context(), s.Conn(), topology)
	if err != nil || len(again) != 0 {
		t.Fatalf("second provisioning: changes %v, err %v", again, err)
	}

	topology.Durables[0].MaxDeliver = 9
	topology.Durables[0].Filters = []string{"memory.proposal.created"}
	drift, err := jetstream.Drift(t.Context(), s.Conn(), topology)
	if err != nil {
		t.Fatal(err)
	}
	if len(drift) != 1 || !strings.Contains(drift[0].String(), "max deliver: 6 → 9") {
		t.Fatalf("drift: %v", drift)
	}
	if _, err := jetstream.Provision(t.Context(), s.Conn(), topology); err != nil {
		t.Fatal(err)
	}
	if drift, err = jetstream.Drift(t.Context(), s.Conn(), topology); err != nil || len(drift) != 0 {
		t.Fatalf("drift after repair: %v, err %v", drift, err)
	}
}

// A dry run on an empty server names everything and creates nothing.
func TestDriftOnAnEmptyServer(t *testing.T) {
	t.Parallel()
	s := natstest.New(t)
	topology := jetstream.Topology{Durables: []bus.Durable{triage()}}
	for range 2 {
		drift, err := jetstream.Drift(t.Context(), s.Conn(), topology)
		if err != nil || len(drift) != 1 || drift[0].Action != "create" {
			t.Fatalf("drift: %v, err %v", drift, err)
		}
	}
}
