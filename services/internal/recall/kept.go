package recall

import (
	"github.com/winnowhq/winnow/services/internal/memory"
	"github.com/winnowhq/winnow/services/internal/model/embed"
	"github.com/winnowhq/winnow/services/internal/recall/search"
	"github.com/winnowhq/winnow/services/internal/vector"
)

// kept is an active memory as a search ranks and shows it. The memory is shared
// and never changed.
type kept struct {
	*memory.Memory
	row      search.Row
	passage  string // what the matcher and the reranker read
	beside   []beside
	original *vector.Original // where the index had it
}

// keep is a memory that was read in Postgres.
func keep(m *memory.Memory) *kept {
	return &kept{Memory: m, row: search.RowOf(m), passage: embed.Text(*m)}
}

// remembered is one that the index had.
func remembered(o *vector.Original) kept {
	return kept{Memory: &o.Memory, row: search.RowOf(&o.Memory), passage: o.Passage, original: o}
}
