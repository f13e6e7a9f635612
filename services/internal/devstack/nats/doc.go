// Package nats runs a NATS server with JetStream inside this process.
//
// It decides how the embedded server protects data. Every acknowledged message is on
// disk (sync always). Streams are encrypted (ChaCha20-Poly1305, key from the caller).
// A connection from the same machine is not an identity: Winnow's processes log in
// with a password. A client without credentials is the guest, who may watch events
// and publish on the bare intake subjects, which have the default principal. A guest
// cannot claim a principal and cannot change streams or consumers, also not by a
// reply subject: every user except the owner has a separate account without JetStream.
//
// The server listens on loopback, so that the ordinary nats command works. Clients in
// this process use Connect, which needs no socket.
package nats
