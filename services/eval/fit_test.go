package eval

import (
	"cmp"
	"flag"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/winnowhq/winnow/services/internal/recall/search"
)

// The weights of the order in a pool are fitted here (ADR 84, ADR 91), by listwise logistic
// regression: of the passages of a pool, those that answer have the greatest share of the
// exponentials of their relevance. It is a test because a measurement ships without an
// optimiser; without its flags it checks itself.
var (
	fitData = flag.String("fit.data", "", "folders of winnow eval own and files of winnow eval retrieval, each with :weight, separated by commas")
	fitFree = flag.String("fit.free", "", "terms to fit, such as alone.cosine,kind.10; the others keep their weights")
)

// fitScale is the sum of which Relevance is 1: the weights are given in its unit.
const fitScale = 24

// fitTerm is one term of the relevance, which is linear in all of them.
type fitTerm struct {
	name  string
	of    func(PoolEntry) float64
	probe PoolEntry // has a tenth of the term alone
}

// fitTerms returns the terms: the signs of what stands alone and of what was said in a talk,
// and the kinds of answer.
func fitTerms() []fitTerm {
	var out []fitTerm
	for _, where := range []struct {
		name  string
		alone bool
	}{{"talk.", false}, {"alone.", true}} {
		for _, sign := range []struct {
			name string
			at   func(*PoolEntry) *float64
		}{
			{"fused", func(e *PoolEntry) *float64 { return &e.Fused }}, {"cosine", func(e *PoolEntry) *float64 { return &e.Cosine }},
			{"near", func(e *PoolEntry) *float64 { return &e.Near }}, {"own", func(e *PoolEntry) *float64 { return &e.Own }},
			{"back", func(e *PoolEntry) *float64 { return &e.Back }}, {"title", func(e *PoolEntry) *float64 { return &e.Title }},
			{"pairs", func(e *PoolEntry) *float64 { return &e.Pairs }}, {"beside", func(e *PoolEntry) *float64 { return &e.Beside }},
			{"short", func(e *PoolEntry) *float64 { return &e.Short }}, {"long", func(e *PoolEntry) *float64 { return &e.Long }},
			{"asks", func(e *PoolEntry) *float64 { return &e.Asks }},
		} {
			probe := PoolEntry{Signs: search.Signs{Alone: where.alone}}
			*sign.at(&probe) = 0.1
			out = append(out, fitTerm{where.name + sign.name, func(e PoolEntry) float64 {
				if e.Alone != where.alone {
					return 0
				}
				return max(0, *sign.at(&e)) // a cosine below 0 counts as 0
			}, probe})
		}
	}
	for bit := search.KindDate; bit <= search.KindMoney; bit <<= 1 {
		out = append(out, fitTerm{"kind." + strconv.Itoa(int(math.Log2(float64(bit)))), func(e PoolEntry) float64 {
			if e.Kinds&bit == 0 {
				return 0
			}
			return e.Brief
		}, PoolEntry{Signs: search.Signs{Kinds: bit, Brief: 0.1}}})
	}
	return out
}

// shipped returns the weights that Relevance has, and what it adds to them: of a passage in a
// talk, and of one alone.
func shipped(terms []fitTerm) (w []float64, talk, alone float64) {
	zero := func(alone bool) float64 {
		return fitScale * (&search.Signs{Alone: alone}).Relevance(0, 0)
	}
	for _, t := range terms {
		w = append(w, (fitScale*t.probe.Relevance(t.probe.Fused, t.probe.Cosine)-zero(t.probe.Alone))/0.1)
	}
	return w, zero(false), zero(true)
}

// fitQuestion is a pool with the terms of its passages.
type fitQuestion struct {
	group  string // is left out together
	weight float64
	x      [][]float64
	right  []bool
	wanted int // passages that answer, in the pool or not
}

// fitted reads a pool; of one without an answer or with nothing else, nothing is learnt.
func fitted(it *RetrievalItem, terms []fitTerm) fitQuestion {
	q := fitQuestion{group: it.Store, wanted: len(it.Evidence)}
	for _, e := range it.Pool {
		row := make([]float64, len(terms))
		for k := range terms {
			row[k] = terms[k].of(e)
		}
		q.x, q.right = append(q.x, row), append(q.right, slices.Contains(it.Evidence, e.ID))
	}
	return q
}

// fitFigures are the shares of questions with an answer among the first, and recall@10.
type fitFigures struct {
	n                       int
	one, three, ten, recall float64
}

