package recall

import (
	"fmt"
	"slices"
	"testing"

	"github.com/winnowhq/winnow/services/internal/ident"
	"github.com/winnowhq/winnow/services/internal/memory"
	"github.com/winnowhq/winnow/services/internal/store/postgres/pgtest"
)

// Searches of one session at once that rank the same memories otherwise are all
// kept.
func TestServedAtOnce(t *testing.T) {
	t.Parallel()
	s := pgtest.Open(t)
	r := Recall{Served: s, Unrecorded: func(err error) { t.Error(err) }}
	found := make([]Found, 200)
	for i := range found {
		found[i].ID = ident.New(memory.PrefixMemory)
	}
	otherwise := slices.Clone(found)
	slices.Reverse(otherwise)
	for n := range 10 {
		q := Question{Tenant: memory.DefaultTenant, Session: fmt.Sprint("session ", n)}
		r.record(t.Context(), q, found)
		r.record(t.Context(), q, otherwise)
		r.Close()
		list, err := s.ServedIn(t.Context(), q.Tenant, q.Session)
		if err != nil || len(list) != len(found) {
			t.Errorf("%d of %d are kept, %v", len(list), len(found), err)
		}
	}
}
