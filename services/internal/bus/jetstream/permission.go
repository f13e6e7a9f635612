package jetstream

import (
	"slices"

	natsjs "github.com/nats-io/nats.go/jetstream"

	"github.com/winnowhq/winnow/pkg/event"
	"github.com/winnowhq/winnow/services/internal/bus"
)

// Rights lists the subjects that a user of the bus may publish and subscribe to. The
// server refuses every other subject. JetStream is an API over subjects, so reading,
// settling and administering are publishing too.
type Rights struct {
	// Admin users log in to the account of JetStream. Every other user has an account of
	// its own, which imports the subjects of Publish and Subscribe.
	Admin              bool
	Publish, Subscribe []string
}

// InboxPrefix returns the prefix of a user's reply subjects. Each user has its own,
// because a user that may subscribe to another's inbox reads the messages fetched there.
func InboxPrefix(user string) string { return "_INBOX_" + user }

// WorkerRights returns the rights of a worker that reads the given durables: to fetch,
// settle and count its own messages, to write its own dead letters and to wake the
// relay. A worker publishes no event: events pass through the outbox (SPEC §2).
//
// A worker that reads sessions may also open the traces to which they refer. A worker
// whose durable permits overtaking may read every message of the durable's stream.
//
// A worker that reads the advisories is the relay. It writes dead letters for other
// workers, hence reads originals, publishes every committed event, and publishes signed
// heads of the audit, of which it reads the last.
func WorkerRights(name string, durables ...bus.Durable) Rights {
	r := service(name)
	r.Publish = append(r.Publish, wakeSubject)
	for _, d := range durables {
		r.Publish = append(r.Publish, reading(d)...)
		if d.Stream == bus.StreamSessions {
			r.Publish = append(r.Publish, traceGet)
		}
		if d.Overtake {
			r.Publish = append(r.Publish, directGetPrefix+d.Stream)
		}
		if d.Stream != bus.StreamAdvisories {
			r.Publish = append(r.Publish, deadLetterPrefix+d.Name)
			continue
		}
		r.Publish = append(r.Publish, deadLetterPrefix+"*", bus.SubjectAuditHead+">", directGetPrefix+bus.StreamAudit)
		for _, s := range eventStreams() {
			r.Publish = append(r.Publish, directGetPrefix+s.Name)
			r.Publish = append(r.Publish, s.Subjects...)
		}
		r.Subscribe = append(r.Subscribe, wakeSubject)
	}
	return r
}

// ProvisionRights returns the rights of winnow provision, the only user in the account
// of JetStream: to create and change our streams and the given durables, to create and
// remove durables of gateways, and to move the messages that an older version has not
// processed. It may remove no stream and no message.
func ProvisionRights(name string, durables ...bus.Durable) Rights {
	r := service(name)
	r.Admin = true
	for _, s := range Streams(1) {
		for _, verb := range []string{"INFO", "CREATE", "UPDATE"} {
			r.Publish = append(r.Publish, "$JS.API.STREAM."+verb+"."+s.Name)
		}
	}
	for _, d := range durables {
		create := "$JS.API.CONSUMER.CREATE." + d.Stream + "." + d.Name
		// With a single filter the client appends it to the subject.
		r.Publish = append(r.Publish, consumerInfo(d), create, create+".>")
	}
	for _, verb := range []string{"NAMES." + bus.StreamMemory, "INFO." + bus.StreamMemory + ".*", "DELETE." + bus.StreamMemory + ".*", "CREATE." + bus.StreamMemory + ".>"} {
		r.Publish = append(r.Publish, "$JS.API.CONSUMER."+verb)
	}
	for _, name := range obsoleteDurables {
		r.Publish = append(r.Publish, reading(bus.Durable{Stream: bus.StreamMemory, Name: name})[1:]...)
	}
	r.Publish = append(r.Publish, intakeSubjects()...)
	r.Publish = append(r.Publish, event.SubjectDigestTriage+".>", event.SubjectDigestAnswered+".>")
	return r
}

