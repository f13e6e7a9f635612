package recall

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"unicode"

	"github.com/winnowhq/winnow/services/internal/embed"
	"github.com/winnowhq/winnow/services/internal/memory"
	"github.com/winnowhq/winnow/services/internal/search"
	"github.com/winnowhq/winnow/services/internal/store"
	"github.com/winnowhq/winnow/services/internal/vector"
)

// Limits of one question.
const (
	MaxQuery     = 10_000 // bytes; more is no question
	DefaultLimit = 10
)

// tagConsolidated marks what was made of several memories (D13).
const tagConsolidated = "consolidated"

// maxRedirects bounds the chain of successors that is followed.
const maxRedirects = 8

// ErrQuestion says that a question cannot be asked as it stands; the message
// names the field and the remedy.
var ErrQuestion = errors.New("cannot search for this")

// Recall searches the memories of a tenant. Its fields are not changed once it
// is in use; it is safe for concurrent use.
type Recall struct {
	Store    store.Reader
	Embedder embed.Embedder
	Analyzer *search.Analyzer
	Matcher  *search.Matcher
	Options  search.Options

	// Index is asked first; Spare, which reads Postgres, while that cannot be
	// reached. Spare may be nil where Index itself is on this machine.
	Index, Spare vector.Backend
}

// Question is what is looked for, and where.
type Question struct {
	Text   string
	Tenant memory.Tenant
	Scopes []memory.Scope // none: all of the tenant
	Filter search.Filter  // its Scopes are not used
	Limit  int            // 0: DefaultLimit
	Deep   bool
}

// Answer is what was found, best first.
type Answer struct {
	Found []Found `json:"found"`
	// Why says why nothing was found.
	Why string `json:"why,omitempty"`
	// Notes say what was not available, so that the answer may be worse than
	// usual.
	Notes []string `json:"notes,omitempty"`
	// Capped counts candidates beyond the depth; a deep search sees more.
	Capped int `json:"capped,omitempty"`
}

// Found is a memory with its place in the answer.
type Found struct {
	memory.Memory
	Relevance float64 `json:"relevance"` // 0–1
	// Redirected says that an archived memory was found that this one replaced.
	Redirected bool `json:"redirected,omitempty"`
}

// Search answers a question. The error is ErrQuestion, or that of the store.
func (r *Recall) Search(ctx context.Context, q Question) (Answer, error) {
	depth, err := q.check()
	if err != nil {
		return Answer{}, err
	}
	var a Answer
	lists, err := r.candidates(ctx, q, depth, &a)
	if err != nil {
		return a, err
	}
	ranked := search.Fuse(lists, r.Options)
	memories, ranked, err := r.read(ctx, q.Tenant, ranked)
	if err != nil {
		return a, err
	}
	rows := make(map[string]search.Row, len(memories))
	for id, m := range memories {
		rows[id] = search.RowOf(&m, slices.Contains(m.Tags, tagConsolidated))
	}
	pool := search.Gather(ranked, rows, q.Filter, r.Options, depth.Pool)
	evidence, err := r.evidence(ctx, q.Text, pool, memories)
	if err != nil {
		a.note("the model cannot be asked: words alone are compared")
	}
	redirected := redirects(lists)
	for _, s := range search.Settle(pool, evidence, rows, r.Options, min(q.Limit, depth.Most)) {
		a.Found = append(a.Found, Found{Memory: memories[s.ID], Relevance: s.Relevance, Redirected: redirected[s.ID]})
	}
	a.Capped = pool.Capped
	a.Why = r.why(ctx, q, pool, len(a.Found))
	return a, nil
}

// check refuses what is no question, and fills in the limit.
func (q *Question) check() (search.Depth, error) {
	depth := search.Standard
	if q.Deep {
		depth = search.Deep
	}
	switch {
	case q.Tenant == "":
		return depth, fmt.Errorf("%w: no tenant", ErrQuestion)
	case len(q.Text) > MaxQuery:
		return depth, fmt.Errorf("%w: the query has %d bytes; ask with at most %d", ErrQuestion, len(q.Text), MaxQuery)
	case !strings.ContainsFunc(q.Text, func(c rune) bool { return unicode.IsLetter(c) || unicode.IsDigit(c) }):
		return depth, fmt.Errorf("%w: the query is empty; name what you look for", ErrQuestion)
	case q.Limit < 0:
		return depth, fmt.Errorf("%w: limit %d; give 1 or more", ErrQuestion, q.Limit)
	case q.Limit == 0:
		q.Limit = DefaultLimit
	}
	return depth, nil
}

func (a *Answer) note(text string) {
	if !slices.Contains(a.Notes, text) {
		a.Notes = append(a.Notes, text)
	}
}

