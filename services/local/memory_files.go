package local

import (
	"errors"
	"fmt"
	"io/fs"
	"path"
	"strings"

	"github.com/winnowhq/winnow/services/internal/memory"
	"github.com/winnowhq/winnow/services/internal/memoryfile"
)

const (
	// MaxMemoryFile is the largest memory file that is read, in bytes.
	MaxMemoryFile = memoryfile.MaxBytes
	// maxLinked is how many files one import follows links to.
	maxLinked = 200
)

// The links of a memory file that an import follows.
const (
	FollowTopics = "topics" // those of an index to its topic files, and @includes
	FollowAll    = "all"    // every relative link to a Markdown file
	FollowNone   = "none"
)

// The ordinary reasons why a link of a file is not followed.
const (
	LinkRead     = "read already"
	LinkDocument = "a document and no topic file; name it to import it, or --follow all"
)

// Source is a file that a person named.
type Source struct {
	Name string // as named, with slashes
	Data []byte
	// Open reads a file that is linked to, by its path with slashes relative to
	// the folder of this one. It must not leave that folder, not even by a
	// symbolic link. nil follows nothing.
	Open func(name string) ([]byte, error)
}

// Reading is the content of memory files, before anything is stored.
type Reading struct {
	Files []ReadFile `json:"files"`
	Links []ReadLink `json:"links,omitempty"`

	entries []ReadEntry
}

// ReadFile is one file that was read.
type ReadFile struct {
	Name        string `json:"name"`
	Entries     int    `json:"entries"`
	Comments    int    `json:"comments,omitempty"`     // HTML comments: no memories, they stay in the file
	FrontMatter bool   `json:"front_matter,omitempty"` // it has some, which is no memory either
	Linked      bool   `json:"linked,omitempty"`       // reached by a link, not named
}

// ReadLink is a link to another memory file.
type ReadLink struct {
	File     string `json:"file"`
	Line     int    `json:"line"`
	Target   string `json:"target"`
	Followed bool   `json:"followed"`
	Reason   string `json:"reason,omitempty"` // why the link was not followed
	Broken   bool   `json:"broken,omitempty"` // the file exists and cannot be read as a memory file
}

// Entries returns how many entries the files have together.
func (r *Reading) Entries() int { return len(r.entries) }

// List returns the entries, in the order of the files and of their lines. The
// caller must not change it.
func (r *Reading) List() []ReadEntry { return r.entries }

// ReadEntry is an entry and the file in which it stands.
type ReadEntry struct {
	memoryfile.Entry
	File string
}

// ReadFiles reads memory files and the topic files that they link to. A named
// file that cannot be read is an error in one line with the remedy; a linked one
// is reported in its link. Every file is read once, so links may form a circle,
// and none outside the folder of the file that was named.
func ReadFiles(sources []Source, follow string) (*Reading, error) {
	switch follow {
	case FollowTopics, FollowAll, FollowNone:
	default:
		return nil, fmt.Errorf("follow %q: want %s, %s or %s", follow, FollowTopics, FollowAll, FollowNone)
	}
	r := reader{follow: follow, seen: map[string]bool{}}
	for _, s := range sources {
		// A file that is named twice, or by a link of an earlier one, is read once.
		if r.seen[path.Clean(s.Name)] {
			continue
		}
		if err := r.source(s); err != nil {
			return nil, err
		}
	}
	return &r.Reading, nil
}

type reader struct {
	Reading
	follow string
	seen   map[string]bool // names of files
	linked int
}

// textFile is a file that has been read, with its path below the folder of the
// source that led to it.
type textFile struct {
	name, below string
	file        memoryfile.File
	index       bool // its links lead to topic files
}

// source reads a named file and, breadth first, the files that it links to.
func (r *reader) source(s Source) error {
	file, err := readPage(s.Name, s.Data)
	if err != nil {
		return err
	}
	r.seen[path.Clean(s.Name)] = true
	below := path.Base(s.Name)
	index := strings.Contains(strings.ToLower(below), "memory")
	todo := []textFile{{name: s.Name, below: below, file: file, index: index}}
	for n := 0; n < len(todo); n++ {
		p := todo[n]
		opened := map[int]bool{}
		for _, l := range p.file.Links {
			link := ReadLink{File: p.name, Line: l.Line, Target: l.Target}
			next, err := r.open(s, p, l)
			switch {
			case err != nil:
				link.Reason, link.Broken = err.Error(), errors.As(err, new(*memoryfile.Problem))
			default:
				link.Followed = true
				opened[l.Line] = true
				todo = append(todo, next)
			}
			r.Links = append(r.Links, link)
		}
		r.store(p, opened, n > 0)
	}
	return nil
}

// open reads the target of a link; the error says in words why it does not.
func (r *reader) open(s Source, from textFile, l memoryfile.Link) (textFile, error) {
	below := path.Join(path.Dir(from.below), l.Target)
	name := path.Join(path.Dir(s.Name), below)
	switch {
	case r.follow == FollowNone || s.Open == nil:
		return textFile{}, errors.New("links are not followed")
	case path.IsAbs(l.Target) || !fs.ValidPath(below):
		return textFile{}, errors.New("it leads out of the folder of " + s.Name)
	case r.seen[name]:
		return textFile{}, errors.New(LinkRead)
	case r.follow == FollowTopics && !from.index && !l.Include:
		return textFile{}, errors.New(LinkDocument)
	case r.linked == maxLinked:
		return textFile{}, fmt.Errorf("%d linked files were read; name the others", maxLinked)
	}
	r.seen[name] = true
	data, err := s.Open(below)
	if err != nil {
		return textFile{}, fmt.Errorf("cannot read it: %w", cause(err))
	}
	file, err := readPage(name, data)
	if err != nil {
		return textFile{}, err
	}
	r.linked++
	return textFile{name: name, below: below, file: file, index: true}, nil
}

// cause returns what is wrong with a file, without its name.
func cause(err error) error {
	var p *fs.PathError
	if errors.As(err, &p) {
		return p.Err
	}
	return err
}

// store adds the entries of a page. A line that is only a link to a file that
// was read is no entry.
func (r *reader) store(p textFile, opened map[int]bool, linked bool) {
	only := map[int]bool{}
	for _, l := range p.file.Links {
		only[l.Line] = only[l.Line] || l.Alone && opened[l.Line]
	}
	n := 0
	for _, e := range p.file.Entries {
		if only[e.Line] {
			continue
		}
		r.entries = append(r.entries, ReadEntry{e, p.name})
		n++
	}
	r.Files = append(r.Files, ReadFile{
		Name: p.name, Entries: n, Comments: len(p.file.Comments), FrontMatter: p.file.FrontMatter != "", Linked: linked,
	})
}

// readPage parses a file and checks that its entries are no longer than a
// memory.
func readPage(name string, data []byte) (memoryfile.File, error) {
	file, err := memoryfile.Parse(data)
	if err != nil {
		return memoryfile.File{}, fmt.Errorf("%s: %w", name, err)
	}
	for _, e := range file.Entries {
		if len(e.Text) > memory.MaxText {
			return memoryfile.File{}, fmt.Errorf("%s: %w", name, &memoryfile.Problem{
				Line: e.Line, What: fmt.Sprintf("an entry of %d KiB, at most %d", (len(e.Text)+1023)>>10, memory.MaxText>>10),
				Remedy: "split it into the things that it says",
			})
		}
	}
	return file, nil
}
