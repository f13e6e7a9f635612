// Package bus says what Winnow needs from its message transport: pulling events
// from durables, settling them, publishing in order, and keeping what could not
// be handled.
//
// Delivery is at least once and an acknowledgement does not fence: exclusion is
// the store's (SPEC §4). The only driver is package jetstream.
package bus
