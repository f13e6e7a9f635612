// Package run wires and runs every process of Winnow: it reads settings, opens the
// drivers, passes ports to workers, serves health and metrics, and shuts down in order.
//
// It is the only package that selects the driver of a port. It imports no worker: the
// caller passes the definitions ([Fleet]). One function builds a process of one worker
// and a process of all workers ([StartDev]) from the same constructors.
//
// It decides how a process ends. After the first SIGTERM or interrupt the process is not
// ready, fetches nothing and finishes its work in progress within drain_timeout. Events
// that are not finished by then are redelivered to another process. The second signal
// ends the process at once. The exit code names the kind of error: see [ExitCode].
package run
