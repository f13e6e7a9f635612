// Package testenv gives tests the real parts that they run against: a private
// PostgreSQL, an embedded NATS server, the repository, the shared test data.
//
// It decides what a missing part means. A test that lacks one skips and says
// why, unless WINNOW_REQUIRE lists the capability (postgres, nats, git,
// chromium, …), in which case the skip is a failure: CI sets it, so that a green
// run cannot be an empty one.
//
// Each test process owns one PostgreSQL server, started by the first test that
// asks, without fsync, and gone with the process. Sharing one among all packages
// would save a start of about 0.2 s each and cost a watchdog, shared connection
// limits and tests that fail for what their neighbours do. Within the process a
// test gets a database of its own, cloned from a template that is built once.
//
// Packages call Main from TestMain to stop the server in order and to look for
// leaked goroutines; without it the kernel stops the server (Linux) or the next
// test process does.
package testenv
