package topics

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/winnowhq/winnow/services/internal/memory"
	"github.com/winnowhq/winnow/services/internal/store"
)

// Log restricts what is shown of the protocol log (D17). Empty fields restrict nothing.
type Log struct {
	Principal, Session string
	Since              time.Duration // before now
	Limit              int
	// Sees reports whether a memory of the scope may be named; nil names all.
	Sees func(memory.Scope) bool
}

// Entry is one search, or one memory that was read in full. What was searched for is
// kept as words without secrets, in no order that makes a sentence.
type Entry struct {
	At        time.Time `json:"at" doc:"When."`
	Principal string    `json:"principal" doc:"Who."`
	Session   string    `json:"session_id" doc:"The session that it named; empty for none."`
	What      string    `json:"what" doc:"search, deep search or read."`
	Words     []string  `json:"words,omitempty" doc:"Of a search: the words of its question, normalised, without secrets."`
	Topic     string    `json:"topic,omitempty" doc:"Of a search: the topic that it was restricted to."`
	Found     int       `json:"found" doc:"Of a search: how many memories the answer had."`
	MemoryID  string    `json:"memory_id,omitempty" doc:"Of a reading: the memory."`
	Scope     string    `json:"scope,omitempty" doc:"Of a reading: where the memory holds."`
}

// The values of Entry.What.
const (
	whatSearch = "search"
	whatDeep   = "deep search"
	whatRead   = "read"
)

// ReadLog returns what callers of the tenant searched for and were given in full, the
// newest first. Readings of memories that Sees leaves out are left out.
func ReadLog(ctx context.Context, of store.ResearchLog, tenant memory.Tenant, now time.Time, l Log) ([]Entry, error) {
	for _, name := range []string{l.Principal, l.Session} {
		if name != memory.Visible(name) || strings.ContainsAny(name, "\n\t") {
			return []Entry{}, nil // no caller has such a name
		}
	}
	q := store.ResearchQuery{Principal: l.Principal, Session: l.Session, Limit: l.Limit}
	if l.Since > 0 {
		q.Since = now.Add(-l.Since)
	}
	lines, err := of.ResearchLines(ctx, tenant, q)
	if err != nil {
		return nil, fmt.Errorf("read the protocol log: %w", err)
	}
	out := []Entry{}
	for _, line := range lines {
		e := Entry{At: line.At, Principal: line.Principal, Session: line.Session, What: whatRead, MemoryID: line.MemoryID, Scope: string(line.Scope)}
		if s := line.Search; s != nil {
			e.What, e.Words, e.Topic, e.Found = whatSearch, s.Words, s.Topic, s.Found
			if s.Deep {
				e.What = whatDeep
			}
		} else if l.Sees != nil && !l.Sees(line.Scope) {
			continue
		}
		out = append(out, e)
	}
	return out, nil
}