// candidates asks the index, or the spare one while that is away.
func (r *Recall) candidates(ctx context.Context, q Question, depth search.Depth, a *Answer) (vector.Lists, error) {
	lists, err := r.ask(ctx, r.Index, q, depth, a)
	if errors.Is(err, vector.ErrUnavailable) && r.Spare != nil {
		a.note("the index cannot be reached: answered from the database")
		lists, err = r.ask(ctx, r.Spare, q, depth, a)
	}
	if err != nil {
		return vector.Lists{}, fmt.Errorf("search: %w", err)
	}
	return lists, nil
}

func (r *Recall) ask(ctx context.Context, b vector.Backend, q Question, depth search.Depth, a *Answer) (vector.Lists, error) {
	g, err := b.Active(ctx)
	if err != nil {
		return vector.Lists{}, err
	}
	x, err := b.Open(ctx, g)
	if err != nil {
		return vector.Lists{}, err
	}
	within := vector.Everywhere(q.Tenant)
	if len(q.Scopes) > 0 {
		within = vector.Within(q.Tenant, q.Scopes...)
	}
	return x.Search(ctx, within, vector.Query{
		Dense: r.embed(ctx, g, q.Text, a), Terms: r.Analyzer.Query(q.Text), Limit: depth.Candidates,
	})
}

// embed is the question's vector of the generation's model, or nil where that
// model cannot be asked: vectors of two models are never compared.
func (r *Recall) embed(ctx context.Context, g vector.Generation, text string, a *Answer) []float32 {
	switch {
	case g.Dim == 0:
		return nil
	case g.Model != r.Embedder.ID():
		a.note("the index was made with another model (" + g.Model + "): words alone are compared; run winnow index reembed")
		return nil
	}
	v, err := r.Embedder.Embed(ctx, []string{text})
	if err != nil {
		a.note("the model cannot be asked: words alone are compared")
		return nil
	}
	return v[0]
}

// read loads the rows behind a ranking. One that was archived since the index
// saw it leads on to its successor.
func (r *Recall) read(ctx context.Context, tenant memory.Tenant, ranked []search.Scored) (map[string]memory.Memory, []search.Scored, error) {
	found := make(map[string]memory.Memory, len(ranked))
	leads := map[string]string{}
	wanted := make([]string, len(ranked))
	for i, s := range ranked {
		wanted[i] = s.ID
	}
	for range maxRedirects {
		if len(wanted) == 0 {
			break
		}
		list, err := r.Store.Memories(ctx, tenant, store.MemoryQuery{IDs: wanted})
		if err != nil {
			return nil, nil, fmt.Errorf("search: %w", err)
		}
		wanted = wanted[:0]
		for _, m := range list {
			if m.State == memory.StateActive {
				found[m.ID] = m
				continue
			}
			leads[m.ID] = m.SuccessorID
			if _, known := found[m.SuccessorID]; m.SuccessorID != "" && !known {
				wanted = append(wanted, m.SuccessorID)
			}
		}
	}
	seen := map[string]bool{}
	kept := ranked[:0]
	for _, s := range ranked {
		for range maxRedirects {
			next, archived := leads[s.ID]
			if !archived {
				break
			}
			s.ID = next
		}
		if _, ok := found[s.ID]; ok && !seen[s.ID] {
			seen[s.ID] = true
			kept = append(kept, s)
		}
	}
	return found, kept, nil
}

// evidence looks at the pool word by word.
func (r *Recall) evidence(ctx context.Context, question string, p search.Pool, memories map[string]memory.Memory) (search.Evidence, error) {
	passages := make([]search.Passage, len(p.Scored))
	for i, s := range p.Scored {
		passages[i].Text = embed.Text(memories[s.ID])
	}
	match, err := r.Matcher.Match(ctx, question, passages)
	if err != nil {
		return search.Evidence{}, err
	}
	return search.Evidence{Match: match}, nil
}

// redirects are the memories that an archived one led to.
func redirects(lists vector.Lists) map[string]bool {
	led := map[string]bool{}
	for _, list := range [][]vector.Hit{lists.Dense, lists.Lexical} {
		for _, h := range list {
			if h.State == vector.Archived {
				led[h.Successor] = true
			}
		}
	}
	return led
}

// why explains an empty answer.
func (r *Recall) why(ctx context.Context, q Question, p search.Pool, found int) string {
	switch {
	case found > 0:
		return ""
	case p.Unsure > 0:
		return fmt.Sprintf("%d memories match, all below the confidence of %.2f", p.Unsure, q.Filter.MinConfidence)
	case p.Filtered > 0:
		return fmt.Sprintf("%d memories match, none of the kind or outcome asked for", p.Filtered)
	}
	for _, scope := range append(slices.Clone(q.Scopes), "") {
		if scope == "" && len(q.Scopes) > 0 {
			break
		}
		list, err := r.Store.Memories(ctx, q.Tenant, store.MemoryQuery{Scope: scope, States: []memory.State{memory.StateActive}, Limit: 1})
		if err != nil || len(list) > 0 {
			return "no memory has a word of it or means something like it"
		}
	}
	return "nothing is stored there yet"
}
