package recall

import (
	"sync/atomic"

	"github.com/winnowhq/winnow/services/internal/memory"
	"github.com/winnowhq/winnow/services/internal/model/embed"
	"github.com/winnowhq/winnow/services/internal/recall/search"
	"github.com/winnowhq/winnow/services/internal/vector"
)

// candidate is an active memory as a search ranks and shows it. The memory is shared
// with other searches and never changed.
type candidate struct {
	*memory.Memory
	row        search.Row
	passage    string // text that the matcher and the reranker read
	neighbours []neighbour
	original   *vector.Original // nil for a row read in Postgres
	indexRow   int32            // that of its hit, 0 for one read in Postgres
}

// fromStore returns the candidate of a memory that was read in Postgres.
func fromStore(m *memory.Memory) *candidate {
	return &candidate{Memory: m, row: search.RowOf(m), passage: embed.Text(*m)}
}

// fromIndex returns the candidate of a memory that the index stores.
func fromIndex(h *vector.Hit) candidate {
	o := h.Original
	return candidate{Memory: &o.Memory, row: search.RowOf(&o.Memory), passage: o.Passage, original: o, indexRow: h.Row}
}

// memo returns where the matcher keeps what it reads in the passage, nil for nowhere.
func (k *candidate) memo() *atomic.Value {
	if k.original == nil {
		return nil
	}
	return &k.original.Memo
}
