package cluster_test

import (
	"context"
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"pgregory.net/rapid"

	"github.com/winnowhq/winnow/services/internal/consolidation/cluster"
	"github.com/winnowhq/winnow/services/internal/vector"
)

// angle returns a vector of the plane; the cosine of two is that of their difference.
func angle(degrees float64) []float32 {
	sine, cosine := math.Sincos(degrees * math.Pi / 180)
	return []float32{float32(cosine), float32(sine)}
}

// fan returns items a, b, c, … at the given angles.
func fan(degrees ...float64) []cluster.Item {
	items := make([]cluster.Item, len(degrees))
	for i, d := range degrees {
		items[i] = cluster.Item{ID: string(rune('a' + i)), Vector: angle(d)}
	}
	return items
}

// names writes groups as "ab(c) de": members, their copies in brackets.
func names(items []cluster.Item, groups []cluster.Group) string {
	var out []string
	for _, g := range groups {
		s := ""
		for _, m := range g.Members {
			s += items[m.Item].ID
			if len(m.Copies) > 0 {
				s += "("
				for _, c := range m.Copies {
					s += items[c].ID
				}
				s += ")"
			}
		}
		out = append(out, s)
	}
	return fmt.Sprint(out)
}

func find(t testing.TB, items []cluster.Item, c cluster.Config) cluster.Result {
	t.Helper()
	result, err := cluster.Find(t.Context(), items, c)
	if err != nil {
		t.Fatal(err)
	}
	return result
}

// D14, by example. A cosine of 0.8 is an angle of 36.9°, one of 0.97 of 14.1°.
func TestFind(t *testing.T) {
	t.Parallel()
	config := cluster.DefaultConfig(0.8)
	small := config
	small.MaxMembers = 2
	withHash := fan(0, 90, 180)
	withHash[0].Hash, withHash[2].Hash = "same", "same"
	noVector := fan(0, 20, 20)
	noVector[1].Vector, noVector[1].Hash, noVector[2].Hash = nil, "x", "x"
	cases := []struct {
		name   string
		items  []cluster.Item
		config cluster.Config
		want   string
	}{
		{"nothing", nil, config, "[]"},
		{"alone", fan(0), config, "[]"},
		{"a pair", fan(0, 30), config, "[ab]"},
		{"two apart", fan(0, 40), config, "[]"},
		// A chain: neighbours are similar, the ends are not.
		{"a chain splits at its weakest link", fan(0, 30, 55, 85), config, "[bc]"},
		{"the most similar merge first", fan(0, 30, 50), config, "[bc]"},
		{"all within reach", fan(0, 17, 34), config, "[abc]"},
		{"two groups", fan(0, 20, 100, 120), config, "[ab cd]"},
		{"copies collapse", fan(0, 5, 90), config, "[a(b)]"},
		{"copies do not count as members", fan(0, 2, 4, 30), small, "[a(bc)d]"},
		{"a full group takes no more", fan(0, 17, 34), small, "[ab]"},
		{"equal hash", withHash, config, "[a(c)]"},
		{"a hash lends its vector", noVector, config, "[ab(c)]"},
	}
	for _, c := range cases {
		if got := names(c.items, find(t, c.items, c.config).Groups); got != c.want {
			t.Errorf("%s: %s, want %s", c.name, got, c.want)
		}
	}
}

// D1: exactly at the threshold is not similar; at the limit of duplicates is.
func TestBoundaries(t *testing.T) {
	t.Parallel()
	items := fan(0, 30)
	cosine := vector.Cosine(items[0].Vector, items[1].Vector)
	config := cluster.DefaultConfig(cosine)
	if got := names(items, find(t, items, config).Groups); got != "[]" {
		t.Errorf("at the threshold: %s, want no group", got)
	}
	config.Threshold = math.Nextafter(cosine, 0)
	if got := names(items, find(t, items, config).Groups); got != "[ab]" {
		t.Errorf("just below it: %s, want [ab]", got)
	}
	config.Threshold, config.Duplicate = 0.5, cosine
	if got := names(items, find(t, items, config).Groups); got != "[a(b)]" {
		t.Errorf("at the limit of duplicates: %s, want [a(b)]", got)
	}
	// The same where copies are looked for before pairs, because they do not fit.
	items, config.MaxPairs = fan(0, 30, 100, 120), 1
	if got := names(items, find(t, items, config).Groups); got != "[a(b) c(d)]" {
		t.Errorf("at the limit of duplicates, few pairs allowed: %s, want [a(b) c(d)]", got)
	}
}

