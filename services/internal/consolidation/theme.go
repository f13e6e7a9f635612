package consolidation

import (
	"cmp"
	"context"
	"math"
	"slices"
	"time"

	"github.com/winnowhq/winnow/services/internal/consolidation/cluster"
	"github.com/winnowhq/winnow/services/internal/recall/search"
)

// The similarity of themes. People group notes by what they are about, not by what they
// say: a rule of near-duplicates fires on none of 591 pairs that people merged. What
// tells a theme is, in this order: words of one note's title in the other note, the
// rare words that both repeat, the meaning of the whole beside that of the scope, and
// that both were written in the same days. Each weight is rounded from a fit on notes
// whose groups people had approved, with one consolidation left out at a time; the
// result changes little when any of them moves by a third.
const (
	titleWeight   = 1.4  // of title words found in the other note, where rare words have 1
	namesWeight   = 0.2  // of words that both titles have
	meaningWeight = 0.3  // of the cosine of the vectors, their mean taken away
	timeWeight    = 0.12 // of the nearness in time, its mean taken away
	// PointTheme is the similarity above which notes are offered as one theme.
	PointTheme = 0.17
	// timeSpan is the distance in time at which the nearness is 1/e.
	timeSpan = 3 * 24 * time.Hour
	// background is how many notes without meaning stand beside those of a scope, so
	// that the mean of a few notes is not their theme.
	background = 10
	// bm25K1 and bm25B are those of BM25. Notes differ in length by habit more than by
	// content, so the length counts little.
	bm25K1, bm25B = 1.2, 0.3
)

// weighted is a word with its weight in one note.
type weighted struct {
	word   int32
	weight float32
}

// note is what the similarity of themes reads of a memory.
type note struct {
	text, title []weighted // unit length, by word
	vector      []float32  // nil for none
	along       float64    // product of the unit vector with the centre
	scale       float64    // 1/length of the vector, and of its rest beside the centre
	rest        float64
	at          float64 // time, in units of timeSpan
}

// themes compares notes of one class.
type themes struct {
	notes    []note
	postings [][]int32 // notes by word
	squared  float64   // square of the centre
	together float64   // mean nearness in time
}

// newThemes analyses the notes. Their order makes no difference to any similarity.
func newThemes(list []*Candidate) *themes {
	t := &themes{notes: make([]note, len(list))}
	v := vocabulary{numbers: map[string]int32{}}
	words := search.NewAnalyzer()
	texts, titles := make([][]weighted, len(list)), make([][]weighted, len(list))
	total := 0.0
	for i, c := range list {
		titles[i] = v.count(words.Words(c.Title))
		texts[i] = v.count(words.Words(c.Title + "\n" + c.Description + "\n" + c.Text))
		total += length(texts[i])
		v.see(texts[i])
		t.notes[i].at = float64(timeOf(c).Unix()) / timeSpan.Seconds()
	}
	average := total / float64(max(len(list), 1))
	t.postings = make([][]int32, len(v.seen))
	for i := range list {
		n := &t.notes[i]
		n.text, n.title = v.weigh(texts[i], len(list), average), v.weighTitle(titles[i], len(list))
		for _, w := range n.text {
			t.postings[w.word] = append(t.postings[w.word], int32(i))
		}
	}
	t.centre(list)
	t.together = nearness(t.notes)
	return t
}

// timeOf returns when a memory was seen, else when it was made.
func timeOf(c *Candidate) time.Time {
	if c.ObservedAt.IsZero() {
		return c.CreatedAt
	}
	return c.ObservedAt
}

// vocabulary numbers the words of a class.
type vocabulary struct {
	numbers map[string]int32
	seen    []int32 // by word: the notes that have it
}

