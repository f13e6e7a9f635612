package postgres

import (
	"maps"
	"slices"
	"time"

	"go.uber.org/zap"
)

// Options configures a cluster.
type Options struct {
	// DataDir is the cluster's folder. initdb creates it when it is missing or empty.
	// Required.
	DataDir string
	// SocketDir contains the Unix socket. Empty means a new folder in the temporary
	// folder, which Stop removes. It has at most 84 bytes, because the kernel limits
	// the whole path of the socket to 107 bytes (103 on macOS).
	SocketDir string
	// Ephemeral disables durability for speed: fsync=off, full_page_writes=off,
	// immediate shutdown. The data does not survive a crash of the machine.
	Ephemeral bool
	// Seed names a folder with a new cluster that is copied instead of running initdb
	// (about 0.15 s instead of 0.5 s). It is created when missing, and any number of
	// processes may share it. It has an effect only with Ephemeral.
	Seed string
	// Settings are server settings that are added to the defaults of this package and
	// override them.
	Settings map[string]string
	// Download permits a download of PostgreSQL into DownloadDir when none is
	// installed. Notice receives a message before the download starts.
	Download bool
	// DownloadDir stores the downloaded programs; default: DataDir + "-programs".
	DownloadDir string
	// DownloadURL is the Maven repository for downloads; default Maven Central.
	DownloadURL string
	// Notice receives messages for a person during the start, because a download
	// takes seconds to minutes. Nil discards them.
	Notice func(text string)
	// StartTimeout bounds the wait for the first connection; default five minutes,
	// enough for initdb on a busy machine and for crash recovery.
	StartTimeout time.Duration
	// Logger receives starts, stops and repairs. Nil disables logging.
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

// arguments returns the settings as postgres command-line flags, sorted, so that
// equal options give equal commands.
func (o Options) arguments(socketDir string) []string {
	settings := map[string]string{
		"listen_addresses":        "",
		"unix_socket_directories": socketDir,
		"unix_socket_permissions": "0700",
		"timezone":                "UTC",
		// Small enough for a laptop; max_connections is above the sum of all workers'
		// pools.
		"shared_buffers":         "64MB",
		"max_connections":        "60",
		"autovacuum_max_workers": "1",
		// There are no replicas, so less WAL is written and no replication process
		// runs.
		"wal_level":                       "minimal",
		"max_wal_senders":                 "0",
		"max_logical_replication_workers": "0",
		// Compiling a short query costs more than running it.
		"jit": "off",
		// An acknowledged commit always survives a crash of the server.
		"synchronous_commit": "on",
		"log_line_prefix":    "%m [%p] ",
		"log_checkpoints":    "off",
		// Messages about failed statements quote memory texts. They go to the client
		// and not to the log.
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
