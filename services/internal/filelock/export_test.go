package filelock

import "syscall"

// Inherit gives the lock's open file another descriptor, as a fork does.
func Inherit(l *Lock) (fd int, err error) { return syscall.Dup(int(l.file.Fd())) }
