// Package nats runs a NATS server with JetStream inside this process.
//
// It decides what an installation without a NATS of its own still owes its
// data: every acknowledged message is on the disk (sync always), streams are
// encrypted (ChaCha20-Poly1305, key from the caller), and being on the same
// machine is no identity. Our processes log in with a password; whoever
// connects without one is the guest, who may watch events and publish on the
// bare intake subjects, which carry the default principal. A guest can neither
// claim a principal nor touch streams and consumers, also not by a reply subject:
// every user but the owner has an account of its own, without JetStream.
//
// The server listens on loopback so that the ordinary nats command works; our
// own clients in the process use Connect, which needs no socket.
package nats
