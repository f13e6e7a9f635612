package recall

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync/atomic"
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

// ErrQuestion reports a question that cannot be searched for as given; the message
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

	// Index is asked first, and Spare, which reads Postgres, while Index cannot be
	// reached. Spare may be nil where Index is in this process.
	Index, Spare vector.Backend

	// Local says that Index and Embedder are in this process, so that a search is CPU
	// work: then at most GOMAXPROCS searches run at once, in order of arrival.
	Local bool

	// Reranker reads the pool again, nil for none.
	Reranker rerank.Reranker

	// Neighbours reads the neighbours of a memory in its session; with nil each memory is
	// read alone.
	Neighbours store.NeighbourReader

	// Served stores which memories were shown in a session; nil stores nothing.
	// Unrecorded, when not nil, is called with the error of a failed store, from any
	// goroutine.
	Served     store.ServedLog
	Unrecorded func(error)
	// Research stores what callers searched and read (D17); nil stores nothing. A
	// failure is told to Unrecorded too.
	Research store.ResearchLog

	indexBreaker, modelBreaker, rerankerBreaker breaker
	outage                                      atomic.Pointer[string] // cause of the index's last failure
	recording                                   recordings
	limiter                                     limiter
}

// Question is one search request.
type Question struct {
	Text   string
	Tenant memory.Tenant
	Scopes []memory.Scope // none: all of the tenant
	Filter search.Filter  // its Scopes are not used
	Limit  int            // 0: DefaultLimit
	Deep   bool

	// Session is the session that the answer is shown in, and Principal the asker.
	// Without a session nothing is stored of what was shown.
	Session, Principal string
	// Words are the question's words as they may be stored, for the log of research;
	// nil stores no search.
	Words []string
	// Unasked says that nobody asked: what has least to do with the text is better than
	// nothing, so the floor of relevance does not apply.
	Unasked bool
	// Previews says that the caller shows the beginnings of the memories found, so that
	// none counts as shown or read.
	Previews bool
}

// Answer is the result of a search, best first.
type Answer struct {
	Found []Found `json:"found"`
	// Why explains an empty answer.
	Why string `json:"why,omitempty"`
	// Notes name the dependencies that were not available, so that the answer may be
	// worse than usual.
	Notes []string `json:"notes,omitempty"`
	// Capped counts candidates beyond the depth; a deep search sees more.
	Capped int `json:"capped,omitempty"`
}

// Found is a memory with its relevance. Its tags and topics are shared with other
// answers and must not be changed.
type Found struct {
	memory.Memory
	Relevance float64 `json:"relevance"` // 0–1
	// Redirected says that the search found an archived memory that this one replaced.
	Redirected bool `json:"redirected,omitempty"`
}

// Search answers a question. The error is ErrQuestion, or an error of the store.
func (r *Recall) Search(ctx context.Context, q Question) (Answer, error) {
	depth, err := q.check()
	if err != nil {
		return Answer{}, err
	}
	held, err := r.acquire(ctx, q)
	if err != nil {
		return Answer{}, failed(err)
	}
	defer held.release()
	var a Answer
	space := spaces.Get().(*space)
	found, err := r.candidates(ctx, q, depth, &space.lists, &a)
	if err != nil {
		return a, err // another search may still write its lists: they are not used again
	}
	defer space.done()
	l, err := r.look(ctx, held, q, depth, found, space)
	if err != nil {
		return a, err
	}
	if wider := found.narrowed(ctx, q, l.pool); wider != nil {
		found.lists = *wider
		space.clear()
		if l, err = r.look(ctx, held, q, depth, found, space); err != nil {
			return a, err
		}
	}
	if err := r.wholeTopic(ctx, q, depth, &l); err != nil {
		return a, err
	}
	led, err := r.led(ctx, q.Tenant, found.lists, depth, &l)
	if err != nil {
		return a, err
	}
	evidence := r.evidence(ctx, q.Text, l, led, &a)
	if evidence.Rerank == nil && r.floor(q) {
		if search.BelowFloor(l.pool.Scored, evidence.Match, found.lists) {
			a.Why = fmt.Sprintf("nothing stored has to do with it: all %d candidates are below the floor of relevance; a deep search shows them", len(l.pool.Scored))
			r.record(ctx, q, nil)
			return a, nil
		}
		evidence.Far = search.Far(l.pool.Scored, evidence.Match, found.lists)
	}
	best := search.SettleIn(space.best, l.pool, evidence, l.row, r.Options, min(q.Limit, depth.Most))
	space.best = best
	a.Found = make([]Found, 0, len(best))
	for _, s := range best {
		a.Found = append(a.Found, Found{Memory: *l.memories[s.ID].Memory, Relevance: s.Relevance, Redirected: l.redirected[s.ID]})
	}
	a.Capped = l.pool.Capped
	a.Why = r.why(ctx, q, l.pool, len(a.Found))
	r.record(ctx, q, a.Found)
	return a, nil
}

