package chaos

import (
	"fmt"
	"strings"

	workers "github.com/winnowhq/winnow/services/fleet"
	"github.com/winnowhq/winnow/services/internal/bus/jetstream"
	"github.com/winnowhq/winnow/services/run"
)

const (
	// tester is the user of the test itself, which has every right.
	tester = "tester"
	// gateway is the principal that a chat gateway answers as.
	gateway = "gateway"
)

// access lists the users besides the test: the workers, two publishers, and a
// gateway for each of some reviewers.
var access = run.BusAccess{
	Workers:    workers.All,
	Publishers: []string{"agent", "other"},
	Gateways:   []string{gateway, "hall", "desk", "dock"},
}

// brokerConfig returns the shipped configuration, with streams encrypted and synced,
// a user for each worker here, and its environment. So each worker recovers with its
// own rights only.
func brokerConfig(port, monitor int, store, limit string) (text string, environ []string, err error) {
	users := access.Users()
	users = append(users, jetstream.User{
		Name: tester, Summary: "The test.", Rights: jetstream.Rights{Admin: true, Publish: []string{">"}, Subscribe: []string{">"}},
	})
	if text, err = jetstream.ServerConfig(users); err != nil {
		return "", nil, err
	}
	text = strings.NewReplacer(
		`"0.0.0.0:4222"`, fmt.Sprintf(`"127.0.0.1:%d"`, port),
		`http: "0.0.0.0:8222"`, fmt.Sprintf(`http: "127.0.0.1:%d"`, monitor),
		"max_file_store: 20GB", "max_file_store: "+limit, "max_file: 20GB", "max_file: "+limit,
		`"/data"`, fmt.Sprintf("%q", store),
	).Replace(text)
	for _, u := range users {
		environ = append(environ, u.PasswordVariable()+"="+password(u.Name))
	}
	return text, append(environ, jetstream.KeyVariable+"="+password("key")), nil
}

func password(of string) string { return "secret-of-" + of }
