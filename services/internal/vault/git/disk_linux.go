package git

import (
	"os"

	"golang.org/x/sys/unix"
)

// swapAt exchanges two names in two open folders.
func swapAt(fromDir int, from string, toDir int, to string) error {
	return unix.Renameat2(fromDir, from, toDir, to, unix.RENAME_EXCHANGE)
}

// writeOut starts and awaits the writing of a file's bytes, without the flush of
// the disk's own cache that makes fsync slow.
func writeOut(file *os.File) error {
	const all = unix.SYNC_FILE_RANGE_WAIT_BEFORE | unix.SYNC_FILE_RANGE_WRITE | unix.SYNC_FILE_RANGE_WAIT_AFTER
	if err := unix.SyncFileRange(int(file.Fd()), 0, 0, all); err != nil {
		return barrier(file) // not every file system has it
	}
	return nil
}
