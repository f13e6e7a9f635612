package worker_test

import (
	"reflect"
	"testing"

	"github.com/winnowhq/winnow/services/internal/bus"
	"github.com/winnowhq/winnow/services/internal/memory"
	"github.com/winnowhq/winnow/services/internal/model/embed"
	"github.com/winnowhq/winnow/services/internal/model/llm"
	"github.com/winnowhq/winnow/services/internal/recall"
	"github.com/winnowhq/winnow/services/internal/recall/indexing"
	"github.com/winnowhq/winnow/services/internal/store/signed"
	"github.com/winnowhq/winnow/services/internal/vault"
	"github.com/winnowhq/winnow/services/internal/vector"
	"github.com/winnowhq/winnow/services/internal/worker"
)

// A worker gets every port that it requests and no other.
func TestNeedsNameEveryPort(t *testing.T) {
	t.Parallel()
	all := worker.Ports{
		Vault: func(memory.Tenant) (vault.Vault, error) { return nil, nil },
		Index: struct{ vector.Backend }{}, Truth: &indexing.Truth{}, Recall: &recall.Recall{},
		Traces: struct{ bus.Traces }{}, Meaning: embed.None{}, Model: struct{ llm.Model }{}, Signer: &signed.Key{},
	}
	everything := worker.Needs{
		Vault: true, Index: true, Recall: true, Traces: true, Meaning: true, Signer: true,
		Model: func(worker.Configured) worker.ModelChoice { return worker.ModelChoice{} },
	}
	for name, c := range map[string]struct {
		needs worker.Needs
		nils  int
	}{
		"nothing":    {worker.Needs{}, 8},
		"the index":  {worker.Needs{Index: true}, 6},
		"everything": {everything, 0},
	} {
		ports, nils := reflect.ValueOf(c.needs.Of(all)), 0
		for i := range ports.NumField() {
			if ports.Field(i).IsNil() {
				nils++
			}
		}
		if nils != c.nils {
			t.Errorf("who needs %s has %d ports that are nil, want %d", name, nils, c.nils)
		}
	}
}
