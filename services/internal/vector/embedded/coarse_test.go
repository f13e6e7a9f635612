package embedded

import (
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"github.com/winnowhq/winnow/services/internal/vector"
	"github.com/winnowhq/winnow/services/internal/vector/dot"
	"github.com/winnowhq/winnow/services/internal/vector/vectortest"
)

// The bounds hold for vectors of every shape: even, spiked, sparse, and a row equal to
// the query.
func TestBoundsHold(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		dim := rapid.IntRange(16, 400).Draw(t, "dim")
		r := rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "seed"), 1))
		power := rapid.Float64Range(0.5, 9).Draw(t, "power")
		draw := func() []float32 {
			v := make([]float32, dim)
			for i := range v {
				x := r.NormFloat64()
				v[i] = float32(math.Copysign(math.Pow(math.Abs(x), power), x))
			}
			unit, err := vector.Unit(v, dim)
			if err != nil {
				t.Skip(err)
			}
			return unit
		}
		asked, row := draw(), draw()
		question := roughOf(asked, new([]int16))
		c := newCoarse(dim)
		for i, v := range [][]float32{row, asked} {
			c.set(i, v)
			least, most := c.bounds(i, &question, dot.Coarse(question.values, c.row(i)))
			if score := dot.Of(asked, v); score < least || most < score {
				t.Fatalf("row %d: from %v to %v, but it is %v", i, least, most, score)
			}
		}
	})
}

// As many bounds as were asked for reach the floor, and it is not far below them.
func TestFloorOfBounds(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		all := rapid.SliceOfN(rapid.Float32Range(-1.2, 1.2), 1, 300).Draw(t, "bounds")
		n := rapid.IntRange(1, 320).Draw(t, "n")
		var s spread
		for _, x := range all {
			s.add(x)
		}
		slices.Sort(all)
		floor := s.floor(n)
		if n > len(all) {
			if floor != below {
				t.Fatalf("%d of %d bounds reach %v", n, len(all), floor)
			}
			return
		}
		nth := all[len(all)-n]
		if floor > nth || nth > -1 && nth < 1 && nth-floor > 3.0/spreadSteps {
			t.Fatalf("floor %v of %v", floor, nth)
		}
	})
}

// A scan that skips by bytes answers, to the last bit, like a full scan.
func TestSkippingChangesNoAnswer(t *testing.T) {
	t.Parallel()
	g := vector.Generation{N: 1, Model: "test/64", Dim: 64, Analyzer: "test-1", AvgLen: 20}
	if !coarsePays(g.Dim) {
		t.Skip("this processor reads no bytes")
	}
	docs, err := vector.Prepare(g, vectortest.Random("acme", g, 3000, 7))
	if err != nil {
		t.Fatal(err)
	}
	// Documents of one vector: only their ids decide which of them are in.
	for i := range 400 {
		docs[i].Dense = docs[0].Dense
	}
	quick, plain := newShard("acme", g.Dim), newShard("acme", g.Dim)
	quick.put(docs)
	plain.put(docs)
	plain.coarse = nil
	rapid.Check(t, func(t *rapid.T) {
		r := rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "seed"), 2))
		asked := slices.Clone(docs[r.IntN(len(docs))].Dense)
		noise := rapid.Float64Range(0, 0.5).Draw(t, "noise")
		for i := range asked {
			asked[i] += float32(noise * r.NormFloat64())
		}
		unit, err := vector.Unit(asked, g.Dim)
		if err != nil {
			t.Skip(err)
		}
		within := vector.Everywhere("acme")
		if rapid.Bool().Draw(t, "narrow") {
			within = vector.Within("acme", docs[r.IntN(len(docs))].Scope)
		}
		a := ask{
			within: within, dense: unit, limit: rapid.IntRange(1, 300).Draw(t, "limit"),
			least: rapid.SampledFrom([]float64{-2, 0.3, 0.9}).Draw(t, "least"),
		}
		if got, want := dense(quick, &a), dense(plain, &a); !slices.Equal(got, want) {
			t.Fatalf("%d hits, want %d:\n%v\n%v", len(got), len(want), got, want)
		}
	})
}

// dense answers one question by meaning.
func dense(s *shard, a *ask) []vector.Hit {
	scan := s.begin(a, new(scanSpace))
	for n := range s.blocks {
		scan.block(n)
	}
	return s.hits(scan.end(), nil)
}
