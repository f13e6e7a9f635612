// Package filelock decides who owns a folder on this machine.
//
// A lock is an advisory flock on a file: the kernel drops it when its holder
// dies, however it dies, so a lock never goes stale and never needs a person
// to remove it. The file's content, the holder's process id, is for messages
// only and decides nothing.
//
// flock works between processes of one machine. On a network file system it
// may not exclude, which is one reason why state folders belong on local disks.
package filelock
