package natstest

import (
	"slices"

	"github.com/winnowhq/winnow/services/internal/bus"
	"github.com/winnowhq/winnow/services/internal/bus/jetstream"
	"github.com/winnowhq/winnow/services/internal/devstack"
	devnats "github.com/winnowhq/winnow/services/internal/devstack/nats"
)

// The users of a test's server. What a driver is used for decides the rights
// that it gets, so that every test of a worker is one of its permissions, too.
var (
	owner      = devstack.Credentials{User: "owner", Password: "owner"} // the test itself
	relay      = devstack.Credentials{User: "relay", Password: "relay"}
	postmaster = devstack.Credentials{User: "postmaster", Password: "postmaster"}
)

// readerPrefix starts the users that read one durable each.
const readerPrefix = "reader-"

func users(durables []bus.Durable) []devnats.User {
	advisories := bus.Durable{Stream: bus.StreamAdvisories, Name: relay.User}
	letters := jetstream.Join(
		jetstream.WorkerRights(postmaster.User, append(slices.Clone(durables), advisories)...),
		jetstream.OperatorRights(postmaster.User, durables...))
	// The wake-ups are the relay's alone.
	letters.Subscribe = []string{jetstream.InboxPrefix(postmaster.User) + ".>"}
	all := []devnats.User{
		user(relay, jetstream.WorkerRights(relay.User, advisories)),
		user(postmaster, letters),
	}
	for _, d := range durables {
		reader := devstack.Credentials{User: readerPrefix + d.Name, Password: readerPrefix + d.Name}
		all = append(all, user(reader, jetstream.WorkerRights(reader.User, d)))
	}
	return all
}

func user(c devstack.Credentials, r jetstream.Rights) devnats.User {
	return devnats.User{Name: c.User, Password: c.Password, Publish: r.Publish, Subscribe: r.Subscribe}
}

// readerOf is the user of a durable's worker. A durable that the server was not
// started with has none; it is read as the owner, who is told that it does not
// exist where others would be refused.
func (s *Server) readerOf(d bus.Durable) devstack.Credentials {
	if slices.ContainsFunc(s.durable, func(own bus.Durable) bool { return own.Name == d.Name && own.Stream == d.Stream }) {
		return devstack.Credentials{User: readerPrefix + d.Name, Password: readerPrefix + d.Name}
	}
	return owner
}
