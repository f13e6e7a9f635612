// Package fleet lists the workers and decides nothing else. A worker outside the list
// is not provisioned, is not part of winnow dev and is no target of winnow run; a test
// finds it.
package fleet
