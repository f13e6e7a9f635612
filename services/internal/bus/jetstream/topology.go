package jetstream

import (
	"strings"
	"time"

	natsjs "github.com/nats-io/nats.go/jetstream"

	"github.com/winnowhq/winnow/pkg/event"
	"github.com/winnowhq/winnow/services/internal/bus"
)

const day = 24 * time.Hour

// Streams is what is stored and for how long (SPEC §4), as data: provisioning
// creates it and the topology's golden file shows it. Replicas is 1 for a
// laptop, 3 for a cluster. Each call returns fresh values.
func Streams(replicas int) []natsjs.StreamConfig {
	streams := []natsjs.StreamConfig{
		{
			Name:        bus.StreamSessions,
			Description: "finished sessions of agents, as published",
			Subjects:    []string{"session.>"},
			MaxAge:      7 * day,
			Duplicates:  10 * time.Minute,
		},
		{
			Name:        bus.StreamTraces,
			Description: "traces too large for an event, as published, in pieces",
			Subjects:    []string{event.SubjectTrace + ".>"},
			MaxAge:      bus.TraceAge,
			Duplicates:  10 * time.Minute,
		},
		{
			Name:        bus.StreamMemory,
			Description: "proposals as published, and what Winnow tells about them",
			Subjects:    []string{"memory.>"},
			MaxAge:      14 * day,
			Duplicates:  10 * time.Minute,
			// The relay publishes batches of hundreds for one fsync.
			AllowAtomicPublish: true,
		},
		{
			Name:        bus.StreamDeadLetters,
			Description: "messages that could not be handled, whole, with the reason",
			Subjects:    []string{deadLetterPrefix + ">"},
			MaxAge:      90 * day,
			// A worker's letter and the safety net's carry the same id; the net
			// may be a day late.
			Duplicates: day,
		},
		{
			Name:        bus.StreamAdvisories,
			Description: "deliveries that the server gave up, for the safety net",
			Subjects: []string{
				advisoryPrefix + "MAX_DELIVERIES." + bus.StreamMemory + ".>",
				advisoryPrefix + "MAX_DELIVERIES." + bus.StreamSessions + ".>",
				advisoryPrefix + "MSG_TERMINATED." + bus.StreamMemory + ".>",
				advisoryPrefix + "MSG_TERMINATED." + bus.StreamSessions + ".>",
			},
			MaxAge:     30 * day,
			Duplicates: 2 * time.Minute,
		},
	}
	for i := range streams {
		s := &streams[i]
		s.Storage = natsjs.FileStorage
		s.Retention = natsjs.LimitsPolicy
		s.Discard = natsjs.DiscardOld
		s.Replicas = max(replicas, 1)
		// Originals of dead letters and the letters themselves are read by
		// sequence number.
		s.AllowDirect = true
	}
	return streams
}

// consumerConfig is how a durable is created. There is no BackOff list and no
// InactiveThreshold: see the package's doc.
func consumerConfig(d bus.Durable) natsjs.ConsumerConfig {
	c := natsjs.ConsumerConfig{
		Durable:       d.Name,
		Name:          d.Name,
		DeliverPolicy: natsjs.DeliverAllPolicy,
		AckPolicy:     natsjs.AckExplicitPolicy,
		ReplayPolicy:  natsjs.ReplayInstantPolicy,
		AckWait:       d.AckWait,
		MaxAckPending: d.MaxPending,
		MaxDeliver:    d.MaxDeliver,
	}
	if len(d.Filters) == 1 {
		c.FilterSubject = d.Filters[0]
	} else {
		c.FilterSubjects = d.Filters
	}
	return c
}

// streamFor names the stream that stores a subject, empty when none does. It
// reads the same table as provisioning, so publishing asks the server nothing.
func streamFor(subject string) string {
	for _, s := range Streams(1) {
		for _, pattern := range s.Subjects {
			if strings.HasPrefix(subject, strings.TrimSuffix(pattern, ">")) {
				return s.Name
			}
		}
	}
	return ""
}
