package recall

import (
	"slices"
	"sync"

	"github.com/winnowhq/winnow/services/internal/embed"
	"github.com/winnowhq/winnow/services/internal/memory"
	"github.com/winnowhq/winnow/services/internal/search"
)

// keptBytes bounds the rows that a process remembers: forty thousand of a
// kilobyte.
const keptBytes = 40 << 20

// kept is an active memory as a search reads it. It is shared and never changed.
type kept struct {
	memory.Memory
	row     search.Row
	passage string // what the matcher and the reranker read
	beside  []beside
}

func keep(m *memory.Memory) *kept {
	return &kept{Memory: *m, row: search.RowOf(m, slices.Contains(m.Tags, tagConsolidated)), passage: embed.Text(*m)}
}

// bytes estimates the memory held. A passage mostly shares the text.
func (k *kept) bytes() int {
	const fixed = 900 // the structs, the map's entry, the short fields
	n := fixed + len(k.Text) + len(k.Title) + len(k.Description)
	for _, tag := range k.Tags {
		n += len(tag)
	}
	for _, b := range k.beside {
		n += 80 + len(b.passage)
	}
	return n
}

// name is what a row is remembered by. The version is that of the document that
// was found: a memory that changed is another document, so its old row is not
// found any more. Only versions that an index vouches for may be asked with.
type name struct {
	tenant  memory.Tenant
	id      string
	version int64
}

// rows remembers the rows that searches read. Rows in use stay: what was asked
// for since the younger half was begun is in it, and the older half is forgotten
// whole when the younger is full. The zero value is ready; it is safe for
// concurrent use.
type rows struct {
	mu           sync.Mutex
	young, old   map[name]*kept
	bytes, limit int // of the young; a limit of 0 is keptBytes
}

// known returns the rows remembered, nil for each that is not.
func (r *rows) known(names []name) []*kept {
	found := make([]*kept, len(names))
	r.mu.Lock()
	defer r.mu.Unlock()
	for i, n := range names {
		if found[i] = r.young[n]; found[i] != nil {
			continue
		}
		if found[i] = r.old[n]; found[i] != nil {
			r.add(n, found[i])
		}
	}
	return found
}

// remember keeps rows under the names that they were looked for by.
func (r *rows) remember(fresh map[name]*kept) {
	if len(fresh) == 0 {
		return
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	for n, row := range fresh {
		if r.young[n] == nil {
			r.add(n, row)
		}
	}
}

// add puts a row into the younger half. The caller holds the lock.
func (r *rows) add(n name, row *kept) {
	limit := r.limit
	if limit == 0 {
		limit = keptBytes
	}
	if size := row.bytes(); r.young == nil || r.bytes+size > limit/2 {
		r.old, r.young, r.bytes = r.young, map[name]*kept{}, 0
	}
	r.young[n] = row
	r.bytes += row.bytes()
}
