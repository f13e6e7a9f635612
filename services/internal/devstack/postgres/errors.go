package postgres

import (
	"errors"
	"fmt"
	"strings"
)

var (
	// ErrNoBinaries means that no usable PostgreSQL is installed.
	ErrNoBinaries = errors.New("no PostgreSQL found on this machine")
	// ErrInUse means that a living process owns the data folder.
	ErrInUse = errors.New("data folder is in use")
	// ErrVersion means that a major version which is not installed wrote the data
	// folder.
	ErrVersion = errors.New("data folder belongs to another PostgreSQL version")
	// ErrUnreachable means that the unprivileged user cannot enter a folder.
	ErrUnreachable = errors.New("folder is closed to the server's user")
	// ErrSocketPath means that the socket's path is longer than the kernel allows.
	ErrSocketPath = errors.New("socket path is too long")
)

// missingError is ErrNoBinaries with the searched places and the remedies.
type missingError struct{ searched []string }

func (e *missingError) Is(target error) bool { return target == ErrNoBinaries }

func (e *missingError) Error() string {
	return fmt.Sprintf(`%v (need %d or newer; looked in %s)

Any one of these helps:

  1. install it:        sudo apt-get install -y postgresql        (macOS: brew install postgresql@17)
  2. point to it:       export WINNOW_PG_BINDIR=/path/to/postgresql/bin
  3. use a running one: winnow dev --postgres-url 'postgres://user:password@localhost:5432/winnow'

With a network, winnow dev fetches PostgreSQL %s by itself, unless told --download-postgres=false.`,
		ErrNoBinaries, oldestMajor, strings.Join(e.searched, ", "), downloadVersion)
}
