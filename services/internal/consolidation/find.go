package consolidation

import (
	"cmp"
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/winnowhq/winnow/services/internal/consolidation/cluster"
	"github.com/winnowhq/winnow/services/internal/judge/lexical"
	"github.com/winnowhq/winnow/services/internal/judge/wording"
	"github.com/winnowhq/winnow/services/internal/vector"
)

// maxPairs bounds the similar pairs of one class, and with them the memory.
const maxPairs = 2_000_000

// Find plans the consolidation of a scope's memories. The plan does not depend on the
// order of the candidates, unless greedy clustering was asked for and even then only
// on their ids, because they are sorted first (D14).
//
// near names the pairs to compare; nil is [Vectors]. The error is that of the context,
// of near, or of invalid input.
func Find(ctx context.Context, candidates []Candidate, near Pairs, c Config) (Plan, error) {
	if err := c.Validate(); err != nil {
		return Plan{}, fmt.Errorf("consolidate: %w", err)
	}
	if near == nil {
		near = Vectors{}
	}
	plan := Plan{Threshold: c.Threshold}
	list := examined(candidates, c, &plan)
	words := wording.NewAnalyzer()
	for _, part := range partition(list) {
		if len(part) < c.MinCluster {
			continue
		}
		f := finder{Config: c, near: near, words: words, part: part, plan: &plan}
		if err := f.find(ctx); err != nil {
			return Plan{}, fmt.Errorf("consolidate: %w", err)
		}
	}
	slices.SortFunc(plan.Apart, func(a, b Apart) int {
		return cmp.Or(cmp.Compare(b.Similarity, a.Similarity), strings.Compare(a.A, b.A), strings.Compare(a.B, b.B))
	})
	plan.Apart = plan.Apart[:min(len(plan.Apart), MaxApart)]
	slices.SortFunc(plan.Groups, compareGroups)
	if c.MaxClusters > 0 && len(plan.Groups) > c.MaxClusters {
		plan.Waiting = len(plan.Groups) - c.MaxClusters
		plan.Groups = plan.Groups[:c.MaxClusters]
	}
	return plan, nil
}

// finder groups the candidates of one class.
type finder struct {
	Config
	near  Pairs
	words *wording.Analyzer
	part  []Candidate // by id
	plan  *Plan

	texts    []*text   // by index into part; nil until compared
	analysed int       // of texts
	first    []int32   // the candidate of equal text with the smallest id
	copies   [][]int32 // of a first: the others of equal text
	apart    map[[2]int32]bool
}

func (f *finder) find(ctx context.Context) error {
	f.texts = make([]*text, len(f.part))
	f.apart = map[[2]int32]bool{}
	f.collapse()
	pairs, used, err := f.pairs(ctx)
	if err != nil {
		return fmt.Errorf("compare: %w", err)
	}
	f.plan.Threshold = max(f.plan.Threshold, used)
	merges, err := f.sift(ctx, pairs)
	if err != nil {
		return err
	}
	taken := make([]bool, len(f.part))
	if err := f.group(ctx, merges, ModeMerge, taken); err != nil {
		return err
	}
	if !f.Themes || f.Given {
		return nil
	}
	return f.themes(ctx, taken)
}

// themes groups what is left by theme.
func (f *finder) themes(ctx context.Context, taken []bool) error {
	at, list := f.left(taken)
	t := newThemes(list)
	pairs, err := t.pairs(ctx)
	if err != nil {
		return err
	}
	groups, err := averageLink(ctx, len(list), pairs, PointTheme, f.MaxMembers, t.similarity, func(a, b int32) bool {
		return f.keptApart(at[a], at[b])
	})
	if err != nil {
		return err
	}
	for _, members := range groups {
		similarity := map[[2]int32]float64{}
		for x, i := range members {
			for _, j := range members[:x] {
				similarity[[2]int32{at[j], at[i]}] = t.similarity(j, i)
			}
		}
		own := make([]int32, len(members))
		for x, i := range members {
			own[x] = at[i]
		}
		f.add(own, ModeTheme, similarity, taken)
	}
	return nil
}

// pairs returns the similar pairs: by their vectors, or by their words where no model is
// configured.
func (f *finder) pairs(ctx context.Context) ([]cluster.Pair, float64, error) {
	if !f.WordsAlone {
		return f.near.Above(ctx, f.part, f.Threshold, maxPairs)
	}
	at, list := f.left(nil)
	t := newThemes(list)
	var pairs []cluster.Pair
	scratch := make([]float32, len(list))
	for i := range list {
		if i%256 == 0 && ctx.Err() != nil {
			return nil, 0, ctx.Err()
		}
		for _, j := range t.near(int32(i), scratch) {
			a, b := at[min(int32(i), j)], at[max(int32(i), j)]
			if s := lexical.Compare(f.text(a).whole.Doc, f.text(b).whole.Doc).Similarity; s > f.Threshold {
				pairs = append(pairs, cluster.Pair{A: a, B: b, Similarity: s})
			}
		}
	}
	return distinct(pairs), f.Threshold, nil
}

