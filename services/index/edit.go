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

// edit is everything that one commit of a person changed in a scope's files.
type edit struct {
	Commit        string
	At            time.Time
	Before, After []memoryfile.Entry
	// Gone are the entries of files that are no more. Somebody who removes a file
	// says nothing about each of its entries, and may only have moved them.
	Gone []memoryfile.Entry
}

// gather puts edits of single files together by commit. A state of a file that
// nobody can read, such as one with the markers of a merge in it, is left out:
// what comes after is compared with what was before. Where it is the last one,
// the error says what is wrong; the edits before it are still good.
func gather(files []vault.HandEdit) ([]edit, error) {
	var edits []edit
	unread := map[string][]byte{} // what a file said before it became unreadable
	var problem error
	for _, f := range files {
		if before, ok := unread[f.File]; ok {
			f.Before = before
		}
		before, err := memoryfile.Parse(f.Before)
		if err != nil {
			// Nobody has rendered such a file; it stood there from the first.
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

// key names the edit for good, in its scope.
func (e edit) key(scope memory.Scope) string { return e.Commit + "/" + string(scope) }

// changes is what the edit says. What only went to another of the scope's files
// did not change.
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
