package eval

import (
	"context"
	"fmt"
	"slices"
	"time"

	"github.com/winnowhq/winnow/services/internal/memory"
	"github.com/winnowhq/winnow/services/internal/model/embed"
	"github.com/winnowhq/winnow/services/internal/recall/search"
	"github.com/winnowhq/winnow/services/internal/vector"
)

// RetrievalOptions are the options of [Retrieval].
type RetrievalOptions struct {
	// Embedder embeds texts and queries.
	Embedder embed.Embedder
	// Words embeds single words, for which no search calls a server; nil is Embedder.
	Words embed.Embedder
	// Open returns an empty index of a generation.
	Open func(context.Context, vector.Generation) (vector.Index, error)
	// Fusion is the name of one; empty is the default.
	Fusion string
	// Deep searches with the depth of `winnow search --deep`.
	Deep bool
	// Alone ignores the neighbours of a document.
	Alone bool
	// Pool notes the signs of every candidate, from which weights can be fitted again.
	Pool bool
}

// Retrieval asks labelled questions of labelled texts and scores the ranks of the
// evidence (SPEC §18). It searches as the product does: the same index driver, the same
// fusion, the same pool; every store is a tenant of its own. The file is LoCoMo's JSON,
// BEAM's, or lines in Winnow's format.
func Retrieval(ctx context.Context, path string, opts RetrievalOptions) (*RetrievalReport, error) {
	stores, err := loadRetrieval(path)
	if err != nil {
		return nil, fmt.Errorf("eval retrieval: %w", err)
	}
	return retrieval(ctx, stores, opts)
}

// RetrievalOf is [Retrieval] of lines in memory.
func RetrievalOf(ctx context.Context, lines []RetrievalLine, opts RetrievalOptions) (*RetrievalReport, error) {
	return retrieval(ctx, storesOf(lines), opts)
}

func retrieval(ctx context.Context, stores []retrievalStore, opts RetrievalOptions) (*RetrievalReport, error) {
	r, err := newRetrievalRun(ctx, opts)
	if err != nil {
		return nil, fmt.Errorf("eval retrieval: %w", err)
	}
	for n := range stores {
		if err := r.store(ctx, n, &stores[n]); err != nil {
			return nil, fmt.Errorf("eval retrieval: %s: %w", stores[n].name, err)
		}
	}
	report := scoreRetrieval(r.items)
	report.Embedder, report.Fusion = opts.Embedder.ID(), string(r.search.Fusion)
	return report, nil
}

// retrievalRun answers the questions of all stores.
type retrievalRun struct {
	opts       RetrievalOptions
	search     search.Options
	analyzer   *search.Analyzer
	matcher    *search.Matcher
	depth      search.Depth
	generation vector.Generation
	index      vector.Index
	items      []*RetrievalItem
}

// newRetrievalRun opens the index that a measurement searches.
func newRetrievalRun(ctx context.Context, opts RetrievalOptions) (*retrievalRun, error) {
	analyzer, words := search.NewAnalyzer(), opts.Words
	if words == nil {
		words = opts.Embedder
	}
	r := &retrievalRun{
		opts: opts, search: search.DefaultOptions(), depth: search.Standard,
		analyzer: analyzer, matcher: search.NewMatcher(analyzer, words.Embed),
		generation: vector.Generation{N: 1, Model: opts.Embedder.ID(), Dim: opts.Embedder.Dim(), Analyzer: search.AnalyzerID, AvgLen: search.AvgLen},
	}
	var err error
	if r.search.Fusion, err = search.ParseFusion(opts.Fusion); err != nil {
		return nil, err
	}
	// The floor is that of the table of words (services/run): another model has none, and
	// without a table only equal words are near.
	r.search.Floor = !opts.Deep && words.Dim() > 0 && (opts.Embedder.Dim() == 0 || opts.Embedder.ID() == words.ID())
	if opts.Deep {
		r.depth = search.Deep
	}
	if r.index, err = opts.Open(ctx, r.generation); err != nil {
		return nil, err
	}
	return r, nil
}

// indexedStore is one store with its index.
type indexedStore struct {
	tenant memory.Tenant
	ids    map[string]int // position in the store, by index id
	texts  []string
	rows   map[string]*search.Row
	docs   []retrievalDoc
}

// memoryID returns the id of the nth document of a store, in the form of a ULID.
func memoryID(n int) string { return fmt.Sprintf("%s%026d", memory.PrefixMemory, n) }

const shelfScope memory.Scope = "project:eval"

