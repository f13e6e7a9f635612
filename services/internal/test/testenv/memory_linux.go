package testenv

import (
	"os"
	"syscall"
)

// shared is the file system in memory that Linux has for everybody.
const shared = "/dev/shm"

// roomForServers is the free memory, in bytes, from which test servers are kept in it. A
// server takes some 40 MB and a database 10 MB. Containers often have 64 MB in all.
const roomForServers = 4 << 30

// serversFolder returns the folder for the data of test servers: in memory where there is
// room, since making and dropping a database touches a thousand files, which on a disk is
// most of the time of many tests. TMPDIR, when set, decides.
func serversFolder() string {
	var fs syscall.Statfs_t
	if os.Getenv("TMPDIR") != "" || syscall.Statfs(shared, &fs) != nil || fs.Bavail*uint64(fs.Bsize) < roomForServers {
		return os.TempDir()
	}
	return shared
}
