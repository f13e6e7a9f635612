package run

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"time"

	"go.uber.org/zap"

	"github.com/winnowhq/winnow/services/internal/memory"
	"github.com/winnowhq/winnow/services/internal/model/embed"
	"github.com/winnowhq/winnow/services/internal/model/embed/openai"
	"github.com/winnowhq/winnow/services/internal/model/embed/static"
	"github.com/winnowhq/winnow/services/internal/model/rerank"
	rerankhttp "github.com/winnowhq/winnow/services/internal/model/rerank/http"
	"github.com/winnowhq/winnow/services/internal/recall"
	"github.com/winnowhq/winnow/services/internal/recall/indexing"
	"github.com/winnowhq/winnow/services/internal/recall/search"
	"github.com/winnowhq/winnow/services/internal/store"
	"github.com/winnowhq/winnow/services/internal/vector"
	"github.com/winnowhq/winnow/services/internal/vector/embedded"
	"github.com/winnowhq/winnow/services/internal/vector/qdrant"
)

// The embedders by name.
const (
	embedStatic = "static"
	embedOpenAI = "openai"
	embedNone   = "none"
)

// EmbedConfig selects the model that turns texts into vectors.
type EmbedConfig struct {
	Model   string        `koanf:"model" help:"static (in the binary), none, or the name of a model that embed.url serves."`
	URL     string        `koanf:"url" help:"Base of an OpenAI-compatible server, such as http://localhost:11434/v1."`
	Dim     int           `koanf:"dim" help:"Numbers of a vector of that model."`
	Key     string        `koanf:"key" secret:"true" help:"Bearer key of that server."`
	Timeout time.Duration `koanf:"timeout" help:"How long one request to that server may take."`
}

// QdrantConfig locates the Qdrant with the index.
type QdrantConfig struct {
	URL    string `koanf:"url" help:"host:port of Qdrant's gRPC interface. Empty keeps the index in each process, loaded from Postgres."`
	APIKey string `koanf:"api_key" secret:"true" help:"Key of that server."`
	TLS    bool   `koanf:"tls" help:"Connect with TLS."`
	Prefix string `koanf:"prefix" help:"Begins the names of the collections and of the alias; installations on one server differ in it."`
}

// driver returns the settings as the driver has them.
func (c QdrantConfig) driver() qdrant.Config {
	d := qdrant.DefaultConfig()
	d.Address, d.APIKey, d.TLS, d.Prefix = strings.TrimPrefix(c.URL, "grpc://"), c.APIKey, c.TLS, c.Prefix
	return d
}

// RerankConfig selects the model that reranks the candidates of a search.
type RerankConfig struct {
	URL     string        `koanf:"url" help:"Base of a server with /v1/rerank, such as https://api.jina.ai/v1. Empty: no reranker."`
	Model   string        `koanf:"model" help:"The reranker's model, as that server names it."`
	Key     string        `koanf:"key" secret:"true" help:"Bearer key of that server."`
	Timeout time.Duration `koanf:"timeout" help:"How long a search waits for it; then the order without it stands."`
}

// newReranker returns the configured reranker, or nil for none. It sends no request yet.
func (c RerankConfig) newReranker() (rerank.Reranker, error) {
	if c.URL == "" {
		return nil, nil
	}
	return rerankhttp.New(rerankhttp.Config{URL: c.URL, Model: c.Model, Key: c.Key, Timeout: c.Timeout})
}

// problem says what is wrong with the settings, empty when nothing is.
func (c RerankConfig) problem() string {
	if _, err := c.newReranker(); err != nil {
		return err.Error()
	}
	return ""
}

// SearchConfig configures the ranking of a search.
type SearchConfig struct {
	Fusion string `koanf:"fusion" help:"How the rankings by words and by meaning become one: weighted or rrf."`
}

// BankConfig holds the settings of the seed's section reasoning_bank that concern every
// process that searches.
type BankConfig struct {
	Search struct {
		ScopeWeights struct {
			Project float64 `koanf:"project" help:"Factor of the relevance of a project's memories."`
			Team    float64 `koanf:"team" help:"Factor of the relevance of a team's memories."`
			Org     float64 `koanf:"org" help:"Factor of the relevance of an organisation's memories."`
		} `koanf:"scope_weights"`
		ConfidenceShare float64 `koanf:"confidence_share" help:"Part of the relevance that depends on a memory's confidence, 0 to 1. With 0 confidence does not change the order."`
	} `koanf:"search"`
}

func defaultBank() BankConfig {
	var c BankConfig
	o := search.DefaultOptions()
	w := &c.Search.ScopeWeights
	w.Project, w.Team, w.Org = 1, o.ScopeWeights[memory.ScopeTeam], o.ScopeWeights[memory.ScopeOrg]
	c.Search.ConfidenceShare = o.ConfidenceShare
	return c
}