// store indexes the texts of one store and asks its questions.
func (r *retrievalRun) store(ctx context.Context, n int, s *retrievalStore) error {
	sh := &indexedStore{tenant: memory.Tenant(fmt.Sprintf("eval-%d", n)), docs: s.docs, ids: map[string]int{}, rows: map[string]*search.Row{}}
	at := map[string]string{}
	for i, d := range s.docs {
		sh.ids[memoryID(i)], at[d.id] = i, memoryID(i)
		sh.texts = append(sh.texts, embed.Text(memory.Memory{Title: d.title, Description: d.description, Text: d.text}))
		if d.successor == "" {
			sh.rows[memoryID(i)] = &search.Row{Scope: shelfScope, Kind: memory.KindFact, Confidence: 1, Authority: memory.OriginFirstParty, Consolidated: d.consolidated}
		}
	}
	vectors, err := r.opts.Embedder.Embed(ctx, sh.texts)
	if err != nil {
		return err
	}
	docs := make([]vector.Doc, len(s.docs))
	for i, text := range sh.texts {
		docs[i] = vector.Doc{
			ID: memoryID(i), Tenant: sh.tenant, Scope: shelfScope, Kind: memory.KindFact, State: vector.Active, Version: 1,
			UpdatedAt: firstDay.Add(time.Duration(i)), Dense: vectors[i], Terms: r.analyzer.Terms(text),
		}
		if next := s.docs[i].successor; next != "" { // a redirect, as after a consolidation
			docs[i].State, docs[i].Successor = vector.Archived, at[next]
		}
	}
	if err := r.index.Put(ctx, docs); err != nil {
		return err
	}
	for _, q := range slices.Concat(s.questions, s.unanswerable) {
		a, err := r.ask(ctx, sh, q.query)
		if err != nil {
			return fmt.Errorf("question %s: %w", q.id, err)
		}
		it := itemOf(s, q, a.places)
		it.Emptied, it.Pool = a.emptied, a.pool
		r.items = append(r.items, it)
	}
	return nil
}

// retrieved is the answer to one question.
type retrieved struct {
	places  []int // positions in the store, best first
	emptied bool  // by the floor of relevance
	pool    []PoolEntry
}

// ask runs one search as the product does.
func (r *retrievalRun) ask(ctx context.Context, sh *indexedStore, query string) (retrieved, error) {
	var out retrieved
	vectors, err := r.opts.Embedder.Embed(ctx, []string{query})
	if err != nil {
		return out, err
	}
	lists, err := r.index.Search(ctx, vector.Within(sh.tenant, shelfScope), vector.Query{
		Dense: vectors[0], Terms: r.analyzer.Query(query), Limit: r.depth.Candidates,
	})
	if err != nil {
		return out, err
	}
	ranked := search.Spread(search.Fuse(lists, r.search), sh.neighbours(r.opts.Alone), r.search)
	pool := search.Gather(ranked, sh.row, search.Filter{}, r.search, r.depth.Pool)
	var found search.Evidence
	if r.search.MatchShare > 0 {
		passages := sh.passages(pool.Scored, r.opts.Alone)
		leads := search.Leads(lists, pool.Scored, func(string) string { return "" }, r.depth.Leads)
		for _, l := range leads {
			i := sh.ids[l.ID]
			passages = append(passages, search.Passage{Text: sh.texts[i], Title: sh.docs[i].title, Fused: pool.Scored[l.Of].Fused})
		}
		if found.Match, err = r.matcher.Match(ctx, query, passages); err != nil {
			return out, err
		}
		found = search.Fold(found, pool.Scored, leads)
	}
	if r.opts.Pool {
		out.pool = sh.entries(pool.Scored, found.Match)
	}
	if r.search.Floor {
		if search.BelowFloor(pool.Scored, found.Match, lists) {
			out.emptied = true
			return out, nil
		}
		found.Far = search.Far(pool.Scored, found.Match, lists)
	}
	for _, s := range search.Settle(pool, found, sh.row, r.search, r.depth.Most) {
		out.places = append(out.places, sh.ids[s.ID])
	}
	return out, nil
}

// row returns what a search needs to know of a document, nil for a redirect.
func (sh *indexedStore) row(id string) *search.Row { return sh.rows[id] }

// PoolEntry is a candidate with what the close look saw in it.
type PoolEntry struct {
	ID     string  `json:"id"`
	Fused  float64 `json:"fused"`
	Cosine float64 `json:"cosine"`
	search.Signs
}

func (sh *indexedStore) entries(pool []search.Scored, signs []search.Signs) []PoolEntry {
	if signs == nil {
		return nil
	}
	out := make([]PoolEntry, len(pool))
	for i, s := range pool {
		out[i] = PoolEntry{ID: sh.docs[sh.ids[s.ID]].id, Fused: s.Fused, Cosine: s.Cosine, Signs: signs[i]}
	}
	return out
}

// reach is how many neighbours of a passage are read on either side.
const reach = 2

// atDistance returns the documents at a distance in the same session.
func (sh *indexedStore) atDistance(i, distance int) []int {
	var out []int
	for _, j := range []int{i - distance, i + distance} {
		if j >= 0 && j < len(sh.docs) && sh.docs[i].session != "" && sh.docs[j].session == sh.docs[i].session {
			out = append(out, j)
		}
	}
	return out
}

func (sh *indexedStore) neighbours(alone bool) search.Neighbours {
	if alone {
		return nil
	}
	return func(id string) []string {
		var out []string
		for _, j := range sh.atDistance(sh.ids[id], 1) {
			out = append(out, memoryID(j))
		}
		return out
	}
}

func (sh *indexedStore) passages(pool []search.Scored, alone bool) []search.Passage {
	out := make([]search.Passage, len(pool))
	at := make(map[int]int, len(pool))
	for n, s := range pool {
		at[sh.ids[s.ID]] = n + 1
	}
	for n, s := range pool {
		i := sh.ids[s.ID]
		out[n] = search.Passage{Text: sh.texts[i], Title: sh.docs[i].title, Fused: s.Fused}
		for d := 1; d <= reach && !alone; d++ {
			for _, j := range sh.atDistance(i, d) {
				out[n].Around = append(out[n].Around, search.Near{Text: sh.texts[j], Distance: d, At: at[j]})
			}
		}
	}
	return out
}