func (f *fitFigures) add(q *fitQuestion, w []float64) {
	order := make([]int, len(q.x))
	score := make([]float64, len(q.x))
	for i := range q.x {
		order[i], score[i] = i, along(w, q.x[i])
	}
	slices.SortStableFunc(order, func(a, b int) int { return cmp.Compare(score[b], score[a]) })
	f.n++
	first := slices.IndexFunc(order, func(i int) bool { return q.right[i] })
	for k, to := range map[int]*float64{1: &f.one, 3: &f.three, 10: &f.ten} {
		if first >= 0 && first < k {
			*to++
		}
	}
	for _, i := range order[:min(10, len(order))] {
		if q.right[i] {
			f.recall += 1 / float64(q.wanted)
		}
	}
}

func (f fitFigures) String() string {
	n := float64(max(1, f.n))
	return fmt.Sprintf("n %3d hit@1 %.3f hit@3 %.3f hit@10 %.3f recall@10 %.3f", f.n, f.one/n, f.three/n, f.ten/n, f.recall/n)
}

// fitSource reads one source: the name under which its figures are told, and its questions. A
// set is left out as a whole, a file of conversations one at a time.
func fitSource(t *testing.T, source string, terms []fitTerm) (string, []fitQuestion, []RetrievalLine) {
	t.Helper()
	path, number, ok := strings.Cut(source, ":")
	weight, err := strconv.ParseFloat(number, 64)
	if !ok || err != nil {
		t.Fatalf("%q: want a path, a colon and a weight", source)
	}
	opts := offline()
	opts.Pool = true
	var report *RetrievalReport
	var lines []RetrievalLine
	info, err := os.Stat(path)
	if err != nil {
		t.Fatal(err)
	}
	if info.IsDir() {
		lines = setLines(t, path)
		report, err = RetrievalOf(t.Context(), lines, opts)
	} else {
		report, err = Retrieval(t.Context(), path, opts)
	}
	if err != nil {
		t.Fatal(err)
	}
	var out []fitQuestion
	for _, it := range report.Items {
		if len(it.Evidence) == 0 {
			continue
		}
		q := fitted(it, terms)
		if info.IsDir() {
			q.group = path
		}
		out = append(out, q)
	}
	for i := range out {
		out[i].weight = weight / float64(len(out))
	}
	return path, out, lines
}

// setLines returns the memories and questions of a folder of winnow eval own.
func setLines(t *testing.T, dir string) []RetrievalLine {
	t.Helper()
	memories, err := ReadLines[struct{ ID, Store, Section, Text string }](filepath.Join(dir, "triage", "triage_memories.jsonl"))
	if err != nil {
		t.Fatal(err)
	}
	asked, err := ReadLines[struct {
		ID, Store, Query string
		Answers          []string
	}](filepath.Join(dir, "own", "questions.jsonl"))
	if err != nil {
		t.Fatal(err)
	}
	var lines []RetrievalLine
	for _, m := range memories {
		lines = append(lines, RetrievalLine{Store: m.Store, ID: m.ID, Title: m.Section, Text: m.Text, Session: m.ID})
	}
	for _, q := range asked {
		lines = append(lines, RetrievalLine{Store: q.Store, QID: q.ID, Query: q.Query, Evidence: q.Answers, Category: "answered"})
	}
	return lines
}

// inOneStore returns the questions of all sets, asked of one store that has the memories of all:
// in a store of twenty texts a pool is the store, and a large one is ordered otherwise.
func inOneStore(t *testing.T, sets map[string][]RetrievalLine, terms []fitTerm, weight float64) []fitQuestion {
	t.Helper()
	var lines []RetrievalLine
	of := map[string]string{}
	for dir, set := range sets {
		in := func(id string) string {
			if id == "" {
				return ""
			}
			return dir + "\x00" + id
		}
		for _, l := range set {
			l.Store, l.ID, l.QID, l.Session = "all", in(l.ID), in(l.QID), in(l.Session)
			of[l.QID] = dir
			l.Evidence = slices.Clone(l.Evidence)
			for i := range l.Evidence {
				l.Evidence[i] = in(l.Evidence[i])
			}
			lines = append(lines, l)
		}
	}
	opts := offline()
	opts.Pool = true
	report, err := RetrievalOf(t.Context(), lines, opts)
	if err != nil {
		t.Fatal(err)
	}
	var out []fitQuestion
	for _, it := range report.Items {
		if len(it.Evidence) > 0 {
			q := fitted(it, terms)
			q.group = of[it.QID]
			out = append(out, q)
		}
	}
	for i := range out {
		out[i].weight = weight / float64(len(out))
	}
	return out
}

