package jetstream

import (
	"strings"
	"time"

	natsjs "github.com/nats-io/nats.go/jetstream"

	"github.com/winnowhq/winnow/pkg/event"
	"github.com/winnowhq/winnow/services/internal/bus"
)

const day = 24 * time.Hour

// publishersWindow is the duplicate window of streams that publishers write to:
// the shortest that the server takes. The server compares message ids alone, over
// all subjects of a stream, so in a longer window one principal's id would
// swallow the event of another. Events are told apart by principal and id in the
// inbox instead.
const publishersWindow = 100 * time.Millisecond

// SubjectDecided is where the server sends verdicts once more, for commands that
// wait for one. Nobody may publish there.
const SubjectDecided = "winnow.decided"

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
			Duplicates:  publishersWindow,
		},
		{
			Name:        bus.StreamTraces,
			Description: "traces too large for an event, as published, in pieces",
			Subjects:    []string{event.SubjectTrace + ".>"},
			MaxAge:      bus.TraceAge,
			Duplicates:  publishersWindow,
		},
		{
			Name:        bus.StreamMemory,
			Description: "what Winnow tells: verdicts, memories, digests",
			Subjects:    memorySubjects(),
			MaxAge:      14 * day,
			Duplicates:  10 * time.Minute,
			// The relay publishes batches of hundreds for one fsync. Only it writes
			// here: the server answers the first message of a batch with nothing,
			// and an empty message is a valid request to delete (ADR 15).
			AllowAtomicPublish: true,
			// Verdicts go out once more to listeners in other accounts: what comes
			// into this one as a service is not exported again.
			RePublish: &natsjs.RePublish{Source: event.SubjectProposalDecided, Destination: SubjectDecided},
		},
		{
			// After MEMORY, which had these subjects before there was this stream.
			Name:        bus.StreamIntake,
			Description: "proposals and answers to digests, as published",
			Subjects:    intakeSubjects(),
			MaxAge:      14 * day,
			Duplicates:  publishersWindow,
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
			Subjects:    advisorySubjects(),
			MaxAge:      30 * day,
			Duplicates:  2 * time.Minute,
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

// intakeSubjects are those of bus.StreamIntake: what publishers and gateways
// write, with and without a principal, and what the same worker reads beside it.
func intakeSubjects() []string {
	return []string{
		event.SubjectProposalCreated, event.SubjectProposalCreated + ".>",
		event.SubjectDigestReply, event.SubjectDigestReply + ".>",
		event.SubjectDigestDue, event.SubjectDigestDue + ".>",
	}
}

// memorySubjects are those of bus.StreamMemory: all other events under memory.
func memorySubjects() []string {
	return []string{
		event.SubjectMemoryRecorded, event.SubjectMemoryArchived,
		event.SubjectSessionIngested, event.SubjectProposalDecided, event.SubjectSignalRecorded,
		event.SubjectConsolidationRequested, event.SubjectConsolidationCompleted,
		event.SubjectDigestTriage, event.SubjectDigestTriage + ".>",
		event.SubjectDigestAnswered, event.SubjectDigestAnswered + ".>",
	}
}

// advisorySubjects are the server's notes on deliveries that it gave up, for
// every stream whose messages are events.
func advisorySubjects() []string {
	var all []string
	for _, kind := range []string{"MAX_DELIVERIES.", "MSG_TERMINATED."} {
		for _, stream := range []string{bus.StreamIntake, bus.StreamMemory, bus.StreamSessions} {
			all = append(all, advisoryPrefix+kind+stream+".>")
		}
	}
	return all
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
			prefix, open := strings.CutSuffix(pattern, ">")
			if subject == pattern || open && strings.HasPrefix(subject, prefix) {
				return s.Name
			}
		}
	}
	return ""
}
