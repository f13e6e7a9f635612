// Package review holds the commands that the help lists under Review: decide what
// needs a person, answer a digest, and look at memories, sessions and the reasons
// for a verdict.
//
// It decides which keys and words are answers and how items look; what an answer
// changes is decided in package ops.
package review
