// Package memoryfile reads and writes memory files: MEMORY.md, CLAUDE.md, AGENTS.md and
// the topic files beside them.
//
// Reading ([Parse]) splits a file into entries. A top-level bullet with all that is
// indented under it is one entry, and so is a paragraph, a table or a block of code.
// Headings become the section of the entries below, nested ones as a path ("Go /
// Errors"). An entry's text is what a person wrote, without the list marker. No line
// with a letter in it is lost: it is in an entry, a heading, a comment or the front
// matter.
//
// Writing ([Render], [Export]) is the inverse. Every memory becomes one bullet whose
// further lines are indented, so that reading returns exactly its text. The bytes
// depend on the set of memories alone: not on their order, a clock or a map, because
// they are committed to a repository, where a line that moves without a reason is a
// change that a person has to read.
//
// [Diff] returns what a person changed by hand between two readings.
package memoryfile
