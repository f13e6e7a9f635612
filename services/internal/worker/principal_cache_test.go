package worker

import (
	"errors"
	"fmt"
	"testing"
	"time"

	"github.com/winnowhq/winnow/services/internal/store"
	"github.com/winnowhq/winnow/services/internal/store/postgres/pgtest"
)

// Names come from subjects: a publisher that uses thousands of names must not evict
// registered principals in use, or each of their events would query the store.
func TestPrincipalInUseSurvivesStrangers(t *testing.T) {
	t.Parallel()
	now := time.Date(2026, 11, 22, 9, 0, 0, 0, time.UTC)
	p := newPrincipalCache(pgtest.Open(t), func() time.Time { return now })
	p.known.Resize(4) // in place of 10,000
	who, err := p.find(t.Context(), "agent")
	if err != nil {
		t.Fatal(err)
	}
	for i := range 20 {
		if _, err := p.find(t.Context(), fmt.Sprint("stranger-", i)); !errors.Is(err, store.ErrNotFound) {
			t.Fatalf("stranger %d: %v", i, err)
		}
		if !p.known.Contains("agent") {
			t.Fatalf("forgotten after %d strangers", i+1)
		}
		if again, err := p.find(t.Context(), "agent"); err != nil || again.ID != who.ID {
			t.Fatalf("after %d strangers %+v, %v", i+1, again, err)
		}
	}
	if p.known.Contains("stranger-0") || p.known.Len() > 4 {
		t.Errorf("%d names are remembered", p.known.Len())
	}
}