// left returns the candidates of different text that are in no group yet.
func (f *finder) left(taken []bool) (at []int32, list []*Candidate) {
	for i := range f.part {
		if f.first[i] == int32(i) && (taken == nil || !taken[i]) {
			at, list = append(at, int32(i)), append(list, &f.part[i])
		}
	}
	return at, list
}

// collapse finds the candidates of equal text.
func (f *finder) collapse() {
	f.first, f.copies = make([]int32, len(f.part)), make([][]int32, len(f.part))
	at := map[string]int32{}
	for i := range f.part {
		f.first[i] = int32(i)
		normal := normalOf(&f.part[i])
		if normal == "" {
			continue
		}
		if n, known := at[normal]; known {
			f.first[i] = n
			f.copies[n] = append(f.copies[n], int32(i))
			continue
		}
		at[normal] = int32(i)
	}
}

// sift returns the pairs of texts to merge, and records those that the guard keeps
// apart.
func (f *finder) sift(ctx context.Context, pairs []cluster.Pair) (merges []cluster.Pair, err error) {
	for n, p := range byComponent(pairs, len(f.part)) {
		if n%1024 == 0 && ctx.Err() != nil {
			return nil, ctx.Err()
		}
		if f.first[p.A] != p.A || f.first[p.B] != p.B || madeOf(&f.part[p.A], &f.part[p.B]) {
			continue
		}
		a, b := f.text(p.A), f.text(p.B)
		why, differences := a.apart(b)
		if why == "" && f.undone(p.A, p.B) {
			why = ApartUndone
		}
		if why != "" {
			f.apart[[2]int32{p.A, p.B}] = true
			f.plan.ApartTotal++
			f.plan.Apart = append(f.plan.Apart, Apart{A: f.part[p.A].ID, B: f.part[p.B].ID, Similarity: p.Similarity, Why: why, Differences: differences})
			continue
		}
		if f.Given || a.repeats(b, p.Similarity, f.Duplicate, f.Sure) {
			merges = append(merges, p)
		}
	}
	return merges, nil
}

// takenApart reports whether a person took back a merge of two of a group's memories.
// Copies are among them, which no pair compares.
func (f *finder) takenApart(g Group) bool {
	sources := g.Sources()
	return slices.ContainsFunc(f.Undone, func(set []string) bool {
		both := 0
		for _, id := range set {
			if slices.Contains(sources, id) {
				both++
			}
		}
		return both > 1
	})
}

// undone reports whether a person took back a merge of the two.
func (f *finder) undone(a, b int32) bool {
	return slices.ContainsFunc(f.Undone, func(set []string) bool {
		return slices.Contains(set, f.part[a].ID) && slices.Contains(set, f.part[b].ID)
	})
}

// byComponent returns the pairs with those of connected texts one behind the other, so
// that the texts compared in turn are few.
func byComponent(pairs []cluster.Pair, n int) []cluster.Pair {
	root := make([]int32, n)
	for i := range root {
		root[i] = int32(i)
	}
	find := func(i int32) int32 {
		for root[i] != i {
			root[i] = root[root[i]]
			i = root[i]
		}
		return i
	}
	for _, p := range pairs {
		a, b := find(p.A), find(p.B)
		root[max(a, b)] = min(a, b)
	}
	sorted := slices.Clone(pairs)
	slices.SortStableFunc(sorted, func(a, b cluster.Pair) int { return cmp.Compare(find(a.A), find(b.A)) })
	return sorted
}

// maxTexts bounds the analysed texts that are kept, some 4 KB each; reading one again
// takes less than 0.1 ms.
const maxTexts = 20_000

func (f *finder) text(i int32) *text {
	if f.texts[i] == nil {
		if f.analysed++; f.analysed > maxTexts {
			clear(f.texts)
			f.analysed = 1
		}
		f.texts[i] = read(f.words, f.part[i].Text)
	}
	return f.texts[i]
}

// group links pairs and adds the groups to the plan.
func (f *finder) group(ctx context.Context, pairs []cluster.Pair, mode Mode, taken []bool) error {
	groups, err := f.link(ctx, pairs)
	if err != nil {
		return err
	}
	similarity := make(map[[2]int32]float64, len(pairs))
	for _, p := range pairs {
		similarity[[2]int32{p.A, p.B}] = p.Similarity
	}
	for _, members := range groups {
		f.add(members, mode, similarity, taken)
	}
	return nil
}