// searchOptions returns the search options: the defaults, changed by the settings.
func (c Config) searchOptions() search.Options {
	o := search.DefaultOptions()
	o.Fusion = search.Fusion(c.Search.Fusion)
	w := c.Bank.Search.ScopeWeights
	o.ScopeWeights = map[memory.ScopeKind]float64{memory.ScopeProject: w.Project, memory.ScopeTeam: w.Team, memory.ScopeOrg: w.Org}
	o.ConfidenceShare = c.Bank.Search.ConfidenceShare
	return o
}

// newEmbedder returns the configured embedder. It sends no request yet.
func (c EmbedConfig) newEmbedder() (embed.Embedder, error) {
	switch c.Model {
	case embedStatic:
		return static.New(), nil
	case embedNone:
		return embed.None{}, nil
	}
	e, err := openai.New(openai.Config{URL: c.URL, Model: c.Model, Dim: c.Dim, Key: c.Key, Timeout: c.Timeout})
	if err != nil {
		return nil, fmt.Errorf("embed: %w", err)
	}
	return e, nil
}

// table returns the embedder with which triage compares, or nil when the settings compare
// words alone. It is the static table for every search model, because a verdict must not
// wait for a network and must be the same when it is derived again.
func (c EmbedConfig) table() embed.Embedder {
	if c.Model == embedNone {
		return nil
	}
	return static.New()
}

// problem says what is wrong with the settings, empty when nothing is.
func (c EmbedConfig) problem() string {
	if c.Model == embedStatic || c.Model == embedNone {
		return ""
	}
	if c.Model == embedOpenAI {
		return "openai is a kind of server; name the model that it serves"
	}
	if _, err := c.newEmbedder(); err != nil {
		return err.Error()
	}
	return ""
}

// similarity compares texts: it holds a model, an index, and the mapping from rows to
// documents.
type similarity struct {
	truth *indexing.Truth
	index vector.Backend
	// spare reads Postgres while the index is unavailable; nil when the index does so
	// itself.
	spare vector.Backend
}

// similarity describes, for a person, the model and the index in use.
func (c Config) similarity() string {
	model := map[string]string{
		embedStatic: "a static table in this binary", embedNone: "no model, words alone",
	}[c.Embed.Model]
	if model == "" {
		model = c.Embed.Model + " at " + c.Embed.URL
	}
	if c.Qdrant.URL == "" {
		return model + ", index in memory"
	}
	return model + ", index in Qdrant at " + c.Qdrant.URL
}

// newSimilarity opens the configured index. Qdrant need not answer yet.
func newSimilarity(ctx context.Context, cfg Config, s store.Store) (*similarity, error) {
	e, err := cfg.Embed.newEmbedder()
	if err != nil {
		return nil, err
	}
	sim := &similarity{truth: &indexing.Truth{
		Store: s, Embedder: e, Analyzer: search.NewAnalyzer(), Local: cfg.Embed.Model == embedStatic || cfg.Embed.Model == embedNone,
	}}
	if cfg.Qdrant.URL == "" {
		sim.truth.Originals = true
		sim.index, err = newLocalIndex(ctx, sim.truth, s)
		return sim, err
	}
	here := *sim.truth
	here.Originals = true
	if sim.spare, err = newLocalIndex(ctx, &here, s); err != nil {
		return nil, err
	}
	if sim.index, err = qdrant.New(cfg.Qdrant.driver()); err != nil {
		return nil, errors.Join(err, sim.spare.Close())
	}
	return sim, nil
}

// newLocalIndex returns an index in this process. It follows Postgres, so it is current in
// every process, whichever of them writes. It has one generation, for this process's model,
// loaded at the first use.
func newLocalIndex(ctx context.Context, truth *indexing.Truth, s store.Store) (vector.Backend, error) {
	follower := indexing.NewFollower(truth, s).Within(indexing.Slack)
	inMemory, err := embedded.New(embedded.DefaultConfig(), follower.Source)
	if err != nil {
		return nil, err
	}
	g := truth.Generation(1)
	return follower.Wrap(inMemory), errors.Join(inMemory.Create(ctx, g), inMemory.Activate(ctx, g))
}

func (s *similarity) close() error {
	err := s.index.Close()
	if s.spare != nil {
		err = errors.Join(err, s.spare.Close())
	}
	return err
}

// recall returns a search over the index.
func (s *similarity) recall(cfg Config, all store.Store, log *zap.Logger) (*recall.Recall, error) {
	reranker, err := cfg.Rerank.newReranker()
	if err != nil {
		return nil, err
	}
	words := static.New()
	options := cfg.searchOptions()
	// The floor is that of words: a model elsewhere may know more.
	options.Floor = s.truth.Embedder.Dim() == 0 || s.truth.Embedder.ID() == words.ID()
	return &recall.Recall{
		Store: all, Embedder: s.truth.Embedder, Analyzer: s.truth.Analyzer,
		Matcher: search.NewMatcher(s.truth.Analyzer, words.Embed), Options: options, Index: s.index, Spare: s.spare,
		Local:    s.spare == nil && s.truth.Local,
		Reranker: reranker, Neighbours: all, Served: all, Research: all,
		Unrecorded: func(err error) { log.Warn("what was shown in a session is not kept", zap.Error(err)) },
	}, nil
}
