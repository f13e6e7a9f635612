// Package recall answers a question from memory: it embeds the question, asks an
// index, reads the rows, and lets package search decide what is relevant.
//
// An answer is given as long as Postgres answers. Where the index cannot be
// reached the rows themselves are searched, and where the model cannot, words
// alone; the answer says so. An empty answer says why it is empty.
package recall
