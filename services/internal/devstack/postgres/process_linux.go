package postgres

import "syscall"

// dieWithParent requests a fast shutdown of the child when the thread that started it
// ends, also by SIGKILL.
func dieWithParent(attr *syscall.SysProcAttr) { attr.Pdeathsig = syscall.SIGINT }
