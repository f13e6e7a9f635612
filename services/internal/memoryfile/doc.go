// Package memoryfile decides what a memory file means and how one is written:
// MEMORY.md, CLAUDE.md, AGENTS.md and the topic files beside them.
//
// Reading ([Parse]) cuts a file into entries. A top-level bullet with all that
// is indented under it is one entry, and so is a paragraph, a table or a block
// of code. Headings become the section of what follows, nested ones as a path
// ("Go / Errors"). Nothing is interpreted further: an entry's text is what a
// person wrote, without the list marker. Nothing is lost either: every line
// with a letter in it is in an entry, a heading, a comment or the front matter.
//
// Writing ([Render], [Export]) is the inverse. Every memory becomes one bullet
// whose further lines are indented, so that reading gives back exactly its
// text. The bytes depend on the set of memories alone: not on their order, a
// clock or a map, because they are committed to a repository, where a line that
// moves for no reason is a change that somebody reads.
//
// [Diff] tells what a person changed by hand between two readings.
package memoryfile
