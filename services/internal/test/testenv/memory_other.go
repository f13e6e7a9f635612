//go:build !linux

package testenv

import "os"

// serversFolder returns the folder for the data of test servers.
func serversFolder() string { return os.TempDir() }
