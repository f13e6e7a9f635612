package memoryfile

import "time"

// File is a parsed memory file.
type File struct {
	FrontMatter string    // the YAML between the fences at the top, verbatim; usually empty
	Title       string    // the level 1 heading that names the whole file; usually empty
	Headings    []Heading // all of them in order, the title too
	Entries     []Entry   // in order
	Links       []Link    // to other memory files, in order
	Comments    []Comment // HTML comments between entries; those within an entry are part of it
}

// Heading is a line that names the entries below.
type Heading struct {
	Line  int // from 1
	Level int // 1–6; 7 for a line in bold that stands over a list
	Text  string
}

// Entry is one statement of the file.
type Entry struct {
	Line    int    // where it begins, from 1
	Section string // path of headings, such as "Go / Errors"; empty above the first
	Text    string // without its list marker; see [Canonical]
	// ObservedAt is the date that the entry, or a heading above it, is marked
	// with, as in "- (2026-01-31) …". The text keeps the date. Zero without one.
	ObservedAt time.Time
}

// Link points from a memory file to another one.
type Link struct {
	Line   int
	Target string // as written, without its fragment; slashes, relative to the file
	// Alone says that the line has nothing but the link, so that a reader of the target
	// does not need the line. It is still an entry unless Winnow wrote it.
	Alone bool
	// Include says that the target is part of this file, as in "@topics/x.md".
	Include bool
}

// Comment is an HTML comment. It is for people who edit the file and is no memory: text
// that a person commented out is out of use.
type Comment struct {
	Line int
	Text string // without the brackets
}

// Sections returns the sections that have entries, in order of appearance.
func (f File) Sections() []string {
	seen := map[string]bool{}
	var out []string
	for _, e := range f.Entries {
		if !seen[e.Section] {
			seen[e.Section] = true
			out = append(out, e.Section)
		}
	}
	return out
}
