package run

import (
	"context"
	"fmt"

	"github.com/winnowhq/winnow/services/internal/bus/jetstream"
	"github.com/winnowhq/winnow/services/internal/memory"
	"github.com/winnowhq/winnow/services/internal/recall"
	"github.com/winnowhq/winnow/services/internal/store/signed"
	"github.com/winnowhq/winnow/services/internal/vault"
	"github.com/winnowhq/winnow/services/internal/vault/git"
	"github.com/winnowhq/winnow/services/internal/worker"
)

// optional holds the drivers of the ports that workers request. A driver that no worker
// needs is nil.
type optional struct {
	similarity *similarity
	recall     *recall.Recall
	models     map[string]*watchedModel // by the worker's name
}

// openPorts opens the ports that the workers need.
func (p *parts) openPorts(ctx context.Context, defs []worker.Definition) (err error) {
	var index, search bool
	for _, d := range defs {
		index = index || d.Needs.Index
		search = search || d.Needs.Recall
	}
	if index || search { // a search reads the index
		if p.similarity, err = newSimilarity(ctx, p.cfg, p.store); err != nil {
			return err
		}
	}
	if search {
		if p.recall, err = p.similarity.recall(p.cfg, p.store, p.log); err != nil {
			return err
		}
	}
	p.models = map[string]*watchedModel{}
	for _, d := range defs {
		if d.Needs.Model == nil || p.cfg.LLM.URL == "" {
			continue
		}
		choice := p.cfg.choice(d)
		if choice.Name == "" {
			continue // another worker has one; see choices
		}
		if p.models[d.Name], err = p.cfg.newModel(choice); err != nil {
			return fmt.Errorf("llm: %w", err)
		}
	}
	return nil
}

// ports returns the open ports that a worker requests.
func (p *parts) ports(d worker.Definition) worker.Ports {
	all := worker.Ports{Vault: p.cfg.vault(), Recall: p.recall, Traces: jetstream.NewTraces(p.nc)}
	if p.cfg.Audit.Key != "" {
		key, _ := signed.NewKey(p.cfg.Audit.Key) // validated with the settings
		all.Signer = &key
	}
	if d.Needs.Meaning {
		all.Meaning = p.cfg.Embed.table()
	}
	if p.similarity != nil {
		all.Index, all.Truth = p.similarity.index, p.similarity.truth
	}
	if m := p.models[d.Name]; m != nil { // an interface with a nil pointer is not nil
		all.Model = m
	}
	return d.Needs.Of(all)
}

func (o *optional) close() {
	if o.recall != nil {
		o.recall.Close() // waits until all records of served memories are stored
	}
	if o.similarity != nil {
		_ = o.similarity.close() // the index contains nothing that is not in Postgres
	}
}

// vault returns a function that opens the vaults in the configured folder, or nil when none
// is configured.
func (c Config) vault() func(memory.Tenant) (vault.Vault, error) {
	if c.Vault.Dir == "" {
		return nil
	}
	return func(tenant memory.Tenant) (vault.Vault, error) { return git.Open(c.Vault.Dir, tenant, git.Options{}) }
}
