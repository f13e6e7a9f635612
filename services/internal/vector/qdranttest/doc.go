// Package qdranttest is a small server that speaks Qdrant's gRPC protocol, so
// that the real client and our driver run offline, in every test run.
//
// It does what Qdrant 1.19 does, as read in its source, for the requests that the
// driver makes, exactly and slowly. It refuses requests that it does not know, so that
// a driver cannot rely on leniency of the test server. It is strict where Qdrant's
// strict mode is (no filter on a field without an index), and makes use of the freedom
// where Qdrant promises nothing: equal scores come in random order.
package qdranttest
