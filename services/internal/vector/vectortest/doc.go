// Package vectortest holds every driver of the vector index to the contract that
// package vector writes in prose.
//
// It decides by an oracle: a few dozen lines that do the obvious thing slowly. A
// driver that agrees with the oracle agrees with every other driver.
package vectortest
