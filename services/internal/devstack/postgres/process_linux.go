package postgres

import "syscall"

// dieWithParent asks the kernel for a fast shutdown of the child when the
// thread that started it dies, be it by SIGKILL.
func dieWithParent(attr *syscall.SysProcAttr) { attr.Pdeathsig = syscall.SIGINT }
