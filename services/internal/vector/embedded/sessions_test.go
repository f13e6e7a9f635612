package embedded_test

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/winnowhq/winnow/services/internal/ident"
	"github.com/winnowhq/winnow/services/internal/memory"
	"github.com/winnowhq/winnow/services/internal/vector"
)

// said returns a document of a session.
func said(id, session, place string, version int64) vector.Doc {
	return vector.Doc{
		ID: id, Tenant: "acme", Scope: "project:shop", Kind: memory.KindFact, State: vector.Active,
		Version: version, UpdatedAt: time.Unix(version, 0),
		Original: &vector.Original{
			Memory:  memory.Memory{ID: id, ProposalID: place, Authority: memory.OriginAgent, Version: version, Text: "text of " + id},
			Passage: "text of " + id, Session: session,
		},
	}
}

func put(t rapid.TB, x vector.Index, docs ...vector.Doc) {
	t.Helper()
	if err := x.Put(context.Background(), docs); err != nil {
		t.Fatal(err)
	}
}

func neighbours(t rapid.TB, x vector.Index, reach int, of ...*vector.Original) []vector.Neighbour {
	t.Helper()
	list, err := x.(vector.NeighbourReader).Neighbours(context.Background(), "acme", reach, of, nil)
	if err != nil {
		t.Fatal(err)
	}
	return list
}

// A hit returns the row behind its document, at the version put last, and none once the
// document was archived.
func TestOriginals(t *testing.T) {
	t.Parallel()
	x := opened(t, open(t, nil))
	id := ident.New(memory.PrefixMemory)
	hit := func() vector.Hit {
		t.Helper()
		lists, err := x.Search(t.Context(), vector.Everywhere("acme"), vector.Query{Terms: []uint32{7}, Limit: 1})
		if err != nil || len(lists.Lexical) != 1 {
			t.Fatalf("%+v, %v", lists, err)
		}
		return lists.Lexical[0]
	}
	for version := int64(1); version <= 2; version++ {
		d := said(id, "s", "p", version)
		d.Terms = vector.Sparse{Tokens: []uint32{7}, Weights: []float32{1}}
		put(t, x, d)
		if o := hit().Original; o == nil || o.Version != version || o.Text != "text of "+id {
			t.Errorf("version %d: %+v", version, o)
		}
	}
	gone := said(id, "", "", 3)
	gone.State, gone.Original, gone.Terms = vector.Archived, nil, vector.Sparse{Tokens: []uint32{7}, Weights: []float32{1}}
	put(t, x, gone)
	if o := hit().Original; o != nil {
		t.Errorf("archived: %+v", o)
	}
	if list := neighbours(t, x, 2, said(id, "s", "p", 2).Original); len(list) != 0 {
		t.Errorf("neighbours of what is not there: %v", list)
	}
}

// In any order of writes, the neighbours of a document are the next active ones of its
// session and scope, and none from outside.
func TestNeighboursEqualSorting(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(rt *rapid.T) {
		x := opened(t, open(t, nil))
		var ids []string
		for range 12 {
			ids = append(ids, ident.New(memory.PrefixMemory))
		}
		latest := map[string]vector.Doc{}
		for version := range rapid.IntRange(1, 60).Draw(rt, "puts") {
			id := rapid.SampledFrom(ids).Draw(rt, "id")
			d := said(id, rapid.SampledFrom([]string{"", "a", "b"}).Draw(rt, "session"),
				fmt.Sprint("p", rapid.IntRange(0, 9).Draw(rt, "place")), int64(version)+1)
			d.Scope = rapid.SampledFrom([]memory.Scope{"project:shop", "user:anna"}).Draw(rt, "scope")
			d.Original.Scope = d.Scope
			d.Original.Authority = rapid.SampledFrom(memory.Origins()).Draw(rt, "authority")
			switch rapid.IntRange(0, 5).Draw(rt, "fate") {
			case 0:
				d.Deleted = true
			case 1:
				d.State = vector.Archived
			}
			put(rt, x, d)
			latest[id] = d
		}
		reach := rapid.IntRange(1, 3).Draw(rt, "reach")
		for _, id := range ids {
			d, ok := latest[id]
			if !ok {
				continue
			}
			got := neighbours(rt, x, reach, d.Original)
			for i := range got {
				got[i].Row = 0 // it depends on the order of all puts
			}
			if want := sorted(latest, id, reach); !slices.Equal(got, want) {
				rt.Fatalf("neighbours of %s: %v, want %v", id, got, want)
			}
		}
	})
}

// sorted returns the neighbours by its definition.
func sorted(all map[string]vector.Doc, id string, reach int) (list []vector.Neighbour) {
	belongs := func(d vector.Doc) bool {
		return !d.Deleted && d.State == vector.Active && d.Original.Session != "" && d.Original.Authority > memory.OriginExternal
	}
	of, known := all[id]
	if !known || !belongs(of) {
		return nil
	}
	var line []vector.Doc
	for _, d := range all {
		if belongs(d) && d.Original.Session == of.Original.Session && d.Scope == of.Scope {
			line = append(line, d)
		}
	}
	slices.SortFunc(line, func(a, b vector.Doc) int {
		return cmp.Or(cmp.Compare(a.Original.ProposalID, b.Original.ProposalID), cmp.Compare(a.ID, b.ID))
	})
	at := slices.IndexFunc(line, func(d vector.Doc) bool { return d.ID == id })
	for n, d := range line {
		if distance := max(n-at, at-n); distance > 0 && distance <= reach {
			list = append(list, vector.Neighbour{ID: d.ID, Distance: distance, Passage: d.Original.Passage, Memo: &d.Original.Memo})
		}
	}
	return list
}
