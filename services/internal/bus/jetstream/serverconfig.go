package jetstream

import (
	"fmt"
	"strings"

	"github.com/winnowhq/winnow/services/internal/bus/account"
)

// User is one login of the server. Its password is in a variable of the server's
// environment, so that the file holds no secret.
type User struct {
	Name    string
	Summary string // one line for the reader of the file
	Rights
}

// PasswordVariable returns the name of the environment variable with the user's
// password: NATS_PUBLISHER_CI_BOT_PASSWORD for publisher-ci-bot. It has no WINNOW_
// prefix, because no process of Winnow reads it.
func (u User) PasswordVariable() string {
	return "NATS_" + strings.ToUpper(strings.ReplaceAll(u.Name, "-", "_")) + "_PASSWORD"
}

// KeyVariable names the environment variable with the key that encrypts
// streams at rest.
const KeyVariable = "NATS_ENCRYPTION_KEY"

// ServerConfig returns the configuration of a server for the given users. It is an error
// if two users would share a password's variable.
func ServerConfig(users []User) (string, error) {
	userOf := make(map[string]string, len(users))
	logins := make([]account.User, 0, len(users))
	for _, u := range users {
		if other, ok := userOf[u.PasswordVariable()]; ok {
			return "", fmt.Errorf("users %s and %s would both take their password from %s", other, u.Name, u.PasswordVariable())
		}
		userOf[u.PasswordVariable()] = u.Name
		logins = append(logins, account.User{
			Name: u.Name, Summary: u.Summary, Password: "$" + u.PasswordVariable(),
			Admin: u.Admin, Publish: u.Publish, Subscribe: u.Subscribe,
		})
	}
	return serverHead + account.Write("jetstream { max_mem: 64MB, max_file: 20GB, max_streams: 16, max_consumers: 256 }", logins), nil
}

// serverHead is the configuration without the users. Its limits are generous for one
// installation and stop a faulty publisher from filling the server's disk or memory.
const serverHead = `listen: "0.0.0.0:4222"
# Health and figures, for probes and scalers; publish it to nobody else.
http: "0.0.0.0:8222"

server_name: winnow
max_payload: 1MB
max_connections: 1000
# Longer than drain_timeout, so that a server that stops lets workers settle.
lame_duck_duration: "40s"
lame_duck_grace_period: "5s"

jetstream {
  store_dir: "/data"
  # An acknowledged message survives the fall of the machine. The relay
  # publishes in batches of one sync each, so this costs little.
  sync_interval: always
  # Streams hold texts as they were published, before redaction.
  cipher: chachapoly
  key: $` + KeyVariable + `
  max_memory_store: 64MB
  max_file_store: 20GB
}

# A user is one service, one publisher or one gateway. What is not allowed is
# refused. Each has an account of its own, which imports what the user may do and
# no more: a reply subject resolves there, and reaches no stream. Each has an inbox
# of its own, because fetched messages arrive there.
`