func TestRefuses(t *testing.T) {
	t.Parallel()
	nan := float32(math.NaN())
	good := cluster.DefaultConfig(0.8)
	for name, c := range map[string]struct {
		items []cluster.Item
		want  error
	}{
		"NaN":         {[]cluster.Item{{ID: "a", Vector: []float32{1, nan}}}, vector.ErrVector},
		"zero length": {[]cluster.Item{{ID: "a", Vector: []float32{0, 0}}}, vector.ErrVector},
		"two lengths": {[]cluster.Item{{ID: "a", Vector: []float32{1}}, {ID: "b", Vector: []float32{1, 2}}}, vector.ErrDimension},
	} {
		if _, err := cluster.Find(t.Context(), c.items, good); !errors.Is(err, c.want) {
			t.Errorf("%s: error %v, want %v", name, err, c.want)
		}
	}
	for _, bad := range []cluster.Config{{}, {Threshold: math.NaN(), Duplicate: 1, MaxMembers: 2, MaxPairs: 1}, {Threshold: 0.98, Duplicate: 0.97, MaxMembers: 2, MaxPairs: 1}} {
		if _, err := cluster.Find(t.Context(), nil, bad); err == nil {
			t.Errorf("configuration %+v was accepted", bad)
		}
	}
	ended, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := cluster.Find(ended, fan(0, 30), good); !errors.Is(err, context.Canceled) {
		t.Errorf("ended context: %v", err)
	}
}

// The promise of D14: for any data, shuffled input gives the same groups, every two
// members are similar, no item is in two groups, and no group is too large.
func TestOrderDoesNotMatter(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		items := drawItems(t)
		config := cluster.DefaultConfig(0.8)
		config.MaxMembers = rapid.IntRange(2, 8).Draw(t, "members")
		config.MaxPairs = rapid.IntRange(1, 400).Draw(t, "pairs")
		result, err := cluster.Find(context.Background(), items, config)
		if err != nil {
			t.Fatal(err)
		}
		shuffled := slices.Clone(items)
		r := rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "shuffle"), 1))
		r.Shuffle(len(shuffled), func(i, j int) { shuffled[i], shuffled[j] = shuffled[j], shuffled[i] })
		again, err := cluster.Find(context.Background(), shuffled, config)
		if err != nil {
			t.Fatal(err)
		}
		if names(items, result.Groups) != names(shuffled, again.Groups) || result.Threshold != again.Threshold || result.Pairs != again.Pairs {
			t.Fatalf("shuffled: %v at %v, before: %v at %v", names(shuffled, again.Groups), again.Threshold, names(items, result.Groups), result.Threshold)
		}
		// A bound that was not reached changes nothing.
		if config.MaxPairs = 1 << 20; result.Threshold == config.Threshold {
			if free, err := cluster.Find(context.Background(), items, config); err != nil || names(items, free.Groups) != names(items, result.Groups) {
				t.Fatalf("unbounded: %v (%v), want %v", names(items, free.Groups), err, names(items, result.Groups))
			}
		}
		seen := make(map[int]bool)
		for _, g := range result.Groups {
			if len(g.Members) > config.MaxMembers {
				t.Fatalf("group of %d members, want at most %d", len(g.Members), config.MaxMembers)
			}
			if least := cluster.Describe(items, g).Least; least <= result.Threshold && len(g.Members) > 1 {
				t.Fatalf("group %v holds a pair of %v", g, least)
			}
			for _, i := range g.Items() {
				if seen[i] {
					t.Fatalf("item %s is in two groups", items[i].ID)
				}
				seen[i] = true
			}
		}
	})
}

// drawItems returns items in a few dense clusters, with copies and without.
func drawItems(t *rapid.T) []cluster.Item {
	r := rand.New(rand.NewPCG(rapid.Uint64().Draw(t, "seed"), 2))
	return clustered(r, rapid.IntRange(0, 120).Draw(t, "items"), rapid.SampledFrom([]int{3, 16, 130}).Draw(t, "dim"),
		rapid.Float64Range(0, 0.8).Draw(t, "spread"))
}

