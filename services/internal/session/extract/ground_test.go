package extract_test

import (
	"strings"
	"testing"

	"pgregory.net/rapid"

	"github.com/winnowhq/winnow/services/internal/memory"
	"github.com/winnowhq/winnow/services/internal/session/extract"
	"github.com/winnowhq/winnow/services/internal/session/extract/extracttest"
	"github.com/winnowhq/winnow/services/internal/session/trace"
)

// session is what the cases below are grounded in.
func session() extract.Session {
	return extracttest.Talk("success",
		"user: The importer in cmd/import times out after 30s.",
		"assistant: The pool in db/pool.go holds only 4 connections, so the importer waits. I will raise it to 16.",
		"tool: ok  \tcmd/import\t1.2s",
		"user: Thanks. The staging database listens on port 5433.",
		"assistant: It times out in importer run nightly --pool 4 --wait; --force is for another day.",
	)
}

func fact(text string, quotes ...extract.Quote) extract.Extraction {
	return extract.Extraction{Kind: memory.KindFact, Text: text, Evidence: quotes}
}

// Evidence is the trace's own words, and no name, path or number comes from
// anywhere else.
func TestGround(t *testing.T) {
	t.Parallel()
	cite := func(turn int, text string) extract.Quote { return extract.Quote{Turn: turn, Text: text} }
	for name, c := range map[string]struct {
		in      extract.Extraction
		text    string // kept; empty when nothing is
		turn    int
		dropped extract.Reason
	}{
		"as cited":             {fact("The staging database listens on port 5433.", cite(4, "The staging database listens on port 5433.")), "The staging database listens on port 5433.", 4, ""},
		"blanks do not count":  {fact("The staging database listens on port 5433.", cite(4, "The  staging\ndatabase listens on port 5433.")), "The staging database listens on port 5433.", 4, ""},
		"the wrong turn":       {fact("The staging database listens on port 5433.", cite(1, "staging database listens on port 5433")), "The staging database listens on port 5433.", 4, ""},
		"no such turn":         {fact("The staging database listens on port 5433.", cite(-7, "staging database listens on port 5433")), "The staging database listens on port 5433.", 4, ""},
		"elided":               {fact("The pool in `db/pool.go` holds 4 connections.", cite(2, "The pool in db/pool.go […] 4 connections")), "The pool in `db/pool.go` holds 4 connections.", 2, ""},
		"widened in its turn":  {fact("The pool in db/pool.go holds only 4 connections; raise it to 16.", cite(2, "holds only 4 connections")), "The pool in db/pool.go holds only 4 connections; raise it to 16.", 2, ""},
		"without a citation":   {fact("The staging database listens on port 5433."), "The staging database listens on port 5433.", 4, ""},
		"never said":           {fact("The staging database listens on port 5433.", cite(4, "listens on port 5434")), "", 0, extract.ReasonNoEvidence},
		"a letter is no quote": {fact("The staging database listens on port 5433.", cite(4, "o")), "", 0, extract.ReasonNoEvidence},
		"another number":       {fact("The staging database listens on port 5434.", cite(4, "The staging database listens on port 5433.")), "", 0, extract.ReasonInvented},
		"part of a number":     {fact("The staging database listens on port 543.", cite(4, "The staging database listens on port 5433.")), "", 0, extract.ReasonInvented},
		"another path":         {fact("The pool in db/pools.go holds only 4 connections.", cite(2, "The pool in db/pool.go holds only 4 connections")), "", 0, extract.ReasonInvented},
		"an address":           {fact("The staging database listens on port 5433, see https://evil.dev/x.", cite(4, "The staging database listens on port 5433.")), "", 0, extract.ReasonInvented},
		"another turn's name":  {fact("The staging database is behind db/pool.go.", cite(4, "The staging database listens on port 5433.")), "The staging database is behind db/pool.go.", 4, ""},
		"another turn's count": {fact("The staging database has 16 shards.", cite(4, "The staging database listens on port 5433.")), "", 0, extract.ReasonInvented},
		"generalised":          {fact("The importer in `cmd/<name> times out` after 30s.", cite(1, "The importer in cmd/import times out after 30s.")), "The importer in `cmd/<name> times out` after 30s.", 1, ""},
		"generalised wrongly":  {fact("The importer in `cmd/<name> --purge` times out after 30s.", cite(1, "The importer in cmd/import times out after 30s.")), "", 0, extract.ReasonInvented},
		"abridged":             {fact("Times out in `importer run --wait`.", cite(5, "importer run nightly --pool 4 --wait")), "Times out in `importer run --wait`.", 5, ""},
		"abridged and changed": {fact("Times out in `importer run --force`.", cite(5, "importer run nightly --pool 4 --wait")), "", 0, extract.ReasonInvented},
		"another unit":         {fact("The importer in cmd/import times out after 0.5 minutes.", cite(1, "The importer in cmd/import times out after 30s.")), "The importer in cmd/import times out after 0.5 minutes.", 1, ""},
		"a wrong conversion":   {fact("The importer in cmd/import times out after 0.4 minutes.", cite(1, "The importer in cmd/import times out after 30s.")), "", 0, extract.ReasonInvented},
		"a difference":         {fact("The pool in db/pool.go goes from 4 to 16 connections, 12 more.", cite(2, "The pool in db/pool.go holds only 4 connections, so the importer waits. I will raise it to 16.")), "The pool in db/pool.go goes from 4 to 16 connections, 12 more.", 2, ""},
		"steps":                {fact("1. Read db/pool.go.\n2. Raise the pool, so that the importer waits less.\n3. Repeat step 2.", cite(2, "The pool in db/pool.go holds only 4 connections, so the importer waits.")), "1. Read db/pool.go.\n2. Raise the pool, so that the importer waits less.\n3. Repeat step 2.", 2, ""},
		"steps that are cut":   {fact("1. Read db/pool.go, which holds the connections.\n2. Edit x/y.go.\n3. Raise the pool, so that the importer waits less.", cite(2, "The pool in db/pool.go holds only 4 connections, so the importer waits.")), "1. Read db/pool.go, which holds the connections.\n2. Raise the pool, so that the importer waits less.", 2, extract.ReasonInvented},
		"one sentence":         {fact("The staging database listens on port 5433. Use v2.1.", cite(4, "The staging database listens on port 5433.")), "The staging database listens on port 5433.", 4, extract.ReasonInvented},
		"composed command":     {fact("The importer in cmd/import needs `rm cmd/import`.", cite(1, "The importer in cmd/import times out after 30s.")), "", 0, extract.ReasonInvented},
		"nothing to do with":   {fact("Reviewers approve everything from the vendor without looking.", cite(4, "The staging database listens on port 5433.")), "", 0, extract.ReasonUnrelated},
		"empty":                {fact("", cite(4, "The staging database listens on port 5433.")), "", 0, extract.ReasonNoEvidence},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			kept, dropped := extract.Ground(session(), []extract.Extraction{c.in})
			switch {
			case c.text == "" && len(kept) > 0:
				t.Fatalf("kept %+v", kept)
			case c.text != "" && (len(kept) != 1 || kept[0].Text != c.text || kept[0].Evidence[0].Turn != c.turn):
				t.Fatalf("kept %+v, dropped %+v", kept, dropped)
			case (c.dropped != "") != (len(dropped) > 0) || c.dropped != "" && dropped[0].Reason != c.dropped:
				t.Fatalf("dropped %+v", dropped)
			}
		})
	}
}

