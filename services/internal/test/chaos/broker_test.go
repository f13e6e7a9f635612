package chaos

import (
	"fmt"
	"strings"

	workers "github.com/winnowhq/winnow/services/fleet"
	"github.com/winnowhq/winnow/services/internal/bus/jetstream"
	"github.com/winnowhq/winnow/services/run"
)

const (
	// tester is the test itself, which may do everything.
	tester = "tester"
	// gateway is the principal that a chat gateway answers as.
	gateway = "gateway"
)

// access is who may log in beside the test: the workers, two publishers, and a
// gateway for each of some reviewers.
var access = run.BusAccess{
	Workers:    workers.All,
	Publishers: []string{"agent", "other"},
	Gateways:   []string{gateway, "hall", "desk", "dock"},
}

// brokerConfig is the configuration that ships, streams encrypted and synced,
// with a user for each worker here, and the environment that goes with it. So
// what survives the killing does so with no right but its own.
func brokerConfig(port int, store string) (text string, environ []string, err error) {
	users := access.Users()
	users = append(users, jetstream.User{
		Name: tester, Summary: "The test.", Rights: jetstream.Rights{Admin: true, Publish: []string{">"}, Subscribe: []string{">"}},
	})
	if text, err = jetstream.ServerConfig(users); err != nil {
		return "", nil, err
	}
	text = strings.NewReplacer(
		`"0.0.0.0:4222"`, fmt.Sprintf(`"127.0.0.1:%d"`, port),
		`http: "0.0.0.0:8222"`, "",
		`"/data"`, fmt.Sprintf("%q", store),
	).Replace(text)
	for _, u := range users {
		environ = append(environ, u.PasswordVariable()+"="+password(u.Name))
	}
	return text, append(environ, jetstream.KeyVariable+"="+password("key")), nil
}

func password(of string) string { return "secret-of-" + of }
