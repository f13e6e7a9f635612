package postgres

import (
	"maps"
	"slices"
	"time"

	"go.uber.org/zap"
)

// Options configures a cluster.
type Options struct {
	// DataDir is the cluster's folder; it is made by initdb when it is missing
	// or empty. Required.
	DataDir string
	// SocketDir holds the Unix socket. Empty means a new folder in the
	// temporary folder, removed by Stop. At most about 90 bytes: the kernel
	// takes 107 (103 on macOS) with the socket's own name.
	SocketDir string
	// Ephemeral trades durability for speed (fsync=off, full_page_writes=off,
	// immediate shutdown). The data does not survive a crash of the machine.
	Ephemeral bool
	// Seed, if set, is a folder with a freshly made cluster that is copied
	// instead of running initdb (about 0.15 s instead of 0.5 s). It is made when
	// missing and may be shared by any number of processes. Ephemeral only.
	Seed string
	// Settings are added to, and win over, the defaults of this package.
	Settings map[string]string
	// Download allows fetching PostgreSQL into DownloadDir when none is
	// installed. It needs a network and says what it does through Notice.
	Download bool
	// DownloadDir keeps the fetched programs; default: DataDir + "-programs".
	DownloadDir string
	// DownloadURL is the Maven repository to fetch from; default Maven Central.
	DownloadURL string
	// Notice receives what a person should know meanwhile: a download takes
	// seconds to minutes. Nil means nobody listens.
	Notice func(text string)
	// StartTimeout bounds the wait for the first connection; default five minutes,
	// which leave room for initdb on a busy machine and for recovery after a crash.
	StartTimeout time.Duration
	// Logger receives starts, stops and healing. Nil means none.
	Logger *zap.Logger
}

// withDefaults returns the options with defaults for fields that the caller left empty.
func (o Options) withDefaults() Options {
	if o.Logger == nil {
		o.Logger = zap.NewNop()
	}
	if o.Notice == nil {
		o.Notice = func(string) {}
	}
	if o.StartTimeout == 0 {
		o.StartTimeout = 5 * time.Minute
	}
	if o.DownloadDir == "" {
		o.DownloadDir = o.DataDir + "-programs"
	}
	return o
}

// arguments renders the settings as postgres command-line flags, sorted so that
// two starts with the same options run the same command.
func (o Options) arguments(socketDir string) []string {
	settings := map[string]string{
		"listen_addresses":        "",
		"unix_socket_directories": socketDir,
		"unix_socket_permissions": "0700",
		"timezone":                "UTC",
		// For a laptop: small, but more than the pools of all workers together.
		"shared_buffers":         "64MB",
		"max_connections":        "60",
		"autovacuum_max_workers": "1",
		// No replicas: less WAL, and no processes that wait for them.
		"wal_level":                       "minimal",
		"max_wal_senders":                 "0",
		"max_logical_replication_workers": "0",
		// Our queries are short; compiling them costs more than running them.
		"jit": "off",
		// An acknowledged commit survives a crash of the server, always.
		"synchronous_commit": "on",
		"log_line_prefix":    "%m [%p] ",
		"log_checkpoints":    "off",
		// Errors of statements quote memory texts. The client gets them; the
		// log keeps to the server's own affairs.
		"log_min_messages": "log",
		"log_statement":    "none",
	}
	if o.Ephemeral {
		settings["fsync"] = "off"
		settings["full_page_writes"] = "off"
	}
	maps.Copy(settings, o.Settings)

	var args []string
	for _, name := range slices.Sorted(maps.Keys(settings)) {
		args = append(args, "-c", name+"="+settings[name])
	}
	return args
}
