// Package shell tells a command line from a sentence that talks about one, and reads its
// words. A password flag of a command takes whatever stands behind it; the same words in a
// sentence ("--password reads from a file") say how the flag is used.
package shell