// OperatorRights returns the rights of the command line: to read dead letters and their
// originals, to replay originals, to publish as any principal (winnow propose --as,
// winnow publish), to receive verdicts, to read signed heads of the audit and to count
// pending messages. It may read no
// trace.
func OperatorRights(name string, durables ...bus.Durable) Rights {
	r := service(name)
	r.Publish = append(r.Publish, wakeSubject, directGetPrefix+bus.StreamDeadLetters, directGetPrefix+bus.StreamAudit, event.SubjectTrace+".>")
	for _, s := range eventStreams() {
		r.Publish = append(r.Publish, directGetPrefix+s.Name)
		r.Publish = append(r.Publish, s.Subjects...)
	}
	for _, d := range durables {
		r.Publish = append(r.Publish, consumerInfo(d))
	}
	r.Subscribe = append(r.Subscribe, SubjectDecided)
	return r
}

// EraserRights returns the rights of winnow forget: to read the streams that carry texts and
// to delete single messages of them. No other user may delete a message.
func EraserRights(name string) Rights {
	r := service(name)
	for _, stream := range append(erasable(), bus.StreamTraces) {
		r.Publish = append(r.Publish, directGetPrefix+stream, messageDelete+stream)
	}
	return r
}

// PublisherRights returns the rights to publish sessions, their traces and proposals as
// one principal and no other: the subject token that the server permits is the identity.
// A publisher reads nothing, not even its own traces.
func PublisherRights(name, principal string) Rights {
	r := service(name)
	r.Publish = append(r.Publish,
		event.SubjectSessionCompleted+"."+principal,
		event.SubjectTrace+"."+principal+".*",
		event.SubjectProposalCreated+"."+principal,
	)
	return r
}

// GatewayRights returns the rights of a chat gateway: to read its own durable and to
// answer as one principal. The durable, and not the rights, selects the reviewers for
// whom the gateway speaks (see [Gateway]).
func GatewayRights(name, principal string) Rights {
	r := service(name)
	r.Publish = append(reading(bus.Durable{Stream: bus.StreamMemory, Name: GatewayDurable(principal)}),
		event.SubjectDigestReply+"."+principal)
	return r
}

// Join returns the union of rights, for a user of several roles, such as one process
// with several workers. Each subject is listed once.
func Join(all ...Rights) Rights {
	var r Rights
	for _, one := range all {
		r.Admin = r.Admin || one.Admin
		r.Publish = append(r.Publish, one.Publish...)
		r.Subscribe = append(r.Subscribe, one.Subscribe...)
	}
	slices.Sort(r.Publish)
	slices.Sort(r.Subscribe)
	return Rights{Admin: r.Admin, Publish: slices.Compact(r.Publish), Subscribe: slices.Compact(r.Subscribe)}
}

// service returns the rights to receive answers and nothing else.
func service(name string) Rights {
	return Rights{Subscribe: []string{InboxPrefix(name) + ".>"}}
}

// reading returns the subjects for binding to a durable, fetching from it and settling.
func reading(d bus.Durable) []string {
	return []string{
		consumerInfo(d),
		"$JS.API.CONSUMER.MSG.NEXT." + d.Stream + "." + d.Name,
		// The message names its ack subject; a server may insert its domain and account.
		"$JS.ACK." + d.Stream + "." + d.Name + ".>",
		"$JS.ACK.*.*." + d.Stream + "." + d.Name + ".>",
	}
}

func consumerInfo(d bus.Durable) string {
	return "$JS.API.CONSUMER.INFO." + d.Stream + "." + d.Name
}

// eventStreams returns the streams of events, without those of dead letters, advisories
// and traces.
func eventStreams() []natsjs.StreamConfig {
	return slices.DeleteFunc(Streams(1), func(s natsjs.StreamConfig) bool {
		return s.Name != bus.StreamSessions && s.Name != bus.StreamIntake && s.Name != bus.StreamMemory
	})
}
