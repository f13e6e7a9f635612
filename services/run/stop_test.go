package run_test

import (
	"context"
	"io"
	"net"
	"net/http"
	"strings"
	"testing"

	"go.uber.org/zap"

	"github.com/winnowhq/winnow/services/internal/change"
	"github.com/winnowhq/winnow/services/internal/memory"
	"github.com/winnowhq/winnow/services/internal/store"
	"github.com/winnowhq/winnow/services/internal/test/testenv"
	"github.com/winnowhq/winnow/services/internal/worker"
	"github.com/winnowhq/winnow/services/run"
)

// Issue 14: a process that stops closes its store after the last handler has returned.
// The request here is in progress when the server closes its listener, and only then
// begins to use the store.
func TestRequestsEndBeforeTheStoreCloses(t *testing.T) {
	t.Parallel()
	testenv.Require(t, testenv.CapabilityPostgres)
	entered, closing := make(chan struct{}), make(chan struct{})
	slow := worker.Definition{
		Name: "slow", Summary: "answers late",
		Routes: func(d worker.Deps, mux *http.ServeMux) error {
			mux.HandleFunc("POST /api/slow", func(w http.ResponseWriter, r *http.Request) {
				close(entered)
				<-closing
				for range 200 {
					if err := d.Store.Ready(r.Context()); err != nil {
						http.Error(w, err.Error(), http.StatusInternalServerError)
						return
					}
				}
				set := change.Set{ScopesKnown: []memory.Scope{"project:late"}}
				if _, err := d.Store.Commit(r.Context(), memory.DefaultTenant, set, store.InboxKey{Consumer: "slow", Key: "late"}); err != nil {
					http.Error(w, err.Error(), http.StatusInternalServerError)
					return
				}
				_, _ = io.WriteString(w, "committed")
			})
			return nil
		},
		Run: func(worker.Deps) (worker.Runner, error) { return untilDone{}, nil },
	}
	d, err := run.StartDev(t.Context(), run.DefaultConfig(), run.DevOptions{Ephemeral: true}, zap.NewNop(), slow)
	if err != nil {
		t.Fatal(err)
	}
	answered := make(chan string, 1)
	go func() {
		resp, err := http.Post(d.HTTPURL+"/api/slow", "text/plain", strings.NewReader("x"))
		if err != nil {
			answered <- err.Error()
			return
		}
		defer resp.Body.Close()
		text, _ := io.ReadAll(resp.Body)
		answered <- string(text)
	}()
	<-entered
	stopped := make(chan error, 1)
	go func() { stopped <- d.Stop() }()
	await(t, "the listener closes", func() (bool, string) {
		c, err := net.Dial("tcp", strings.TrimPrefix(d.HTTPURL, "http://"))
		if err == nil {
			_ = c.Close()
		}
		return err != nil, "it still accepts"
	})
	close(closing)
	if got := <-answered; got != "committed" {
		t.Errorf("the request in progress was answered %q, want its commit", got)
	}
	if err := <-stopped; err != nil {
		t.Errorf("stop: %v", err)
	}
}

// untilDone is a worker without work.
type untilDone struct{}

func (untilDone) Run(ctx context.Context) error { <-ctx.Done(); return nil }
