package git

import (
	"os"

	"golang.org/x/sys/unix"
)

// swapAt exchanges two names in two open folders.
func swapAt(fromDir int, from string, toDir int, to string) error {
	return unix.Renameat2(fromDir, from, toDir, to, unix.RENAME_EXCHANGE)
}

// writeOut writes a file's bytes to the disk without the flush of the disk's
// cache, which makes fsync slow.
func writeOut(file *os.File) error {
	const all = unix.SYNC_FILE_RANGE_WAIT_BEFORE | unix.SYNC_FILE_RANGE_WRITE | unix.SYNC_FILE_RANGE_WAIT_AFTER
	if err := unix.SyncFileRange(int(file.Fd()), 0, 0, all); err != nil {
		return barrier(file) // not every file system supports the call
	}
	return nil
}
