// Package recall answers a question from memory: it embeds the question, asks an
// index, reads the rows, and lets package search decide what is relevant.
//
// An answer needs only Postgres. Without the index the rows themselves are searched,
// and without the embedding model words alone are compared; the answer's notes say so.
// An empty answer says why it is empty.
package recall
