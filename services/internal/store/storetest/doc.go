// Package storetest holds a driver of package store to its contract.
//
// The suite is made of ordinary functions over the port: what it cannot see
// through the port (catalog, grants, tampering) a driver tests itself. A test
// that mentions a promise or a requirement names it.
package storetest
