package run

import (
	"fmt"

	"github.com/winnowhq/winnow/pkg/event"
	"github.com/winnowhq/winnow/services/internal/bus/jetstream"
	"github.com/winnowhq/winnow/services/internal/worker"
)

// Users of the bus that are not workers.
const (
	// UserProvision is the user of winnow provision.
	UserProvision = "provision"
	// UserCLI is the user of the command line.
	UserCLI = "cli"
	// UserForget is the user by which winnow forget deletes messages.
	UserForget = "forget"

	publisherUser = "publisher-"
	gatewayUser   = "gateway-"
)

// BusAccess lists who may log in to a fleet's NATS server, in addition to provisioning
// and the command line.
type BusAccess struct {
	Workers []worker.Definition
	// Publishers and Gateways are principals. Each gets a user of its own, named
	// publisher-ID or gateway-ID.
	Publishers, Gateways []string
}

// Users returns the users with their rights, workers first. A worker's user has the
// worker's name.
func (a BusAccess) Users() []jetstream.User {
	var users []jetstream.User
	for _, d := range a.Workers {
		users = append(users, jetstream.User{
			Name: d.Name, Summary: "winnow-" + d.Name + ": " + d.Summary + ".", Rights: jetstream.WorkerRights(d.Name, d.Durables()...),
		})
	}
	all := durables(a.Workers)
	users = append(users, jetstream.User{
		Name: UserProvision, Summary: "winnow provision: makes streams and durables.", Rights: jetstream.ProvisionRights(UserProvision, all...),
	}, jetstream.User{
		Name: UserCLI, Summary: "The command line of operators.", Rights: jetstream.OperatorRights(UserCLI, all...),
	}, jetstream.User{
		Name: UserForget, Summary: "winnow forget: deletes single messages.", Rights: jetstream.EraserRights(UserForget),
	})
	for _, p := range a.Publishers {
		name := publisherUser + p
		users = append(users, jetstream.User{
			Name: name, Summary: "A service that publishes as the principal " + p + ".", Rights: jetstream.PublisherRights(name, p),
		})
	}
	for _, p := range a.Gateways {
		name := gatewayUser + p
		users = append(users, jetstream.User{
			Name: name, Summary: "A chat gateway that answers digests as the principal " + p + ".", Rights: jetstream.GatewayRights(name, p),
		})
	}
	return users
}

// ServerConfig returns the configuration of a NATS server for these users. The server
// reads their passwords from its environment. The error is a problem of the arguments.
func (a BusAccess) ServerConfig() (string, error) {
	for _, list := range [][]string{a.Publishers, a.Gateways} {
		for _, p := range list {
			if !event.ValidPrincipal(p) {
				return "", WithCode(ExitUsage, fmt.Errorf("principal %q: use 1 to %d of A-Z a-z 0-9 - _", p, event.MaxPrincipal))
			}
		}
	}
	text, err := jetstream.ServerConfig(a.Users())
	if err != nil {
		return "", WithCode(ExitUsage, err)
	}
	return text, nil
}

// PasswordVariables returns the names of the environment variables from which that
// server reads passwords and its key.
func (a BusAccess) PasswordVariables() []string {
	var names []string
	for _, u := range a.Users() {
		names = append(names, u.PasswordVariable())
	}
	return append(names, jetstream.KeyVariable)
}
