package weekly

import (
	"encoding/json"
	"slices"
	"time"

	"github.com/winnowhq/winnow/services/internal/memory"
)

// Previous is what a run must know of the one before it in the same scope.
//
// A model that reads the same list every week is asked about each memory fifty times a
// year, and one wrong answer in a hundred takes a third of them out of service. So a
// deletion that contradicts the previous run, which kept the memory, needs the next run to
// agree. A memory that no run has judged yet goes at once, and so does what a rule asks for
// (an emotion that faded).
type Previous struct {
	At     time.Time // when it ended
	PutOff []string  // memories whose deletion waits for this run
}

// PreviousOf reads the applied item of an earlier run.
func PreviousOf(item memory.RunItem) Previous {
	p := Previous{At: item.EndedAt}
	var detail itemDetail
	if json.Unmarshal(item.Detail, &detail) == nil { // a detail of another form has put off nothing
		for _, a := range detail.Delayed {
			p.PutOff = append(p.PutOff, a.ID)
		}
	}
	return p
}

// kept reports whether the previous run judged the memory and let it be.
func (p *Previous) kept(m *memory.Memory) bool {
	return !p.At.IsZero() && m.CreatedAt.Before(p.At) && !slices.Contains(p.PutOff, m.ID)
}
