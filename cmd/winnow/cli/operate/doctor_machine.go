package operate

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"maps"
	"net"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"

	"github.com/winnowhq/winnow/cmd/winnow/cli/command"
	"github.com/winnowhq/winnow/cmd/winnow/cli/develop"
	"github.com/winnowhq/winnow/services/local"
	"github.com/winnowhq/winnow/services/run"
)

// Free space of the disk with the state, in bytes.
const (
	littleSpace = 2 << 30
	noSpace     = 200 << 20
)

// secretFiles are files of the state folder that hold passwords or keys.
var secretFiles = []string{"dev.json", "nats.json", "gateway.url", "jetstream.key", "files/redact.key"}

// examineMachine looks at what belongs to this person and this machine.
func examineMachine(ctx context.Context, cfg run.Config, x *examination) {
	dir, _, err := run.DevData(cfg)
	if err != nil {
		x.failed("state folder", "set WINNOW_STATE_DIR", err)
	} else {
		examineDisk(dir, x)
		examineSecrets(dir, x)
	}
	if _, _, err := run.Locate(cfg); errors.Is(err, run.ErrNoInstance) {
		examineStart(ctx, x)
	}
	examineAgents(ctx, x)
	examineHooks(x)
}

func examineDisk(dir string, x *examination) {
	at := dir
	for { // the folder may not be there yet
		if _, err := os.Stat(at); err == nil || at == filepath.Dir(at) {
			break
		}
		at = filepath.Dir(at)
	}
	free, err := freeSpace(at)
	fix := "make room, or move the data: winnow dev --state-dir=FOLDER"
	switch {
	case err != nil:
		x.note("disk", "df -h "+at, "free space of %s: %v", at, err)
	case free < noSpace:
		x.problem(run.ExitFailure, "disk", fix, "%s is left for %s", command.Size(free), dir)
	case free < littleSpace:
		x.note("disk", fix, "%s is left for %s", command.Size(free), dir)
	default:
		x.ok("disk", "%s free for %s", command.Size(free), dir)
	}
}

func examineSecrets(dir string, x *examination) {
	var open []string
	for _, name := range secretFiles {
		path := filepath.Join(dir, filepath.FromSlash(name))
		if info, err := os.Stat(path); err == nil && info.Mode().Perm()&0o077 != 0 {
			open = append(open, path)
		}
	}
	if len(open) > 0 {
		x.problem(run.ExitFailure, "secrets", "chmod 600 "+strings.Join(open, " "), "other users of this machine can read %s", some(open))
		return
	}
	x.ok("secrets", "only you can read the files with keys")
}

// examineStart looks at what winnow dev would need: PostgreSQL and its two ports.
func examineStart(ctx context.Context, x *examination) {
	dir, major, err := run.InstalledPostgres(ctx)
	if err != nil {
		x.note("start", "winnow dev     # downloads it once", "no PostgreSQL is installed")
	} else {
		x.ok("start", "PostgreSQL %d in %s", major, dir)
	}
	ports := map[string]int{"--port": run.DevHTTPPort, "--nats-port": run.DevNATSPort}
	for _, flag := range slices.Sorted(maps.Keys(ports)) {
		port := ports[flag]
		l, err := new(net.ListenConfig).Listen(ctx, "tcp", fmt.Sprint("127.0.0.1:", port))
		if err != nil {
			x.problem(run.ExitDependency, "ports", "winnow dev "+flag+"=0", "another program has port %d", port)
			continue
		}
		_ = l.Close()
		x.ok("ports", "%d is free", port)
	}
}

// examineAgents starts what each agent of this person would start, as winnow mcp check does.
func examineAgents(ctx context.Context, x *examination) {
	checked := develop.CheckAgents(ctx)
	for _, c := range checked {
		if c.Problem != "" {
			x.problem(run.ExitFailure, "agent "+c.Client, c.Fix, "%s: %s", c.File, c.Problem)
			continue
		}
		x.ok("agent "+c.Client, "%s from %s", command.Plural(c.Tools, "tool"), c.File)
	}
	if len(checked) == 0 {
		x.note("agents", "winnow mcp install claude", "no agent starts Winnow")
	}
}

// examineHooks looks whether the programs that hooks call are there. A hook fails silently.
func examineHooks(x *examination) {
	home, err := local.FindHome()
	if err != nil {
		x.failed("hooks", "set HOME", err)
		return
	}
	file := home.SettingsFile()
	programs, err := local.CheckHooks(file)
	switch {
	case err != nil:
		x.failed("hooks", "correct the file, then winnow adopt --write", err)
		return
	case len(programs) == 0:
		if _, err := os.Stat(filepath.Dir(file)); !errors.Is(err, fs.ErrNotExist) {
			x.note("hooks", "winnow adopt --write", "Claude Code is here, and its sessions are not read")
		}
		return
	}
	for _, event := range slices.Sorted(maps.Keys(programs)) {
		if _, err := exec.LookPath(programs[event]); err != nil {
			x.problem(run.ExitFailure, "hooks", "winnow adopt --write, after the old entry is out of "+file, "%s calls %s, which is not there", event, programs[event])
			continue
		}
		x.ok("hooks", "%s calls %s", event, programs[event])
	}
}
