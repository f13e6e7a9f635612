//go:build !linux && !darwin

package git

import "golang.org/x/sys/unix"

// swapAt says that this system cannot exchange two names.
func swapAt(int, string, int, string) error { return unix.ENOSYS }
