package search

import "github.com/winnowhq/winnow/services/internal/vector"

// Lead is an archived document by which a search came to one of its pool.
type Lead struct {
	ID string // of the archived document
	Of int    // place of its successor in the pool
	// Said is what it says, nil where the index does not know.
	Said *vector.Redirect
}

// Leads returns the archived documents among the hits that led to one of the pool, those
// of the best ranks first, at most most of them. next returns the successor of a
// document, or "" for one that has none; it may know more than the index.
//
// A merge leaves out details, and a search for one of them finds the archived source,
// which has it. Judged by its own words alone the successor would then stand behind texts
// that have less to do with the question. So a source is judged as a passage of its own,
// and lends its successor what that lacks: see [Fold].
func Leads(lists vector.Lists, pool []Scored, next func(string) string, most int) []Lead {
	var at map[string]int
	var out []Lead
	seen := map[string]bool{}
	add := func(hits []vector.Hit, rank int) {
		if rank >= len(hits) || len(out) == most {
			return
		}
		h := &hits[rank]
		to := h.LeadsTo()
		if to == h.ID && next(to) == "" || seen[h.ID] {
			return // mostly: it was not archived
		}
		if at == nil {
			at = make(map[string]int, len(pool))
			for i := range pool {
				at[pool[i].ID] = i
			}
		}
		for range maxLeads {
			further := next(to)
			if further == "" {
				break
			}
			to = further
		}
		if i, ok := at[to]; ok && to != h.ID {
			seen[h.ID] = true
			out = append(out, Lead{h.ID, i, said(h)})
		}
	}
	for rank := range max(len(lists.Dense), len(lists.Lexical)) {
		add(lists.Lexical, rank)
		add(lists.Dense, rank)
	}
	return out
}

// said returns the text of an archived document, also of one that the index still has as
// active.
func said(h *vector.Hit) *vector.Redirect {
	if h.State != vector.Archived && h.Original != nil {
		return &vector.Redirect{Title: h.Original.Title, Passage: h.Original.Passage}
	}
	return h.Redirect
}

// maxLeads bounds the chain of successors that is followed.
const maxLeads = 8

// Fold returns the evidence of the pool alone, given that of the pool's passages followed
// by one for each lead. A document has the signs of a text that led to it where that text
// has more of the question's words, or more of them side by side, and answers better. A
// document that says it itself is judged by its own text, however long that is.
func Fold(e Evidence, pool []Scored, leads []Lead) Evidence {
	if len(leads) == 0 {
		return e
	}
	n := len(pool)
	if len(e.Match) == n+len(leads) {
		for i, l := range leads {
			led, own, in := &e.Match[n+i], &e.Match[l.Of], &pool[l.Of]
			if (led.Own > own.Own || led.Pairs > own.Pairs) && led.Relevance(in.Fused, in.Cosine) > own.Relevance(in.Fused, in.Cosine) {
				*own = *led
			}
		}
		e.Match = e.Match[:n:n]
	}
	if len(e.Rerank) == n+len(leads) {
		for i, l := range leads {
			e.Rerank[l.Of] = max(e.Rerank[l.Of], e.Rerank[n+i])
		}
		e.Rerank = e.Rerank[:n:n]
	}
	return e
}
