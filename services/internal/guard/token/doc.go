// Package token reads the signed tokens of an identity provider (JWT, RFC 7519), for
// installations whose callers have no API keys of Winnow's own (SPEC §14).
//
// It decides whether a token is genuine, meant for this installation and in time, whom it
// names, and what it allows at most. It decides no more: the name must be that of a
// registered principal, and the tenant and the permissions are that principal's. No claim
// names a tenant, and none gives a permission that the principal lacks.
package token
