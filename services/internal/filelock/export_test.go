package filelock

import "syscall"

// Inherit duplicates the descriptor of the lock's open file, as a fork does.
func Inherit(l *Lock) (fd int, err error) { return syscall.Dup(int(l.file.Fd())) }
