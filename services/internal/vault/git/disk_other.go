//go:build !linux && !darwin

package git

import (
	"os"

	"golang.org/x/sys/unix"
)

// swapAt says that this system cannot exchange two names.
func swapAt(int, string, int, string) error { return unix.ENOSYS }

// writeOut has no cheaper form here.
func writeOut(file *os.File) error { return barrier(file) }
