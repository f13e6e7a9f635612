package recall_test

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/winnowhq/winnow/services/internal/change"
	"github.com/winnowhq/winnow/services/internal/ident"
	"github.com/winnowhq/winnow/services/internal/memory"
	"github.com/winnowhq/winnow/services/internal/model/embed/static"
	"github.com/winnowhq/winnow/services/internal/recall"
	"github.com/winnowhq/winnow/services/internal/recall/indexing"
	"github.com/winnowhq/winnow/services/internal/recall/search"
	"github.com/winnowhq/winnow/services/internal/store"
	"github.com/winnowhq/winnow/services/internal/store/postgres/pgtest"
	"github.com/winnowhq/winnow/services/internal/test/testenv"
	"github.com/winnowhq/winnow/services/internal/vector"
	"github.com/winnowhq/winnow/services/internal/vector/vectortest"
)

// clients is how many search at once, each its next question after its last answer.
const clients = 8

// warm is how many questions a process has answered before it is measured. None of them
// is asked again: only memories and words are cached, no answers.
const warm = 1024

// spoken is how many memories each session yields, in rotation: a distiller writes
// three at most.
var spoken = []int{1, 2, 3}

// BenchmarkSearch is SPEC §17's search: words and meaning over one tenant, eight
// clients at once, rows from Postgres. The load is reported beside it: reading
// everything from Postgres on first use, and the processor time of a search, to the
// hundredth of a second of all. p50/bandwidth is the median divided by
// the time that the processors take merely to read every float32 vector once for
// each of the eight.
func BenchmarkSearch(b *testing.B) {
	for _, size := range testenv.Amounts(10_000, 100_000) {
		// Made once, for the trial run and the long one.
		made := sync.OnceValue(func() *plant { return newPlant(b, size) })
		b.Run(fmt.Sprint(size), func(b *testing.B) {
			p := made()
			questions := p.questions(warm + 2048)
			for _, q := range questions[:warm] {
				p.ask(q)
			}
			questions = questions[warm:]
			bound := clients * vectortest.ReadTime(size*p.dim)
			took := make([]time.Duration, b.N)
			next := make(chan int, b.N)
			for i := range b.N {
				next <- i
			}
			close(next)
			burnt := testenv.OwnCPUSeconds()
			b.ResetTimer()
			var working sync.WaitGroup
			for range clients {
				working.Go(func() {
					for i := range next {
						began := time.Now()
						p.ask(questions[i%len(questions)])
						took[i] = time.Since(began)
					}
				})
			}
			working.Wait()
			b.StopTimer()
			b.ReportMetric((testenv.OwnCPUSeconds()-burnt)*1e6/float64(b.N), "cpu-µs/op")
			slices.Sort(took)
			for _, q := range []float64{0.5, 0.99} {
				at := took[min(int(q*float64(len(took))), len(took)-1)]
				b.ReportMetric(float64(at.Microseconds())/1000, fmt.Sprintf("p%g-ms", q*100))
			}
			b.ReportMetric(p.load.Seconds(), "load-s")
			b.ReportMetric(float64(took[len(took)/2])/float64(bound), "p50/bandwidth")
		})
	}
}

// plant is a tenant of some size, with its index in memory.
type plant struct {
	*testing.B
	recall *recall.Recall
	texts  []string
	load   time.Duration
	dim    int
}

func newPlant(b *testing.B, size int) *plant {
	b.Helper()
	p := &plant{B: b}
	s, table := pgtest.Open(b), static.New()
	truth := &indexing.Truth{Store: s, Embedder: table, Analyzer: search.NewAnalyzer(), Local: true, Originals: true}
	p.fill(s, truth, size)
	p.recall = &recall.Recall{
		Store: s, Embedder: table, Analyzer: truth.Analyzer, Matcher: search.NewMatcher(truth.Analyzer, table.Embed),
		Options: search.DefaultOptions(), Local: true, Index: following(b, truth, s, indexing.Slack), Neighbours: s,
	}
	began := time.Now()
	g, err := p.recall.Index.Active(b.Context())
	if err != nil {
		b.Fatal(err)
	}
	x, err := p.recall.Index.Open(b.Context(), g)
	if err != nil {
		b.Fatal(err)
	}
	if _, err := x.Search(b.Context(), vector.Everywhere(memory.DefaultTenant), vector.Query{Terms: []uint32{1}, Limit: 1}); err != nil {
		b.Fatal(err)
	}
	p.load, p.dim = time.Since(began), g.Dim
	return p
}

