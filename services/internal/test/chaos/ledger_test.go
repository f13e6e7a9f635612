package chaos

import (
	"github.com/winnowhq/winnow/services/internal/memory"
	"github.com/winnowhq/winnow/services/internal/store/postgres/pgtest"
)

// faultless asserts what a storm must leave: in SQL that nothing was lost and nothing took
// effect twice, by the audit that chain and rows verify, and by the built command line
// that every decision is derived again the same. sent has the ids of all proposals' events
// that the stream acknowledged; nil leaves the question about them out. Call it when
// nothing waits any more.
func (f *fleet) faultless(sent []string, tenants ...memory.Tenant) {
	f.t.Helper()
	faults, err := pgtest.Faults(f.t.Context(), f.pool, f.store, sent, tenants...)
	if err != nil {
		f.t.Fatalf("ledger: %v", err)
	}
	for _, fault := range faults {
		f.t.Error(fault)
	}
	f.operate(nil, "replay", "decision", "--all")
}
