package vector_test

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/oklog/ulid/v2"
	"pgregory.net/rapid"

	"github.com/winnowhq/winnow/services/internal/memory"
	"github.com/winnowhq/winnow/services/internal/vector"
)

// The point of an id is its ULID as parsed by the library, and UUIDs sort like ids.
func TestPointOfIsTheULID(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		draw := func(name string) ulid.ULID {
			return ulid.ULID(rapid.SliceOfN(rapid.Byte(), 16, 16).Draw(t, name))
		}
		a, b := draw("a"), draw("b")
		x, err := vector.PointOf(memory.PrefixMemory + a.String())
		if err != nil || x != vector.Point(a) {
			t.Fatalf("%s: %x (%v), want %x", a, x, err, a)
		}
		y, _ := vector.PointOf(memory.PrefixProposal + b.String())
		if strings.Compare(x.UUID(), y.UUID()) != strings.Compare(a.String(), b.String()) {
			t.Fatalf("%s and %s sort otherwise than %s and %s", x.UUID(), y.UUID(), a, b)
		}
		if next, more := x.Next(); more && (next.UUID() <= x.UUID()) {
			t.Fatalf("%s comes after %s", next.UUID(), x.UUID())
		}
	})
	last, _ := vector.PointOf("mem_7ZZZZZZZZZZZZZZZZZZZZZZZZZ")
	if _, more := last.Next(); more {
		t.Error("the greatest point has a successor")
	}
	if _, err := vector.PointOf("mem_8ZZZZZZZZZZZZZZZZZZZZZZZZZ"); !errors.Is(err, vector.ErrInvalid) {
		t.Errorf("an overflowing ULID: %v", err)
	}
}

// Tokens are those of Qdrant's bm25 model: murmur3 x86 32, seed 0, its absolute
// value. The hashes are the published test vectors of MurmurHash3.
func TestTokenOf(t *testing.T) {
	t.Parallel()
	abs := func(h uint32) uint32 { return uint32(max(int64(int32(h)), -int64(int32(h)))) }
	for word, hash := range map[string]uint32{
		"": 0, "test": 0xba6bd213, "Hello, world!": 0xc0363e43,
		"The quick brown fox jumps over the lazy dog": 0x2e4ff723,
	} {
		if got := vector.TokenOf(word); got != abs(hash) {
			t.Errorf("token of %q is %#x, want %#x", word, got, abs(hash))
		}
	}
}

// BM25 by hand: k1 1.2, b 0.75.
func TestWeigh(t *testing.T) {
	t.Parallel()
	s := vector.Weigh([]string{"redis", "port", "redis", "cache"}, 8)
	if len(s.Tokens) != 3 || !slices.IsSorted(s.Tokens) {
		t.Fatalf("tokens %v, want three, ascending", s.Tokens)
	}
	norm := 1.2 * (1 - 0.75 + 0.75*4.0/8)
	for i, token := range s.Tokens {
		tf := 1.0
		if token == vector.TokenOf("redis") {
			tf = 2
		}
		if want := tf * 2.2 / (tf + norm); math.Abs(float64(s.Weights[i])-want) > 1e-6 {
			t.Errorf("weight %v, want %v", s.Weights[i], want)
		}
	}
	if empty := vector.Weigh(nil, 8); len(empty.Tokens) != 0 {
		t.Errorf("no words weigh %v", empty)
	}
}

func TestFollowRedirects(t *testing.T) {
	t.Parallel()
	hit := func(id string, state vector.State, successor string, score float64) vector.Hit {
		return vector.Hit{ID: id, State: state, Successor: successor, Score: score, ContentHash: id}
	}
	got := vector.FollowRedirects([]vector.Hit{
		hit("old1", vector.Archived, "new", 0.9), hit("b", vector.Active, "", 0.8), hit("new", vector.Active, "", 0.7),
		hit("lost", vector.Archived, "", 0.6), hit("old2", vector.Archived, "b", 0.5), hit("p", vector.Pending, "", 0.4),
	})
	var ids []string
	for _, h := range got {
		ids = append(ids, fmt.Sprint(h.ID, " ", h.Score))
	}
	if fmt.Sprint(ids) != "[new 0.9 b 0.8 p 0.4]" {
		t.Errorf("followed to %v", ids)
	}
}

// The cosine is the same number in every call.
func TestCosine(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(t *rapid.T) {
		a := rapid.SliceOfN(rapid.Float32Range(-1, 1), 5, 5).Draw(t, "a")
		b := rapid.SliceOfN(rapid.Float32Range(-1, 1), 5, 5).Draw(t, "b")
		x, y := vector.Cosine(a, b), vector.Cosine(b, a)
		if x != y || x < -1-1e-12 || x > 1+1e-12 {
			t.Fatalf("%v and %v", x, y)
		}
	})
	if c := vector.Cosine([]float32{0, 0}, []float32{1, 0}); c != 0 {
		t.Errorf("without a direction: %v, want 0", c)
	}
}
