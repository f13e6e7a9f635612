package devstack

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"

	"github.com/nats-io/nats.go"
)

// ServiceUser is the NATS user of Winnow's own processes in an embedded server.
const ServiceUser = "winnow"

// inboxPrefix separates the replies to Winnow's processes from the inboxes that guests may
// subscribe to.
const inboxPrefix = "_INBOX_winnow"

// Credentials is the login of Winnow's processes at an embedded NATS server.
type Credentials struct {
	User     string `json:"user"`
	Password string `json:"password"`
}

// LoadOrCreateCredentials returns the credentials in the file at path. When the file is
// missing it creates a random password for ServiceUser and writes it with mode 0600.
func LoadOrCreateCredentials(path string) (Credentials, error) {
	c, err := LoadCredentials(path)
	if !errors.Is(err, os.ErrNotExist) {
		return c, err
	}
	c = Credentials{User: ServiceUser, Password: newSecret()}
	text, err := json.MarshalIndent(c, "", "  ")
	if err != nil {
		return Credentials{}, fmt.Errorf("keep credentials: %w", err)
	}
	if err := WriteFile(path, append(text, '\n')); err != nil {
		return Credentials{}, fmt.Errorf("keep credentials: %w", err)
	}
	return c, nil
}

// LoadCredentials returns the credentials in the file at path. Errors: os.ErrNotExist,
// ErrExposed.
func LoadCredentials(path string) (Credentials, error) {
	text, err := readSecret(path)
	if err != nil {
		return Credentials{}, fmt.Errorf("load credentials: %w", err)
	}
	var c Credentials
	if err := json.Unmarshal(text, &c); err != nil {
		return Credentials{}, fmt.Errorf("load credentials: %s: %w", path, err)
	}
	if c.User == "" || c.Password == "" {
		return Credentials{}, fmt.Errorf("load credentials: %s names no user or password", path)
	}
	return c, nil
}

// IsZero reports whether there is no login.
func (c Credentials) IsZero() bool { return c == Credentials{} }

// Options returns the client options for the login and an inbox prefix of its own. The zero
// Credentials return none, for servers without users.
func (c Credentials) Options() []nats.Option {
	if c.IsZero() {
		return nil
	}
	return []nats.Option{nats.UserInfo(c.User, c.Password), nats.CustomInboxPrefix(inboxPrefix)}
}

// String hides the password from logs and messages.
func (c Credentials) String() string { return c.User + ":***" }

// GoString hides it from %#v as well.
func (c Credentials) GoString() string { return c.String() }
