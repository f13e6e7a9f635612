// Package bus declares the port to Winnow's message transport: pulling events from
// durables, settling them, publishing in order, and storing dead letters.
//
// Delivery is at least once, and an acknowledgement does not fence: the store
// provides exclusion (SPEC §4). The only driver is package jetstream.
package bus