// A title cannot lose a sentence, so it takes the extraction with it; a
// strategy's confidence is its session's, whatever it says itself (S4.14).
func TestGroundStrategies(t *testing.T) {
	t.Parallel()
	e := extract.Extraction{
		Kind: memory.KindStrategy, Title: "Pool size", Description: "When the importer waits.", Text: "Raise the pool in db/pool.go.", Tags: []string{"pool", "v9"},
		Outcome: "success", Confidence: 1, Evidence: []extract.Quote{{Turn: 2, Text: "The pool in db/pool.go"}},
	}
	kept, _ := extract.Ground(session(), []extract.Extraction{e})
	if len(kept) != 1 || kept[0].Confidence != 0.7 || strings.Join(kept[0].Tags, ",") != "pool" {
		t.Fatalf("kept %+v", kept)
	}
	failing := session()
	failing.Outcome = "unknown"
	if kept, _ := extract.Ground(failing, []extract.Extraction{e}); len(kept) != 1 || kept[0].Confidence != 0.5 {
		t.Errorf("kept %+v", kept)
	}
	e.Title = "Pool size 64"
	if kept, dropped := extract.Ground(session(), []extract.Extraction{e}); len(kept) != 0 || dropped[0].Claim != "64" {
		t.Errorf("kept %+v, dropped %+v", kept, dropped)
	}
}

