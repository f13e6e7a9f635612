//go:build unix && !linux

package postgres

import "syscall"

// dieWithParent can do nothing here; the next Start stops the orphan.
func dieWithParent(*syscall.SysProcAttr) {}
