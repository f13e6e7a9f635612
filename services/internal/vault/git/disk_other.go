//go:build !linux && !darwin

package git

import (
	"os"

	"golang.org/x/sys/unix"
)

// swapAt returns ENOSYS: this system cannot exchange two names.
func swapAt(int, string, int, string) error { return unix.ENOSYS }

// writeOut is a barrier: this system has no cheaper call.
func writeOut(file *os.File) error { return barrier(file) }
