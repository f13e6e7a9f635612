package consolidate_test

import (
	"fmt"
	"net/http"
	"sync"
	"testing"
	"time"

	"github.com/winnowhq/winnow/services/consolidate"
	"github.com/winnowhq/winnow/services/internal/memory"
	"github.com/winnowhq/winnow/services/internal/model/llm/llmtest"
	"github.com/winnowhq/winnow/services/internal/worker"
)

// gauge counts the questions that a model has before it at once. It answers none until
// so many are there.
type gauge struct {
	want int
	open chan struct{}

	mu        sync.Mutex
	now, most int
}

func (g *gauge) reply(then llmtest.Reply) llmtest.Reply {
	return func(w http.ResponseWriter, r *http.Request, in llmtest.Request) {
		g.mu.Lock()
		g.now++
		if g.most = max(g.most, g.now); g.now == g.want {
			select {
			case <-g.open:
			default:
				close(g.open)
			}
		}
		g.mu.Unlock()
		select {
		case <-g.open:
			then(w, r, in)
		case <-r.Context().Done():
		}
		g.mu.Lock()
		g.now--
		g.mu.Unlock()
	}
}

// pairsOf are two memories each of so many things, of which one says more.
func pairsOf(n int) []string {
	var texts []string
	for i := range n {
		// The names share no word, so that no two things look like one.
		name := fmt.Sprintf("%c%c%crun", 'a'+i%23, 'a'+(i*7)%19, 'a'+(i*3)%17)
		text := fmt.Sprintf("The job %s of host h%d-%s starts at %d:%02d.", name, i, name, i%24, i%60)
		texts = append(texts, text, text[:len(text)-1]+fmt.Sprintf(" and writes the file /var/lib/%s/%d.csv.", name, i))
	}
	return texts
}

// S4.97: ten groups are before the model at the same time, and never more.
func TestTenGroupsAtOnce(t *testing.T) {
	t.Parallel()
	g := &gauge{want: consolidate.DefaultConfig().Workers, open: make(chan struct{})}
	r := setup(t, consolidate.Definition, llmtest.Always(g.reply(llmtest.MergeValid)), func(d *worker.Deps) {
		consolidate.Settings.Change(&d.Settings, func(c *consolidate.Config) { c.RunTimeout = 2 * time.Minute })
	})
	// The second copy of an event waits for the answer to the first, in a place of its own
	// of the ten: with it fewer different questions are asked at once.
	r.deliver = r.DeliverOnce
	const groups = 14
	r.texts(pairsOf(groups)...)
	run, items := r.consolidate(memory.RunOptions{})
	if run.State != memory.RunCompleted || run.Created != groups {
		t.Fatalf("run %+v: %s", run, r.states(items))
	}
	if g.want != 10 || g.most != g.want {
		t.Errorf("%d questions at once, the setting is %d, want 10", g.most, g.want)
	}
}

// S4.96: a run over a thousand memories ends within thirty seconds of its own clock; a
// run that is out of time ends in part.
func TestThousandMemories(t *testing.T) {
	t.Parallel()
	r := setup(t, consolidate.Definition, nil, func(d *worker.Deps) {
		consolidate.Settings.Change(&d.Settings, func(c *consolidate.Config) { c.RunTimeout = 30 * time.Second })
	})
	const groups = 50
	texts := pairsOf(groups)
	for i := 0; len(texts) < 1000; i++ {
		texts = append(texts, fmt.Sprintf("Customer %d of region r%d-%d pays by invoice on day %d.", 7919*i, i%31, i, i%28+1))
	}
	r.texts(texts...)
	run, _ := r.consolidate(memory.RunOptions{})
	if run.State != memory.RunCompleted || run.Examined != 1000 || run.Created < groups {
		t.Errorf("run %+v", run)
	}
}
