package postgres

import (
	"os"
	"path/filepath"
	"strconv"
)

// serversIn lists the server processes of a data folder. The folder is the working
// directory of all PostgreSQL processes, backends included. So serversIn finds them
// also when the pid file is stale or its number belongs to another process. A zombie
// has no working directory and does not count.
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
		// An unreadable link belongs to an ended process or to one of another user,
		// and neither is this cluster's server.
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

// isServer reports whether the process is a PostgreSQL server; a shell may have the
// same working directory.
func isServer(pid int) bool {
	exe, err := os.Readlink(filepath.Join("/proc", strconv.Itoa(pid), "exe"))
	return err == nil && filepath.Base(exe) == "postgres"
}
