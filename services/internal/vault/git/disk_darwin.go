package git

import (
	"os"

	"golang.org/x/sys/unix"
)

// swapAt exchanges two names in two open folders.
func swapAt(fromDir int, from string, toDir int, to string) error {
	return unix.RenameatxNp(fromDir, from, toDir, to, unix.RENAME_SWAP)
}

// writeOut is a barrier: this system has no cheaper call.
func writeOut(file *os.File) error { return barrier(file) }
