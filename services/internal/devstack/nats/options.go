package nats

import (
	"errors"

	"go.uber.org/zap"

	"github.com/winnowhq/winnow/services/internal/devstack"
)

var (
	// ErrPortTaken means that another program listens on the port.
	ErrPortTaken = errors.New("port is taken")
	// ErrWrongKey means that the streams on disk are encrypted with another key, or
	// are not encrypted.
	ErrWrongKey = errors.New("streams were written with another key")
	// ErrUnprotected means that a listening server has no credentials.
	ErrUnprotected = errors.New("a listening server needs credentials")
)

// Options configures a server.
type Options struct {
	// StoreDir stores the streams. Required; one server at a time may use it.
	StoreDir string
	// Host is the address to listen on; default 127.0.0.1.
	Host string
	// Port is the port to listen on; 0 selects a free one.
	Port int
	// DontListen restricts the server to clients of this process.
	DontListen bool
	// Ephemeral leaves syncing to the operating system and permits a server without
	// credentials. It is for tests, whose data need not survive.
	Ephemeral bool
	// Key encrypts streams at rest; empty stores them unencrypted.
	Key string
	// Credentials is the login of the one user with all permissions. Without it every
	// client has them, which is permitted only with Ephemeral or DontListen.
	Credentials devstack.Credentials
	// Users are additional users, each with exactly the listed permissions. They
	// require Credentials.
	Users []User
	// MaxPayload is the largest message in bytes; 0 means the server's default of 1
	// MB.
	MaxPayload int32
	// Logger receives the server's notices and errors. Nil disables logging.
	Logger *zap.Logger
}

// User may publish on and subscribe to the listed subjects and no others.
type User struct {
	Name, Password     string
	Publish, Subscribe []string
}

// GuestUser is the user of clients that connect without credentials.
const GuestUser = "guest"

// guest returns the user of clients without credentials, with its own account like
// every user except the owner. It may publish on the bare intake subjects and
// subscribe to events. The publish subjects are exact, because an additional token
// would claim a principal. Replies to Winnow's processes use another inbox prefix,
// which the guest cannot read.
func guest(password string) User {
	return User{
		Name:      GuestUser,
		Password:  password,
		Publish:   []string{"session.completed", "memory.proposal.created", "memory.digest.reply"},
		Subscribe: []string{"memory.>", "session.>", "_INBOX.>"},
	}
}