// clustered makes n items around n/15 centres, one in ten a copy of another.
func clustered(r *rand.Rand, n, dim int, spread float64) []cluster.Item {
	centres := make([][]float32, n/15+1)
	for i := range centres {
		centres[i] = make([]float32, dim)
		for d := range centres[i] {
			centres[i][d] = float32(r.NormFloat64())
		}
	}
	items := make([]cluster.Item, n)
	for i := range items {
		items[i] = cluster.Item{ID: fmt.Sprintf("mem_%06d", i), Hash: fmt.Sprint(i), Vector: make([]float32, dim)}
		if i > 0 && r.IntN(10) == 0 {
			from := items[r.IntN(i)]
			items[i].Hash, items[i].Vector = from.Hash, from.Vector
			continue
		}
		centre := centres[r.IntN(len(centres))]
		for d := range items[i].Vector {
			items[i].Vector[d] = centre[d] + float32(spread*r.NormFloat64())
		}
	}
	return items
}

// Where more pairs are similar than fit, the threshold rises until they do, and the
// result reports it. The remaining pairs are the most similar.
func TestPairsAreBounded(t *testing.T) {
	t.Parallel()
	r := rand.New(rand.NewPCG(3, 3))
	var vectors [][]float32
	for _, item := range clustered(r, 700, 130, 0.5) {
		vectors = append(vectors, item.Vector)
	}
	all, used, err := cluster.Pairs(t.Context(), vectors, 0.5, 1<<20)
	if err != nil || used != 0.5 {
		t.Fatalf("threshold %v (%v), want 0.5", used, err)
	}
	want := bruteForce(vectors, 0.5)
	if !slices.Equal(all, want) {
		t.Fatalf("%d pairs, brute force finds %d", len(all), len(want))
	}
	for _, limit := range []int{1, 10, 100, len(all) - 1} {
		some, used, err := cluster.Pairs(t.Context(), vectors, 0.5, limit)
		if err != nil || len(some) > limit || used != all[limit].Similarity {
			t.Fatalf("limit %d: %d pairs above %v (%v), want the line at %v", limit, len(some), used, err, all[limit].Similarity)
		}
		if !slices.Equal(some, all[:len(some)]) {
			t.Errorf("limit %d: not the most similar pairs", limit)
		}
	}
}

func bruteForce(vectors [][]float32, least float64) []cluster.Pair {
	var pairs []cluster.Pair
	for i := range vectors {
		for j := i + 1; j < len(vectors); j++ {
			if s := vector.Cosine(vectors[i], vectors[j]); s > least {
				pairs = append(pairs, cluster.Pair{A: int32(i), B: int32(j), Similarity: s})
			}
		}
	}
	slices.SortFunc(pairs, func(a, b cluster.Pair) int {
		switch {
		case a.Similarity != b.Similarity && a.Similarity > b.Similarity:
			return -1
		case a.Similarity != b.Similarity:
			return 1
		case a.A != b.A:
			return int(a.A - b.A)
		}
		return int(a.B - b.B)
	})
	return pairs
}

// S0.55, S4.41: the predecessors' algorithm, with its dependence on order.
func TestGreedy(t *testing.T) {
	t.Parallel()
	config := cluster.DefaultConfig(0.8)
	items := fan(0, 30, 60, 90)
	for want, order := range map[string][]int{"[ab cd]": {0, 1, 2, 3}, "[bac]": {1, 0, 2, 3}} {
		sorted := make([]cluster.Item, len(order))
		for i, j := range order {
			sorted[i] = items[j]
		}
		result, err := cluster.Greedy(t.Context(), sorted, config)
		if err != nil {
			t.Fatal(err)
		}
		if got := names(sorted, result.Groups); got != want {
			t.Errorf("order %v: %s, want %s", order, got, want)
		}
	}
}

// S4.80: the statistics of a group.
func TestDescribe(t *testing.T) {
	t.Parallel()
	items := fan(0, 60)
	items[1].Vector = []float32{1, float32(math.Sqrt(3))} // 60°, of length 2
	s := cluster.Describe(items, cluster.Group{Members: []cluster.Member{{Item: 0}, {Item: 1}}})
	if math.Abs(s.Least-0.5) > 1e-6 || math.Abs(s.Average-0.5) > 1e-6 {
		t.Errorf("least %v, average %v, want 0.5", s.Least, s.Average)
	}
	if c := vector.Cosine(s.Centroid, angle(30)); c < 1-1e-9 {
		t.Errorf("centroid %v, want the direction of 30°", s.Centroid)
	}
	alone := cluster.Describe(items, cluster.Group{Members: []cluster.Member{{Item: 0}}})
	if alone.Least != 1 || alone.Average != 1 {
		t.Errorf("a group of one: %+v", alone)
	}
}