// floor reports whether what has nothing to do with the question is left out. A deep search,
// one within a topic and one that nobody asked for have no floor.
func (r *Recall) floor(q Question) bool {
	return r.Options.Floor && !q.Deep && !q.Unasked && q.Filter.Topic == ""
}

// check validates the question and fills in the default limit. The error is
// ErrQuestion.
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
	case !strings.ContainsFunc(q.Text, searchable):
		return depth, fmt.Errorf("%w: the query is empty; name what you look for", ErrQuestion)
	case q.Limit < 0:
		return depth, fmt.Errorf("%w: limit %d; give 1 or more", ErrQuestion, q.Limit)
	case q.Limit == 0:
		q.Limit = DefaultLimit
	}
	return depth, nil
}

// searchable reports whether a character can be searched for: an emoji can, a dash
// cannot.
func searchable(c rune) bool {
	return unicode.IsLetter(c) || unicode.IsDigit(c) || unicode.Is(unicode.So, c)
}

func (a *Answer) note(text string) {
	if !slices.Contains(a.Notes, text) {
		a.Notes = append(a.Notes, text)
	}
}

// evidence matches the pool and what led to it word by word, and scores both with the
// reranker where one is set.
func (r *Recall) evidence(ctx context.Context, question string, l looked, led led, a *Answer) search.Evidence {
	var e search.Evidence
	if len(l.pool.Scored) == 0 {
		return e
	}
	passages := append(l.passages(), led.passages...)
	var err error
	if e.Match, err = r.Matcher.MatchIn(ctx, l.space.signs, question, passages); err != nil {
		a.note("words could not be compared closely: the order is that of the index")
	}
	if e.Match != nil {
		l.space.signs = e.Match
	}
	if r.Reranker == nil {
		return search.Fold(e, l.pool.Scored, led.leads)
	}
	texts := make([]string, len(passages))
	for i := range passages {
		texts[i] = passages[i].Text
	}
	if !r.rerankerBreaker.skip() {
		err = l.slot.yield(func() (err error) {
			e.Rerank, err = r.Reranker.Rerank(ctx, question, texts)
			return err
		})
		r.rerankerBreaker.record(err != nil)
	}
	if e.Rerank == nil {
		a.note("the reranker cannot be asked: the order is that without it")
	}
	return search.Fold(e, l.pool.Scored, led.leads)
}

// why explains an empty answer. It is empty where something was found.
func (r *Recall) why(ctx context.Context, q Question, p search.Pool, found int) string {
	switch {
	case found > 0:
		return ""
	case p.Unsure > 0:
		return fmt.Sprintf("%d memories match, all below the confidence of %.2f", p.Unsure, q.Filter.MinConfidence)
	case p.Filtered > 0:
		return fmt.Sprintf("%d memories match, none of the kind or outcome or topic asked for", p.Filtered)
	}
	list, err := r.Store.Newest(ctx, q.Tenant, store.NewestQuery{Scopes: q.Scopes, Each: 1})
	if err != nil || len(list) > 0 {
		return "no memory has a word of it or means something like it"
	}
	return "nothing is stored there yet"
}
