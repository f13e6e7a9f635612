// Package rest adds the operations of people and services to the HTTP contract: what is
// stored and why, credentials, and the words of the two intakes, which package ingest
// serves.
//
// It decides what of a row a caller sees, and in which pages. What an operation does is
// package ops', the same as for the command line; the tenant and the person are those of
// the credential.
package rest
