// Package fleet lists the workers. It decides nothing else: a worker that is
// not in the list is not provisioned, not part of winnow dev and not a target
// of winnow run, and a test fails.
package fleet
