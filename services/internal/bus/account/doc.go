// Package account writes the accounts of a NATS server: who logs in, what each
// user may do, and what an account imports from another. The shipped
// configuration and the embedded server are written by it, so that what a test
// shows about one holds for the other.
//
// It decides one thing: JetStream lives in an account of its own, and only users
// who administer streams log in there. Every other user has an account of its
// own, which imports exactly the subjects that the user may publish on, as
// services, and those that it may subscribe to, as streams. The reason is that
// JetStream answers a request on the reply subject that the request names, with
// the rights of the server. In the account of JetStream such an answer would be a
// request itself: an empty one deletes a stream. In an account of the user's own
// a reply subject reaches what the user could reach anyway (ADR 15).
package account
