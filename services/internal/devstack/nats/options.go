package nats

import (
	"errors"

	"go.uber.org/zap"

	"github.com/winnowhq/winnow/services/internal/devstack"
)

var (
	// ErrPortTaken means that another program listens on the wanted port.
	ErrPortTaken = errors.New("port is taken")
	// ErrWrongKey means that the streams on disk were encrypted with another key,
	// or were not encrypted.
	ErrWrongKey = errors.New("streams were written with another key")
	// ErrUnprotected means that a listening server was given no credentials.
	ErrUnprotected = errors.New("a listening server needs credentials")
)

// Options configures a server.
type Options struct {
	// StoreDir keeps the streams. Required; one server at a time.
	StoreDir string
	// Host to listen on; default 127.0.0.1.
	Host string
	// Port to listen on; 0 takes a free one.
	Port int
	// DontListen serves only clients of this process.
	DontListen bool
	// Ephemeral leaves syncing to the operating system and allows a server
	// without credentials. For tests, whose data need not survive.
	Ephemeral bool
	// Key encrypts streams at rest; empty leaves them plain.
	Key string
	// Credentials of the one user who may do everything. With none, anyone may,
	// which only an ephemeral or a silent server is allowed.
	Credentials devstack.Credentials
	// Users are further users, with exactly the permissions that they state.
	// They need Credentials to be set.
	Users []User
	// MaxPayload is the largest message in bytes; 0 means the server's 1 MB.
	MaxPayload int32
	// Logger receives the server's notices and errors. Nil means none.
	Logger *zap.Logger
}

// User may publish and subscribe to the listed subjects and nothing else.
type User struct {
	Name, Password     string
	Publish, Subscribe []string
}

// GuestUser is the user of clients that connect without credentials.
const GuestUser = "guest"

// guest may do what a bystander with the nats command needs, in an account of its
// own like every user but the owner. Exact subjects: an
// added token would be a claim to be somebody. Replies to our processes go to
// an inbox prefix of their own and are not covered.
func guest(password string) User {
	return User{
		Name:      GuestUser,
		Password:  password,
		Publish:   []string{"session.completed", "memory.proposal.created", "memory.digest.reply"},
		Subscribe: []string{"memory.>", "session.>", "_INBOX.>"},
	}
}