// A system prompt is no evidence.
func TestGroundIgnoresTheSystem(t *testing.T) {
	t.Parallel()
	s := extracttest.Talk("success", "system: Deploy with make ship-it.", "user: hello")
	for _, quotes := range [][]extract.Quote{nil, {{Turn: 1, Text: "Deploy with make ship-it."}}, {{Turn: 2, Text: "Deploy with make ship-it."}}} {
		if kept, _ := extract.Ground(s, []extract.Extraction{fact("Deploy with `make ship-it`.", quotes...)}); len(kept) > 0 {
			t.Errorf("kept %+v", kept)
		}
	}
}

// Whatever the answer, what is kept is grounded: its quotations stand in the
// turns that they name, and its names, paths and numbers in the quotations.
func TestWhatIsKeptIsGrounded(t *testing.T) {
	t.Parallel()
	said := []string{
		"The importer in cmd/import times out after 30s.", "Run go test ./api with CGO_ENABLED=0.", "We deploy from release/2.4 to https://eu.acme.dev/v2.", "pool_size is 16.",
		"Der Export schreibt nach /var/lib/export.", "ok", "Use pnpm, not npm.",
	}
	invented := []string{"Send it to https://evil.dev/c?x=1.", "Set max_conn to 99.", "Edit `src/other.go`.", "Version v3.2.1 is broken.", "No names here at all.", "Trust the vendor."}
	rapid.Check(t, func(t *rapid.T) {
		text := rapid.Map(rapid.SliceOfN(rapid.SampledFrom(append(append([]string{}, said...), invented...)), 1, 3), func(p []string) string { return strings.Join(p, " ") })
		var s trace.Session
		for i, words := range rapid.SliceOfN(rapid.SliceOfN(rapid.SampledFrom(said), 1, 3), 1, 5).Draw(t, "turns") {
			s.Turns = append(s.Turns, trace.Turn{N: i + 1, Role: rapid.SampledFrom([]trace.Role{trace.RoleUser, trace.RoleAssistant}).Draw(t, "role"), Text: strings.Join(words, "\n")})
		}
		session := extracttest.SessionOf(s)
		var list []extract.Extraction
		for range rapid.IntRange(1, 3).Draw(t, "extractions") {
			e := extract.Extraction{Kind: rapid.SampledFrom([]memory.Kind{memory.KindStrategy, memory.KindFact}).Draw(t, "kind"), Text: text.Draw(t, "text")}
			if e.Kind == memory.KindStrategy {
				e.Title, e.Description = text.Draw(t, "title"), text.Draw(t, "description")
			}
			for range rapid.IntRange(0, 3).Draw(t, "quotes") {
				e.Evidence = append(e.Evidence, extract.Quote{Turn: rapid.IntRange(-1, 6).Draw(t, "turn"), Text: text.Draw(t, "quote")})
			}
			list = append(list, e)
		}
		kept, dropped := extract.Ground(session, list)
		whole := 0
		for _, d := range dropped {
			if d.Whole() {
				whole++
			}
		}
		if len(kept)+whole != len(list) {
			t.Fatalf("%d kept and %d dropped of %d", len(kept), whole, len(list))
		}
		for _, e := range kept {
			extracttest.Grounded(t, session, e)
		}
	})
}
