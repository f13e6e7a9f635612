// Package filelock implements exclusive ownership of a folder on one machine.
//
// A lock is an advisory flock on a file. The kernel releases the lock when its
// holder dies in any way, so a lock is never stale and never needs manual
// removal. The file contains the holder's process id, which is used for messages
// only.
//
// flock works between processes of one machine. On a network file system flock
// may not exclude, which is one reason why state folders belong on local disks.
package filelock