// fill stores memories and their vectors.
func (p *plant) fill(s store.Store, truth *indexing.Truth, size int) {
	p.Helper()
	rng := rand.New(rand.NewPCG(17, uint64(size)))
	now := time.Now().UTC().Truncate(time.Microsecond)
	session, sessions, left := "", 0, 0
	for chunk := range slices.Chunk(make([]memory.Memory, size), 5000) {
		ids := make([]string, len(chunk))
		proposals := make([]memory.Proposal, len(chunk))
		for i := range chunk {
			if left == 0 {
				sessions++
				session, left = ident.New(memory.PrefixEvent), spoken[sessions%len(spoken)]
			}
			left--
			m := &chunk[i]
			*m = memory.Memory{
				ID: ident.New(memory.PrefixMemory), Tenant: memory.DefaultTenant, State: memory.StateActive, Text: sentence(rng),
				Scope: memory.Scope(fmt.Sprintf("project:p%d", sessions%20)), Kind: memory.KindFact, Confidence: 0.8,
				Importance: 5, SeenCount: 1, Authority: memory.OriginAgent, CreatedAt: now,
				ProposalID: ident.New(memory.PrefixProposal),
			}
			proposals[i] = memory.Proposal{
				ID: m.ProposalID, Tenant: m.Tenant, Scope: m.Scope, State: memory.ProposalPromoted, Kind: m.Kind, Text: m.Text,
				Principal: "agent", Origin: m.Authority, Authority: m.Authority, EventID: ident.New(memory.PrefixEvent),
				SessionID: session, CreatedAt: now, SeenCount: 1,
			}
			ids[i] = m.ID
			p.texts = append(p.texts, m.Text)
		}
		if _, err := s.Commit(p.Context(), memory.DefaultTenant, change.Set{Memories: chunk, Proposals: proposals}, store.InboxKey{}); err != nil {
			p.Fatal(err)
		}
		if _, err := truth.Docs(p.Context(), truth.Generation(1), memory.DefaultTenant, ids); err != nil {
			p.Fatal(err)
		}
	}
}

func (p *plant) ask(text string) {
	a, err := p.recall.Search(p.Context(), recall.Question{Text: text, Tenant: memory.DefaultTenant})
	if err != nil || len(a.Found) == 0 {
		p.Errorf("%q: %d found, %v", text, len(a.Found), err)
	}
}

// questions returns a few words out of stored texts each.
func (p *plant) questions(n int) []string {
	rng := rand.New(rand.NewPCG(3, 5))
	out := make([]string, n)
	for i := range out {
		words := strings.Fields(p.texts[rng.IntN(len(p.texts))])
		rng.Shuffle(len(words), func(i, j int) { words[i], words[j] = words[j], words[i] })
		out[i] = strings.Join(words[:min(len(words), 3+rng.IntN(4))], " ")
	}
	return out
}

// sentence returns 10 to 40 words, common ones often, with what real memories contain:
// numbers, paths, identifiers.
func sentence(rng *rand.Rand) string {
	zipf := rand.NewZipf(rng, 1.1, 8, uint64(len(vocabulary)-1))
	words := make([]string, 10+rng.IntN(31))
	for i := range words {
		w := vocabulary[zipf.Uint64()]
		switch rng.IntN(24) {
		case 0:
			w = fmt.Sprint(rng.IntN(10_000))
		case 1:
			w = "services/" + w + "/" + vocabulary[zipf.Uint64()] + ".go"
		case 2:
			w += "_" + vocabulary[zipf.Uint64()]
		}
		words[i] = w
	}
	return strings.Join(words, " ")
}

var vocabulary = func() []string {
	stems := strings.Fields(`the a of in is on to service staging database port cache queue deploy release rollback
		token secret key vault schema migration index vector memory worker relay digest review proposal session agent
		tenant scope policy test build pipeline branch commit merge conflict retry timeout latency budget limit error
		warning log metric trace dashboard alert incident customer invoice payment refund order cart price currency
		user account password login role permission group team project organisation region cluster node pod container
		image registry network firewall proxy gateway route domain certificate backup restore snapshot replica shard
		partition table column row query statement transaction lock deadlock vacuum analyse cursor batch stream event
		message subject consumer producer broker header payload codec version contract interface package module file
		folder path line function method class field value type number string date time zone week month year morning
		coffee lunch office room chair bicycle train garden music song painting puppy kitten holiday beach mountain`)
	endings := []string{"", "s", "ed", "ing", "er", "less", "ful", "ment", "ness", "able", "ish", "ward"}
	var out []string
	for _, e := range endings {
		for _, s := range stems {
			out = append(out, s+e)
		}
	}
	return out
}()
