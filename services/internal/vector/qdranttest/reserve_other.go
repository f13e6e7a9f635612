//go:build !linux

package qdranttest

import "testing"

// reserve returns an address of any free port: not every system lets a server
// listen beside a socket that only keeps the port.
func reserve(testing.TB) string { return "127.0.0.1:0" }
