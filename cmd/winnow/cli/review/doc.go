// Package review contains the commands of the help's group Review: decide the
// open questions, answer a digest, and show memories, sessions and the reasons
// for a verdict.
//
// The package decides which keys and words are answers and the form of items.
// Package ops decides what an answer changes.
package review