// add adds a group to the plan, unless it is too small, or there is nothing new in it.
func (f *finder) add(members []int32, mode Mode, similarity map[[2]int32]float64, taken []bool) {
	if taken[members[0]] {
		return
	}
	g, all := f.groupOf(members, mode, similarity)
	if len(all) < f.MinCluster || !f.news(all) || f.takenApart(g) || mode == ModeTheme && f.asked(g) {
		return
	}
	for _, i := range all {
		taken[i] = true
	}
	f.plan.Groups = append(f.plan.Groups, g)
}

// link forms groups of the candidates, those of one too.
func (f *finder) link(ctx context.Context, pairs []cluster.Pair) ([][]int32, error) {
	if f.Clustering == ClusteringGreedy {
		return f.greedy(pairs), nil
	}
	return cluster.Link(ctx, len(f.part), pairs, f.MaxMembers)
}

// greedy is the predecessors' algorithm over the pairs (S0.55, S4.41). Two members may
// be similar to the first and not to each other, so what the guard keeps apart is
// looked up for every member.
func (f *finder) greedy(pairs []cluster.Pair) [][]int32 {
	near := make([][]int32, len(f.part))
	for _, p := range pairs {
		near[p.A] = append(near[p.A], p.B)
		near[p.B] = append(near[p.B], p.A)
	}
	taken := make([]bool, len(f.part))
	var groups [][]int32
	for i := range f.part {
		if taken[i] {
			continue
		}
		taken[i] = true
		members := []int32{int32(i)}
		slices.Sort(near[i])
		for _, j := range near[i] {
			kept := slices.ContainsFunc(members, func(m int32) bool { return f.keptApart(m, j) })
			if !taken[j] && len(members) < f.MaxMembers && !kept {
				taken[j] = true
				members = append(members, j)
			}
		}
		slices.Sort(members)
		groups = append(groups, members)
	}
	return groups
}

// keptApart reports whether the guard keeps two candidates apart, also where their
// vectors are not similar.
func (f *finder) keptApart(a, b int32) bool {
	k := [2]int32{min(a, b), max(a, b)}
	apart, known := f.apart[k]
	if !known {
		why, _ := f.text(a).apart(f.text(b))
		apart = why != "" || f.undone(a, b)
		f.apart[k] = apart
	}
	return apart
}

func (f *finder) groupOf(members []int32, mode Mode, similarity map[[2]int32]float64) (g Group, all []int32) {
	g = Group{Mode: mode, Average: 1, Minimum: 1}
	sum, n := 0.0, 0
	for x, i := range members {
		g.Members = append(g.Members, f.part[i].ID)
		all = append(all, i)
		for _, c := range f.copies[i] {
			g.Copies = append(g.Copies, f.part[c].ID)
			all = append(all, c)
		}
		for _, j := range members[:x] {
			s, known := similarity[[2]int32{j, i}]
			if !known && len(f.part[i].Vector) == len(f.part[j].Vector) {
				s = vector.Cosine(f.part[j].Vector, f.part[i].Vector)
			}
			sum, n = sum+s, n+1
			g.Minimum = min(g.Minimum, s)
		}
	}
	if n > 0 {
		g.Average = sum / float64(n)
	}
	slices.Sort(g.Copies)
	g.Why = f.why(g)
	return g, all
}

func (f *finder) why(g Group) string {
	n := len(g.Members) + len(g.Copies)
	switch {
	case g.Mode == ModeTheme:
		return fmt.Sprintf("%d memories are on one theme (least similarity %.2f).", n, g.Minimum)
	case len(g.Members) == 1:
		return fmt.Sprintf("%d memories have the same words.", n)
	case f.Given:
		return fmt.Sprintf("%d memories are more similar than %.2f (least %.2f), and none contradicts another.", n, f.Threshold, g.Minimum)
	}
	return fmt.Sprintf("%d memories say the same, or one says all of another (least similarity %.2f); no detail differs.", n, g.Minimum)
}

// news reports whether a group may be acted on: one with a consolidated memory only
// when a memory came after it. A run that saw all others decided not to take them in,
// so a second run changes nothing (D13).
func (f *finder) news(all []int32) bool {
	made := false
	var last, newest Candidate
	for _, i := range all {
		m := f.part[i]
		switch {
		case slices.Contains(m.Tags, TagConsolidated):
			if !made || later(m, last) {
				last, made = m, true
			}
		case newest.ID == "" || later(m, newest):
			newest = m
		}
	}
	return !made || newest.ID != "" && newest.CreatedAt.After(last.CreatedAt)
}

func later(a, b Candidate) bool { return a.CreatedAt.After(b.CreatedAt) }

// asked reports whether a person was asked about the group, or most of it, before.
func (f *finder) asked(g Group) bool {
	sources := g.Sources()
	for _, o := range f.Offered {
		both := 0
		for _, id := range sources {
			if slices.Contains(o.Members, id) {
				both++
			}
		}
		if both > 0 && !o.Declined || 2*both > len(sources) {
			return true
		}
	}
	return false
}
