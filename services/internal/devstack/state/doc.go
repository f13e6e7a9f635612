// Package state manages the folder of a standalone installation (winnow dev).
//
// It decides where the folder is, which process may use it, how other commands find the
// instance that runs in it, and what a reset removes. winnow dev stores everything in this
// one folder, under names that this package knows, so that a reset of a mistyped path
// removes nothing else.
//
// Layout:
//
//	lock               held by the running instance; survives a reset
//	dev.json           where the running instance listens (mode 0600)
//	nats.json          the service user's password (mode 0600)
//	gateway.url        where and as whom a chat gateway logs in (mode 0600)
//	jetstream.key      what the streams are encrypted with (mode 0600)
//	nats/              the streams
//	postgres/          the cluster; postgres.lock and postgres-programs/ beside it
//	files/             whatever the instance's parts keep
package state
