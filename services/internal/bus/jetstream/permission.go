package jetstream

import (
	"slices"

	natsjs "github.com/nats-io/nats.go/jetstream"

	"github.com/winnowhq/winnow/pkg/event"
	"github.com/winnowhq/winnow/services/internal/bus"
)

// Rights is what a user of the bus may publish and subscribe to. What is not
// listed is refused: JetStream is an API over subjects, so reading, settling
// and administering are publishing too.
type Rights struct {
	// Admin users log in to the account of JetStream; all others have accounts of
	// their own, which import what Publish and Subscribe list.
	Admin              bool
	Publish, Subscribe []string
}

// InboxPrefix starts the reply subjects of a user. Each has its own, because
// whoever may subscribe to another's inbox reads the messages that it fetches.
func InboxPrefix(user string) string { return "_INBOX_" + user }

// WorkerRights are what a worker needs that reads the given durables: to fetch,
// settle and count its own messages, to write its own dead letters and to wake
// the relay. It publishes no event: those go by the outbox (SPEC §2).
//
// Whoever reads sessions opens the traces that they refer to.
//
// A worker that reads the advisories is the relay. It rescues other workers'
// letters, hence reads originals, and it publishes whatever was committed.
func WorkerRights(name string, durables ...bus.Durable) Rights {
	r := service(name)
	r.Publish = append(r.Publish, wakeSubject)
	for _, d := range durables {
		r.Publish = append(r.Publish, reading(d)...)
		if d.Stream == bus.StreamSessions {
			r.Publish = append(r.Publish, traceGet)
		}
		if d.Stream != bus.StreamAdvisories {
			r.Publish = append(r.Publish, deadLetterPrefix+d.Name)
			continue
		}
		r.Publish = append(r.Publish, deadLetterPrefix+"*")
		for _, s := range eventStreams() {
			r.Publish = append(r.Publish, directGetPrefix+s.Name)
			r.Publish = append(r.Publish, s.Subjects...)
		}
		r.Subscribe = append(r.Subscribe, wakeSubject)
	}
	return r
}

// ProvisionRights are what winnow provision needs, which alone logs in to the
// account of JetStream: to make and change our streams and the given durables, to
// make and remove those of gateways, and to move what an older version has not
// processed. It removes no stream and no message.
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
	for _, name := range outgrown {
		r.Publish = append(r.Publish, reading(bus.Durable{Stream: bus.StreamMemory, Name: name})[1:]...)
	}
	r.Publish = append(r.Publish, intakeSubjects()...)
	r.Publish = append(r.Publish, event.SubjectDigestTriage+".>", event.SubjectDigestAnswered+".>")
	return r
}

// OperatorRights are what the command line needs: to read dead letters and
// their originals, to publish originals again, to publish in any principal's
// name (winnow propose --as, winnow publish), to hear verdicts and to count what
// waits. It reads no trace.
func OperatorRights(name string, durables ...bus.Durable) Rights {
	r := service(name)
	r.Publish = append(r.Publish, wakeSubject, directGetPrefix+bus.StreamDeadLetters, event.SubjectTrace+".>")
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

// PublisherRights let a service publish sessions, their traces and proposals as
// one principal and as nobody else: the token that the server lets through is
// the identity. It reads nothing, not even what it laid down itself.
func PublisherRights(name, principal string) Rights {
	r := service(name)
	r.Publish = append(r.Publish,
		event.SubjectSessionCompleted+"."+principal,
		event.SubjectTrace+"."+principal+".*",
		event.SubjectProposalCreated+"."+principal,
	)
	return r
}

// GatewayRights let a chat gateway read its own durable, which holds the digests
// of the reviewers for whom it speaks and what became of their answers, and
// answer as one principal. Which reviewers those are is not a matter of its
// rights but of the durable (Gateway).
func GatewayRights(name, principal string) Rights {
	r := service(name)
	r.Publish = append(reading(bus.Durable{Stream: bus.StreamMemory, Name: GatewayDurable(principal)}),
		event.SubjectDigestReply+"."+principal)
	return r
}

// Join is what a user may do that has several parts, such as one process with
// several workers. Everything is listed once.
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

// service is a user that can only be answered.
func service(name string) Rights {
	return Rights{Subscribe: []string{InboxPrefix(name) + ".>"}}
}

// reading is what binding to a durable, fetching from it and settling take.
func reading(d bus.Durable) []string {
	return []string{
		consumerInfo(d),
		"$JS.API.CONSUMER.MSG.NEXT." + d.Stream + "." + d.Name,
		// An ack goes where the message says; a server may put its domain and
		// account in front.
		"$JS.ACK." + d.Stream + "." + d.Name + ".>",
		"$JS.ACK.*.*." + d.Stream + "." + d.Name + ".>",
	}
}

func consumerInfo(d bus.Durable) string {
	return "$JS.API.CONSUMER.INFO." + d.Stream + "." + d.Name
}

// eventStreams hold events, as opposed to letters and notes about them.
func eventStreams() []natsjs.StreamConfig {
	return slices.DeleteFunc(Streams(1), func(s natsjs.StreamConfig) bool {
		return s.Name != bus.StreamSessions && s.Name != bus.StreamIntake && s.Name != bus.StreamMemory
	})
}
