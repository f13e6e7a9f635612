package natstest

import (
	"slices"

	"github.com/winnowhq/winnow/services/internal/bus"
	"github.com/winnowhq/winnow/services/internal/bus/jetstream"
	"github.com/winnowhq/winnow/services/internal/devstack"
	devnats "github.com/winnowhq/winnow/services/internal/devstack/nats"
)

// The users of a test's server. A driver gets the rights of its purpose, so that every
// test of a worker is also a test of its permissions.
var (
	owner      = devstack.Credentials{User: "owner", Password: "owner"} // the test itself
	relay      = devstack.Credentials{User: "relay", Password: "relay"}
	postmaster = devstack.Credentials{User: "postmaster", Password: "postmaster"}
)

// readerPrefix starts the names of users that read one durable each.
const readerPrefix = "reader-"

func users(durables []bus.Durable) []devnats.User {
	advisories := bus.Durable{Stream: bus.StreamAdvisories, Name: relay.User}
	letters := jetstream.Join(
		jetstream.WorkerRights(postmaster.User, append(slices.Clone(durables), advisories)...),
		jetstream.OperatorRights(postmaster.User, durables...))
	// Only the relay may receive the wake-ups.
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

// readerOf returns the user of a durable's worker. For a durable that the server was not
// started with it returns the owner: the server tells the owner that the durable does
// not exist, and refuses any other user.
func (s *Server) readerOf(d bus.Durable) devstack.Credentials {
	if slices.ContainsFunc(s.durable, func(own bus.Durable) bool { return own.Name == d.Name && own.Stream == d.Stream }) {
		return devstack.Credentials{User: readerPrefix + d.Name, Password: readerPrefix + d.Name}
	}
	return owner
}
