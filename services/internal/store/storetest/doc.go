// Package storetest checks a driver of package store against the port's contracts.
//
// The suite consists of ordinary functions over the port. A driver has tests of
// its own for properties that the port does not show (catalog, grants, tampering).
// A test of a requirement names the requirement.
package storetest