// count returns the words of a text by number, each with how often it occurs.
func (v *vocabulary) count(words []string) []weighted {
	times := make(map[int32]float32, len(words))
	for _, w := range words {
		n, known := v.numbers[w]
		if !known {
			n = int32(len(v.seen))
			v.numbers[w], v.seen = n, append(v.seen, 0)
		}
		times[n]++
	}
	out := make([]weighted, 0, len(times))
	for w, n := range times {
		out = append(out, weighted{w, n})
	}
	slices.SortFunc(out, func(a, b weighted) int { return cmp.Compare(a.word, b.word) })
	return out
}

func (v *vocabulary) see(words []weighted) {
	for _, w := range words {
		v.seen[w.word]++
	}
}

// rarity is greater for words of fewer notes.
func (v *vocabulary) rarity(word int32, notes int) float64 {
	return max(math.Log((float64(notes)+1)/(float64(v.seen[word])+0.5)), 0)
}

// weigh turns counts into a unit vector of BM25 weights.
func (v *vocabulary) weigh(words []weighted, notes int, average float64) []weighted {
	norm := bm25K1 * (1 - bm25B + bm25B*length(words)/max(average, 1))
	for i := range words {
		n := float64(words[i].weight)
		words[i].weight = float32(n * (bm25K1 + 1) / (n + norm) * v.rarity(words[i].word, notes))
	}
	return unit(words)
}

// weighTitle turns the words of a title into a unit vector: each counts once.
func (v *vocabulary) weighTitle(words []weighted, notes int) []weighted {
	for i := range words {
		words[i].weight = float32(v.rarity(words[i].word, notes))
	}
	return unit(words)
}

func length(words []weighted) float64 {
	n := 0.0
	for _, w := range words {
		n += float64(w.weight)
	}
	return n
}

func unit(words []weighted) []weighted {
	sum := 0.0
	for _, w := range words {
		sum += float64(w.weight) * float64(w.weight)
	}
	if sum == 0 {
		return nil
	}
	scale := float32(1 / math.Sqrt(sum))
	for i := range words {
		words[i].weight *= scale
	}
	return words
}

// common returns the product of two unit vectors of words.
func common(a, b []weighted) float64 {
	var sum float64
	for i, j := 0, 0; i < len(a) && j < len(b); {
		switch {
		case a[i].word < b[j].word:
			i++
		case a[i].word > b[j].word:
			j++
		default:
			sum += float64(a[i].weight) * float64(b[j].weight)
			i++
			j++
		}
	}
	return sum
}

// centre takes the mean of all vectors, which says what the scope is about and nothing
// of a note.
func (t *themes) centre(list []*Candidate) {
	var sum []float64
	// By id, so that the sum is rounded alike in every order.
	order := make([]int, len(list))
	for i := range order {
		order[i] = i
	}
	slices.SortFunc(order, func(a, b int) int { return cmp.Compare(list[a].ID, list[b].ID) })
	vectors := 0
	for _, i := range order {
		n := &t.notes[i]
		n.vector = list[i].Vector
		square := 0.0
		for _, x := range n.vector {
			square += float64(x) * float64(x)
		}
		if square == 0 || sum != nil && len(sum) != len(n.vector) {
			n.vector = nil
			continue
		}
		n.scale = 1 / math.Sqrt(square)
		if sum == nil {
			sum = make([]float64, len(n.vector))
		}
		for d, x := range n.vector {
			sum[d] += float64(x) * n.scale
		}
		vectors++
	}
	for d := range sum {
		sum[d] /= float64(vectors + background)
		t.squared += sum[d] * sum[d]
	}
	for i := range t.notes {
		n := &t.notes[i]
		if n.vector == nil {
			continue
		}
		for d, x := range n.vector {
			n.along += float64(x) * n.scale * sum[d]
		}
		if square := 1 - 2*n.along + t.squared; square > 1e-9 {
			n.rest = 1 / math.Sqrt(square)
		}
	}
}

