// Package demo contains the sample week of `winnow demo`: 88 proposals of a
// small company's agents, services and people, the company's earlier memories,
// and its registry.
//
// The data is written by hand to resemble a real week: the same insight seen
// twice, orders to edit the memory file, a port that moved, a web page that
// gives orders, a password in a text. A test checks the verdicts.
package demo
