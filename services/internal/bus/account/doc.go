// Package account writes the accounts of a NATS server's configuration: the users,
// their permissions, and the imports between accounts. It writes both the shipped
// configuration and that of the embedded server, so that a test of one holds for the
// other.
//
// The package decides one thing: JetStream has an account of its own, and only users
// who administer streams log in there. Every other user has an account of its own. It
// imports, as services, exactly the subjects that the user may publish on and, as
// streams, those that the user may subscribe to. The reason: JetStream answers a
// request on the reply subject that the request names, with the rights of the server.
// In the account of JetStream that answer could itself be a request: an empty one
// deletes a stream. In the user's own account a reply subject reaches only subjects
// that the user may use anyway (ADR 15).
package account