// fitTogether is the weight of the questions asked of all sets together.
const fitTogether = 3

// TestFit fits the weights anew, and says what each set has with the shipped ones, with those
// that were fitted without it, and with those of all:
//
//	go test ./services/eval -run 'TestFit$' -v -fit.data ../shared/testdata:0.5,services/eval/testdata/blind/cards:1 -fit.free alone.cosine
func TestFit(t *testing.T) {
	if *fitData == "" {
		t.Skip("no -fit.data")
	}
	terms := fitTerms()
	from, _, _ := shipped(terms)
	var free []int
	for name := range strings.SplitSeq(*fitFree, ",") {
		at := slices.IndexFunc(terms, func(f fitTerm) bool { return f.name == name })
		if at < 0 {
			t.Fatalf("-fit.free: no term %q", name)
		}
		free = append(free, at)
	}
	var all []fitQuestion
	var names []string
	sources, sets := map[string][]fitQuestion{}, map[string][]RetrievalLine{}
	for source := range strings.SplitSeq(*fitData, ",") {
		name, questions, lines := fitSource(t, source, terms)
		names, sources[name], all = append(names, name), questions, append(all, questions...)
		if lines != nil {
			sets[name] = lines
		}
	}
	if len(sets) > 1 {
		const name = "all sets in one store"
		names, sources[name] = append(names, name), inOneStore(t, sets, terms, fitTogether)
		all = append(all, sources[name]...)
	}
	without := map[string][]float64{}
	for i := range all {
		group := all[i].group
		if without[group] == nil {
			without[group] = fit(slices.DeleteFunc(slices.Clone(all), func(q fitQuestion) bool { return q.group == group }), from, free)
		}
	}
	with := fit(all, from, free)
	for _, name := range names {
		var before, out, after fitFigures
		for i := range sources[name] {
			q := &sources[name][i]
			before.add(q, from)
			out.add(q, without[q.group])
			after.add(q, with)
		}
		t.Logf("%s\n  shipped  %v\n  left out %v\n  with all %v", name, before, out, after)
	}
	for _, f := range free {
		t.Logf("%-14s %6.2f → %6.2f", terms[f].name, from[f], with[f])
	}
}

// The terms are all that Relevance weighs: their sum is what it returns.
func TestFitKnowsEveryTerm(t *testing.T) {
	t.Parallel()
	terms := fitTerms()
	w, talk, alone := shipped(terms)
	opts := offline()
	opts.Pool = true
	report := evalRetrieval(t, floor("questions.jsonl"), opts)
	checked := 0
	for _, it := range report.Items {
		for k, x := range fitted(it, terms).x {
			e := it.Pool[k]
			zero := talk
			if e.Alone {
				zero = alone
			}
			want := e.Relevance(e.Fused, e.Cosine)
			if got := (zero + along(w, x)) / fitScale; want > 0 && want < 1 && math.Abs(got-want) > 1e-6 {
				t.Fatalf("%s, %s: the terms make %.4f, the relevance is %.4f", it.QID, e.ID, got, want)
			}
			checked++
		}
	}
	if checked < 1000 {
		t.Errorf("%d passages", checked)
	}
}

// What decides is found: of three terms one tells right from wrong nine times of ten, one never,
// and one is held.
func TestFitFindsWhatDecides(t *testing.T) {
	t.Parallel()
	var all []fitQuestion
	for i := range 200 {
		noise := float64(i / 10 % 2)
		tells := 1.0
		if i%10 == 0 {
			tells = 0
		}
		all = append(all, fitQuestion{weight: 1, wanted: 1, right: []bool{true, false}, x: [][]float64{{tells, noise, 1}, {1 - tells, 1 - noise, 1}}})
	}
	w := fit(all, []float64{0, 0, 5}, []int{0, 1})
	// Right has odds of nine to one, so the weight is half of their logarithm on either side.
	if math.Abs(w[0]-math.Log(9)) > 0.1 || math.Abs(w[1]) > 0.01 || w[2] != 5 {
		t.Errorf("%v; want about ln 9, about 0 and 5", w)
	}
}
