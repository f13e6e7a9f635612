// Package access determines the sender of an HTTP request from the credential
// alone: never from a header, an argument or a payload, which any client can
// set.
//
// The tenant of a request is its principal's tenant, so package access
// determines it too.
package access
