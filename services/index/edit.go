package index

import (
	"cmp"
	"fmt"
	"time"

	"github.com/winnowhq/winnow/services/internal/memory"
	"github.com/winnowhq/winnow/services/internal/memoryfile"
	"github.com/winnowhq/winnow/services/internal/memoryfile/projection"
	"github.com/winnowhq/winnow/services/internal/vault"
)

// edit holds the changes of one person's commit to a scope's files.
type edit struct {
	Commit        string
	At            time.Time
	Before, After []memoryfile.Entry
	// Gone holds the entries of removed files. A removed file does not remove its
	// entries: the person may only have moved them.
	Gone []memoryfile.Entry
}

// gather groups the edits of single files by commit. It skips a version of a file that
// cannot be parsed, such as one with merge markers, and compares the next version with
// the one before. When the last version cannot be parsed, gather returns an error beside
// the earlier edits, which are valid.
func gather(files []vault.HandEdit) ([]edit, error) {
	var edits []edit
	unread := map[string][]byte{} // the last version before an unreadable one, by file
	var problem error
	for _, f := range files {
		if before, ok := unread[f.File]; ok {
			f.Before = before
		}
		before, err := memoryfile.Parse(f.Before)
		if err != nil {
			// The projector never renders an unreadable file, so this is the first version.
			before = memoryfile.File{}
		}
		after, err := projection.ReadHand(before, f.After)
		if err = cmp.Or(f.Err, err); err != nil {
			unread[f.File], problem = f.Before, fmt.Errorf("%s: %w", f.File, err)
			continue
		}
		delete(unread, f.File)
		if n := len(edits); n == 0 || edits[n-1].Commit != f.Commit {
			edits = append(edits, edit{Commit: f.Commit, At: f.At})
		}
		e := &edits[len(edits)-1]
		e.Before = append(e.Before, before.Entries...)
		e.After = append(e.After, after.Entries...)
		if f.After == nil {
			e.Gone = append(e.Gone, before.Entries...)
		}
	}
	if len(unread) == 0 {
		problem = nil
	}
	return edits, problem
}

// key returns the edit's permanent key in the inbox.
func (e edit) key(scope memory.Scope) string { return e.Commit + "/" + string(scope) }

// changes returns the changed entries of the edit. An entry that only moved to another
// file of the scope is unchanged.
func (e edit) changes() memoryfile.Changes {
	c := memoryfile.Diff(memoryfile.File{Entries: e.Before}, memoryfile.File{Entries: e.After})
	gone := map[[2]string]int{}
	for _, entry := range e.Gone {
		gone[[2]string{entry.Section, entry.Text}]++
	}
	var removed []memoryfile.Entry
	for _, entry := range c.Removed {
		k := [2]string{entry.Section, entry.Text}
		if gone[k] > 0 {
			gone[k]--
			continue
		}
		removed = append(removed, entry)
	}
	c.Removed = removed
	return c
}
