// Package demo is the sample week of `winnow demo`: 88 proposals of a small
// company's agents, services and people, what they remember already, and what
// its operators registered.
//
// It is data, written by hand to read like a real week: the same insight seen
// twice, orders to edit the memory file, a port that moved, a web page that
// gives orders, a password in a text. The test says how it sorts.
package demo

import _ "embed" // the files of this folder

var (
	//go:embed week.jsonl
	week string
	//go:embed memories.jsonl
	memories string
	//go:embed registry.yaml
	registry string
)

// Week is one proposal a line, in the order of its days: a ProposalCreated in
// JSON, with the name of its publisher in the additional field "principal".
func Week() string { return week }

// Memories is one existing memory a line: scope, section, kind, origin, text.
func Memories() string { return memories }

// Registry is YAML: retired terms, boot files and principals.
func Registry() string { return registry }
