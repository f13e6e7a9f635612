// Package qdranttest is a small server that speaks Qdrant's gRPC protocol, so
// that the real client and our driver run offline, in every test run.
//
// It decides nothing by itself: it does what Qdrant 1.19 does, as read in its
// source, for the requests that the driver makes, exactly and slowly. What it
// does not know it refuses, so a driver cannot come to rely on a kindness of the
// test's. It is strict where Qdrant's strict mode is (no filter on a field
// without an index), and deliberately unhelpful where Qdrant promises nothing:
// equal scores come in an order of chance.
package qdranttest
