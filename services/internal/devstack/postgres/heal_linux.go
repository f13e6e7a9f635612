package postgres

import (
	"os"
	"path/filepath"
	"strconv"
)

// serversIn lists the processes that work in a data folder. PostgreSQL's
// processes, backends included, make it their working folder, so this finds
// them even when the pid file is stale or its number belongs to someone else by
// now. A zombie has no working folder and does not count.
func serversIn(dataDir string, _ int) ([]int, error) {
	want, err := filepath.EvalSymlinks(dataDir)
	if os.IsNotExist(err) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	links, err := filepath.Glob("/proc/[0-9]*/cwd")
	if err != nil {
		return nil, err
	}
	var pids []int
	for _, link := range links {
		// Unreadable means ended, or another user's process: not this cluster's server.
		if cwd, err := os.Readlink(link); err != nil || cwd != want {
			continue
		}
		pid, err := strconv.Atoi(filepath.Base(filepath.Dir(link)))
		if err == nil && isServer(pid) {
			pids = append(pids, pid)
		}
	}
	return pids, nil
}

// isServer reports whether the process is a server, and not a shell in the folder.
func isServer(pid int) bool {
	exe, err := os.Readlink(filepath.Join("/proc", strconv.Itoa(pid), "exe"))
	return err == nil && filepath.Base(exe) == "postgres"
}
