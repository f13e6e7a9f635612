package jetstream

import (
	"strings"
	"time"

	natsjs "github.com/nats-io/nats.go/jetstream"

	"github.com/winnowhq/winnow/pkg/event"
	"github.com/winnowhq/winnow/services/internal/bus"
)

const day = 24 * time.Hour

// publishersWindow is the duplicate window of streams that publishers write to, the
// shortest that the server allows. The server compares message ids alone, over all
// subjects of a stream, so in a longer window one principal's id would suppress the event
// of another. The inbox deduplicates by principal and id instead.
const publishersWindow = 100 * time.Millisecond

// SubjectDecided is the subject to which the server republishes verdicts, for commands
// that wait for one. No user may publish there.
const SubjectDecided = "winnow.decided"

// Streams returns the configuration of all streams: what is stored and for how long
// (SPEC §4). Provisioning creates them, and the topology's golden file shows them.
// Replicas is 1 for a laptop, 3 for a cluster. Each call returns fresh values.
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
			// Verdicts are republished for subscribers in other accounts: a message that
			// reaches this account as a service is not exported again.
			RePublish: &natsjs.RePublish{Source: event.SubjectProposalDecided, Destination: SubjectDecided},
		},
		{
			// It follows MEMORY, which had these subjects in an older version and must give
			// them up first.
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
			// A worker's letter and the relay's rescue of it have the same id; the rescue
			// may be a day late.
			Duplicates: day,
		},
		{
			Name:        bus.StreamAudit,
			Description: "signed heads of the audit, one for each hour in which it grew",
			Subjects:    []string{bus.SubjectAuditHead + ">"},
			Duplicates:  2 * time.Minute,
			// What is here contradicts a database that was changed afterwards.
			DenyDelete: true,
			DenyPurge:  true,
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

// intakeSubjects returns the subjects of bus.StreamIntake: those that publishers and
// gateways write to, with and without a principal, and the others that the same worker
// reads.
func intakeSubjects() []string {
	return []string{
		event.SubjectProposalCreated, event.SubjectProposalCreated + ".>",
		event.SubjectDigestReply, event.SubjectDigestReply + ".>",
		event.SubjectDigestDue, event.SubjectDigestDue + ".>",
	}
}

// memorySubjects returns the subjects of bus.StreamMemory: all other events below
// memory.
func memorySubjects() []string {
	return []string{
		event.SubjectMemoryRecorded, event.SubjectMemoryArchived,
		event.SubjectSessionIngested, event.SubjectProposalDecided, event.SubjectSignalRecorded,
		event.SubjectConsolidationRequested, event.SubjectConsolidationPlanned, event.SubjectConsolidationCompleted,
		event.SubjectDigestTriage, event.SubjectDigestTriage + ".>",
		event.SubjectDigestAnswered, event.SubjectDigestAnswered + ".>",
	}
}

// advisorySubjects returns the subjects of the server's advisories about deliveries that
// it gave up, for every stream of events.
func advisorySubjects() []string {
	var all []string
	for _, kind := range []string{"MAX_DELIVERIES.", "MSG_TERMINATED."} {
		for _, stream := range []string{bus.StreamIntake, bus.StreamMemory, bus.StreamSessions} {
			all = append(all, advisoryPrefix+kind+stream+".>")
		}
	}
	return all
}

// consumerConfig returns the configuration with which a durable is created. It has no
// BackOff list and no InactiveThreshold: see the package's doc.
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

// subjectTable finds the stream of a subject. The relay asks for every message, so the
// table is made once instead of from all configurations at each question.
type subjectTable struct {
	exact    map[string]string // from a subject
	prefixes []openSubject
}

// openSubject is a pattern that ends with ">", without it.
type openSubject struct{ prefix, stream string }

var subjectStreams = newSubjectTable(Streams(1))

func newSubjectTable(streams []natsjs.StreamConfig) subjectTable {
	t := subjectTable{exact: make(map[string]string)}
	for _, s := range streams {
		for _, pattern := range s.Subjects {
			if prefix, open := strings.CutSuffix(pattern, ">"); open {
				t.prefixes = append(t.prefixes, openSubject{prefix: prefix, stream: s.Name})
			} else {
				t.exact[pattern] = s.Name
			}
		}
	}
	return t
}

// streamFor returns the name of the stream that stores a subject, or "" when none does.
// It reads the same table as provisioning, so publishing needs no request for it. The
// server refuses streams whose subjects overlap, so at most one matches.
func streamFor(subject string) string {
	if name, ok := subjectStreams.exact[subject]; ok {
		return name
	}
	for _, p := range subjectStreams.prefixes {
		if strings.HasPrefix(subject, p.prefix) {
			return p.stream
		}
	}
	return ""
}
