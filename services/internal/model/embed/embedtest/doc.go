// Package embedtest holds embedders to their contract and gives those that
// speak HTTP a server to speak to.
//
// The server is real HTTP on a loopback port and answers as scripted: well, too
// slowly, with a wrong dimension, with NaN, with half an answer. What it embeds
// is a hash of the words, which is enough for order, length and identity.
package embedtest
