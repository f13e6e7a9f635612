// Package scopes keeps the registry of a tenant's scopes: which team a project belongs
// to, and which organisation a team (D25). What an agent sees from a project follows
// from it.
package scopes
