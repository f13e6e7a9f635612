//go:build unix && !linux

package postgres

import "syscall"

// dieWithParent does nothing here, because the kernel has no such signal. The next
// Start stops the orphan.
func dieWithParent(*syscall.SysProcAttr) {}
