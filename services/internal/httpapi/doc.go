// Package httpapi is what the HTTP endpoints of all workers share.
//
// It decides who may enter: the credential, the permission of the operation, pages of
// other sites, and how many requests of one principal are answered at once. It decides
// how an error looks (RFC 9457), whether a repeated request is answered again, and how
// the contract is described (OpenAPI 3.1). What an operation does is its package's.
package httpapi
