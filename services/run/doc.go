// Package run is the shell of every process of Winnow: it reads settings, opens
// the drivers, hands workers their ports, serves health and metrics, and ends
// in order.
//
// It is the only package that knows which driver stands behind a port, and it
// knows no worker: which ones run is the caller's argument ([Fleet]). A process
// of one worker and a process of all of them ([StartDev]) are built by the same
// function from the same constructors.
//
// It decides how a process ends. The first SIGTERM or interrupt makes it not
// ready, stops fetching and finishes what is in hand within drain_timeout; what
// is not finished then comes again elsewhere. The second signal ends it at
// once. The exit code says what was wrong: see [ExitCode].
package run
