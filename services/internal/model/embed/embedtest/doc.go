// Package embedtest checks embedders against their contract and provides a server for
// HTTP clients.
//
// The server is real HTTP on a loopback port and answers as scripted: correctly, too
// slowly, with a wrong dimension, with NaN, with half an answer. Its vectors are hashes
// of the words, which is enough for order, length and identity.
package embedtest
