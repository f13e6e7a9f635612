// Package demo is the sample week of `winnow demo`: 88 proposals of a small
// company's agents, services and people, what they remember already, and what
// its operators registered.
//
// It is data, written by hand to read like a real week: the same insight seen
// twice, orders to edit the memory file, a port that moved, a web page that
// gives orders, a password in a text. The test says how it sorts.
package demo
