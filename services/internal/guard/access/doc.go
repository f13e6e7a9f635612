// Package access finds out who is speaking over HTTP, from the credential alone:
// never from a header, an argument or a payload that anybody can write.
//
// The tenant of a request is that of its principal, so it comes from here too.
package access