// meaning is the cosine of two vectors with the centre taken away, 0 where one is
// missing.
func (t *themes) meaning(a, b *note) float64 {
	if a.vector == nil || b.vector == nil {
		return 0
	}
	// In float64, from the first value to the last, so that every machine agrees.
	var product float64
	for d, x := range a.vector {
		product += float64(float64(x) * float64(b.vector[d]))
	}
	return (product*a.scale*b.scale - a.along - b.along + t.squared) * a.rest * b.rest
}

// nearness is the mean nearness in time of all pairs, in one pass over the times.
func nearness(notes []note) float64 {
	times := make([]float64, len(notes))
	for i := range notes {
		times[i] = notes[i].at
	}
	slices.Sort(times)
	sum, before := 0.0, 0.0
	for i, at := range times {
		if i > 0 {
			before = (before + 1) * math.Exp(times[i-1]-at)
		}
		sum += before
	}
	pairs := float64(len(times)) * float64(len(times)-1) / 2
	if pairs == 0 {
		return 0
	}
	return sum / pairs
}

// similarity says how likely a person puts two notes under one theme; notes above
// PointTheme belong together. It is symmetric.
func (t *themes) similarity(i, j int32) float64 {
	a, b := &t.notes[min(i, j)], &t.notes[max(i, j)]
	words := common(a.text, b.text) + titleWeight*(common(a.title, b.text)+common(b.title, a.text))/2 + namesWeight*common(a.title, b.title)
	return words + meaningWeight*t.meaning(a, b) + timeWeight*(math.Exp(-math.Abs(a.at-b.at))-t.together)
}

const (
	// wholeTheme is how many notes are compared each with each. Of more, each is
	// compared with those that share its rarest words.
	wholeTheme = 1000
	// themeBudget bounds the entries of the word index that one note reads, and
	// themeNear the notes that it is compared with.
	themeBudget, themeNear = 4000, 24
)

// near returns the notes after i that i is compared with, ascending.
func (t *themes) near(i int32, scratch []float32) []int32 {
	if len(t.notes) <= wholeTheme {
		out := make([]int32, 0, len(t.notes))
		for j := i + 1; int(j) < len(t.notes); j++ {
			out = append(out, j)
		}
		return out
	}
	words := slices.Clone(t.notes[i].text)
	slices.SortFunc(words, func(a, b weighted) int {
		return cmp.Or(cmp.Compare(len(t.postings[a.word]), len(t.postings[b.word])), cmp.Compare(a.word, b.word))
	})
	var touched []int32
	left := themeBudget
	for _, w := range words {
		if left -= len(t.postings[w.word]); left < 0 {
			break
		}
		for _, j := range t.postings[w.word] {
			if scratch[j] == 0 {
				touched = append(touched, j)
			}
			scratch[j] += w.weight * w.weight
		}
	}
	// The best themeNear of them, ties by number.
	better := func(a, b int32) bool { return scratch[a] > scratch[b] || scratch[a] == scratch[b] && a < b }
	out := make([]int32, 0, themeNear+1)
	for _, j := range touched {
		if j == i || len(out) == themeNear && !better(j, out[themeNear-1]) {
			continue
		}
		at := len(out)
		for at > 0 && better(j, out[at-1]) {
			at--
		}
		out = slices.Insert(out, at, j)
		out = out[:min(len(out), themeNear)]
	}
	for _, j := range touched {
		scratch[j] = 0
	}
	return out
}

// pairs returns the pairs of notes above PointTheme among those compared.
func (t *themes) pairs(ctx context.Context) ([]cluster.Pair, error) {
	var out []cluster.Pair
	scratch := make([]float32, len(t.notes))
	for i := range t.notes {
		if i%256 == 0 && ctx.Err() != nil {
			return nil, ctx.Err()
		}
		for _, j := range t.near(int32(i), scratch) {
			k := [2]int32{min(int32(i), j), max(int32(i), j)}
			if s := t.similarity(k[0], k[1]); s > PointTheme {
				out = append(out, cluster.Pair{A: k[0], B: k[1], Similarity: s})
			}
		}
	}
	// Where each has its nearest, a pair comes from both sides.
	return distinct(out), nil
}
