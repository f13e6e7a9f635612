// Package vectortest checks drivers of the vector index against the contract of package
// vector.
//
// It compares with an oracle: a few dozen lines that do the obvious thing slowly. A
// driver that agrees with the oracle agrees with every other driver.
package vectortest
