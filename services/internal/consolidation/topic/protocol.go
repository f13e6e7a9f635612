package topic

import (
	"fmt"
	"slices"
	"time"
)

// MinRead is how many memories of the topic must have been read in full, or all of
// them where there are fewer (S2.15).
const MinRead = 20

// Window is how far the protocol looks back (D17).
const Window = 24 * time.Hour

// Research is what the author searched and read within [Window].
type Research struct {
	Deep []Searched      // deep searches
	Read map[string]bool // ids of memories that were given in full
}

// Searched is one search.
type Searched struct {
	Topic string   // that it was restricted to, normalised
	Words []string // of its question, as [Words] returns them
}

// missing returns what the protocol still asks for, as instructions (S2.14–S2.17).
// members are the ids of the topic's memories, current the id of its summary or
// empty.
func (r Research) missing(topic string, members []string, current string) []string {
	var out []string
	deep := slices.ContainsFunc(r.Deep, func(s Searched) bool { return s.Topic == topic || Names(s.Words, topic) })
	if !deep {
		out = append(out, fmt.Sprintf("search it deeply: memory_search with depth deep, limit 100 and topic %q", topic))
	}
	var unread []string
	for _, id := range members {
		if !r.Read[id] {
			unread = append(unread, id)
		}
	}
	read, want := len(members)-len(unread), min(MinRead, len(members))
	if read < want {
		out = append(out, fmt.Sprintf("read %d more of its %d memories in full with memory_get (%d of %d are read), such as %s",
			want-read, len(members), read, want, listed(unread[:want-read], 20)))
	}
	if current != "" && !r.Read[current] {
		out = append(out, fmt.Sprintf("read its present summary %s with memory_get and extend it", current))
	}
	return out
}
