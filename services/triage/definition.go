package triage

import (
	"time"

	"github.com/winnowhq/winnow/pkg/event"
	"github.com/winnowhq/winnow/services/internal/bus"
	"github.com/winnowhq/winnow/services/internal/worker"
)

// Definition is the triage worker: proposals in, decisions out.
var Definition = worker.Definition{
	Name:    "triage",
	Summary: "judge proposals: promote, reject, merge, or ask a person",
	Durable: bus.Durable{
		Stream:     bus.StreamIntake,
		Name:       "triage",
		Filters:    []string{event.SubjectProposalCreated, event.SubjectProposalCreated + ".>"},
		AckWait:    60 * time.Second,
		MaxPending: 2048,
		MaxDeliver: 20,
		Overtake:   true,
	},
	Config: []worker.Section{Settings, Trust, Lanes, worker.Fairness},
	Needs:  worker.Needs{Meaning: true, Index: true},
	Batch:  512,
	Handle: newHandler,
}
