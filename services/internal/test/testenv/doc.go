// Package testenv gives tests the real parts that they run against: a private
// PostgreSQL, an embedded NATS server, the repository, the shared test data.
//
// It decides how a missing part is reported. A test that lacks one skips and says
// why, unless WINNOW_REQUIRE lists the capability (postgres, nats, git, chromium, …):
// then the test fails. CI sets it, so that a green run cannot be an empty one.
//
// Each test process owns one PostgreSQL server without fsync. The first test that
// needs it starts it, and it ends with the process. Sharing one server among all
// packages would save about 0.2 s each. It would cost a watchdog, shared connection
// limits, and tests that fail because of other packages. Within the process each test
// gets a database of its own, cloned from a template that is built once.
//
// Packages call Main from TestMain to stop the server in order and to look for leaked
// goroutines. Without it the kernel stops the server (Linux), or the next test
// process does.
package testenv
