package recall

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"
	"time"
	"unicode"

	"github.com/winnowhq/winnow/services/internal/memory"
	"github.com/winnowhq/winnow/services/internal/model/embed"
	"github.com/winnowhq/winnow/services/internal/model/rerank"
	"github.com/winnowhq/winnow/services/internal/recall/search"
	"github.com/winnowhq/winnow/services/internal/store"
	"github.com/winnowhq/winnow/services/internal/vector"
)

// Limits of one question.
const (
	MaxQuery     = 10_000 // bytes; more is no question
	DefaultLimit = 10
)

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

	// Local says that Index and Embedder are in this process, so that a search is
	// arithmetic: then as many run at once as there are processors, first come
	// first served.
	Local bool

	// Reranker reads the pool again, nil for none.
	Reranker rerank.Reranker

	// Beside finds what stands next to a memory in its session; with nil each is
	// read alone.
	Beside store.Surroundings

	// Served keeps what was shown in a session; nil keeps nothing. Unrecorded,
	// when not nil, hears why something was not kept; it may be called from any
	// goroutine.
	Served     store.ServedLog
	Unrecorded func(error)

	indexAway, modelAway, rerankerAway outage
	recording                          sync.WaitGroup
	turns                              turns
}

// Question is what is looked for, and where.
type Question struct {
	Text   string
	Tenant memory.Tenant
	Scopes []memory.Scope // none: all of the tenant
	Filter search.Filter  // its Scopes are not used
	Limit  int            // 0: DefaultLimit
	Deep   bool

	// Session is where the answer is shown, and Principal who asks. Without a
	// session nothing is kept of who was shown what.
	Session, Principal string
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

// Found is a memory with its place in the answer. Its tags and topics are shared
// with other answers and must not be changed.
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
	turn, err := r.turn(ctx, q)
	if err != nil {
		return Answer{}, failed(err)
	}
	defer turn.end()
	var a Answer
	found, err := r.candidates(ctx, q, depth, &a)
	if err != nil {
		return a, err
	}
	l, err := r.look(ctx, turn, q, depth, found)
	if err != nil {
		return a, err
	}
	if wider := found.narrowed(ctx, q, l.pool); wider != nil {
		found.lists = *wider
		if l, err = r.look(ctx, turn, q, depth, found); err != nil {
			return a, err
		}
	}
	evidence := r.evidence(ctx, q.Text, l, &a)
	best := search.Settle(l.pool, evidence, l.rows, r.Options, min(q.Limit, depth.Most))
	a.Found = make([]Found, 0, len(best))
	for _, s := range best {
		a.Found = append(a.Found, Found{Memory: *l.memories[s.ID].Memory, Relevance: s.Relevance, Redirected: l.redirected[s.ID]})
	}
	a.Capped = l.pool.Capped
	a.Why = r.why(ctx, q, l.pool, len(a.Found))
	r.record(ctx, q, a.Found)
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
	case !strings.ContainsFunc(q.Text, says):
		return depth, fmt.Errorf("%w: the query is empty; name what you look for", ErrQuestion)
	case q.Limit < 0:
		return depth, fmt.Errorf("%w: limit %d; give 1 or more", ErrQuestion, q.Limit)
	case q.Limit == 0:
		q.Limit = DefaultLimit
	}
	return depth, nil
}

// says whether a character can be looked for: an emoji can, a dash cannot.
func says(c rune) bool { return unicode.IsLetter(c) || unicode.IsDigit(c) || unicode.Is(unicode.So, c) }

func (a *Answer) note(text string) {
	if !slices.Contains(a.Notes, text) {
		a.Notes = append(a.Notes, text)
	}
}

// evidence looks at the pool word by word, and lets a reranker read it.
func (r *Recall) evidence(ctx context.Context, question string, l looked, a *Answer) search.Evidence {
	var e search.Evidence
	if len(l.pool.Scored) == 0 {
		return e
	}
	texts := make([]string, len(l.pool.Scored))
	passages := make([]search.Passage, len(texts))
	for i, s := range l.pool.Scored {
		passages[i] = l.passage(s.ID)
		texts[i] = passages[i].Text
	}
	var err error
	if e.Match, err = r.Matcher.Match(ctx, question, passages); err != nil {
		a.note("words could not be compared closely: the order is that of the index")
	}
	if r.Reranker == nil {
		return e
	}
	if !r.rerankerAway.skip() {
		err = l.turn.aside(func() (err error) {
			e.Rerank, err = r.Reranker.Rerank(ctx, question, texts)
			return err
		})
		r.rerankerAway.set(err != nil)
	}
	if e.Rerank == nil {
		a.note("the reranker cannot be asked: the order is that without it")
	}
	return e
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
	list, err := r.Store.Newest(ctx, q.Tenant, store.NewestQuery{Scopes: q.Scopes, Each: 1})
	if err != nil || len(list) > 0 {
		return "no memory has a word of it or means something like it"
	}
	return "nothing is stored there yet"
}

// recordWithin bounds how long keeping what was shown may take. Only Close waits for it.
const recordWithin = 30 * time.Second

// record keeps what was shown, beside the answer: a search neither waits for it
// nor fails with it.
func (r *Recall) record(ctx context.Context, q Question, found []Found) {
	if r.Served == nil || q.Session == "" || len(found) == 0 {
		return
	}
	now := time.Now().UTC()
	list := make([]store.Served, len(found))
	for i := range found {
		list[i] = store.Served{SessionID: q.Session, MemoryID: found[i].ID, Principal: q.Principal, At: now}
	}
	ctx, cancel := context.WithTimeout(context.WithoutCancel(ctx), recordWithin)
	r.recording.Go(func() {
		defer cancel()
		if err := r.Served.RecordServed(ctx, q.Tenant, list); err != nil && r.Unrecorded != nil {
			r.Unrecorded(err)
		}
	})
}

// Close waits for what is still being kept. Nobody searches any more.
func (r *Recall) Close() { r.recording.Wait() }
