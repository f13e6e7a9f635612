package run

import (
	"cmp"
	"errors"
	"fmt"
	"net"
	"time"

	"github.com/winnowhq/winnow/pkg/event"
	"github.com/winnowhq/winnow/services/internal/config"
	"github.com/winnowhq/winnow/services/internal/memory"
	"github.com/winnowhq/winnow/services/internal/memoryfile"
	rerankhttp "github.com/winnowhq/winnow/services/internal/model/rerank/http"
	"github.com/winnowhq/winnow/services/internal/recall/search"
	"github.com/winnowhq/winnow/services/internal/review/page"
	"github.com/winnowhq/winnow/services/internal/schedule"
	"github.com/winnowhq/winnow/services/internal/session/trace"
	"github.com/winnowhq/winnow/services/internal/session/trust"
	"github.com/winnowhq/winnow/services/internal/store"
	"github.com/winnowhq/winnow/services/internal/store/postgres"
	"github.com/winnowhq/winnow/services/internal/telemetry"
	"github.com/winnowhq/winnow/services/internal/vector/qdrant"
	"github.com/winnowhq/winnow/services/internal/worker"
)

// Config is everything that a process of Winnow can be told.
type Config struct {
	Postgres PostgresConfig `koanf:"postgres"`
	NATS     NATSConfig     `koanf:"nats"`
	HTTP     HTTPConfig     `koanf:"http"`

	Log       telemetry.LogConfig `koanf:"log"`
	Redact    RedactConfig        `koanf:"redact"`
	Scopes    ScopesConfig        `koanf:"scopes"`
	Retention RetentionConfig     `koanf:"retention"`

	Digest   page.Config       `koanf:"digest"`
	Vault    VaultConfig       `koanf:"vault"`
	Embed    EmbedConfig       `koanf:"embed"`
	Qdrant   QdrantConfig      `koanf:"qdrant"`
	Search   SearchConfig      `koanf:"search"`
	Rerank   RerankConfig      `koanf:"rerank"`
	LLM      LLMConfig         `koanf:"llm"`
	Trust    trust.Config      `koanf:"trust"`
	Trace    trace.Limits      `koanf:"trace"`
	Triage   worker.LaneConfig `koanf:"triage"`
	Sections []string          `koanf:"sections" help:"Headings of MEMORY.md in their order; others follow by name."`

	ReasoningBank ReasoningBankConfig `koanf:"reasoning_bank"`

	DefaultPrincipal string            `koanf:"default_principal" help:"Principal of events whose subject names none; empty refuses them (strict mode)."`
	Policies         map[string]string `koanf:"policies" help:"Triage policy by kind of scope, such as user=personal; kinds that are not named use what the store says."`
	DrainTimeout     time.Duration     `koanf:"drain_timeout" help:"How long a stopping process may finish what it has in hand."`
	StartTimeout     time.Duration     `koanf:"start_timeout" help:"How long a starting process waits for its database, schema and durables before it gives up."`
	StateDir         string            `koanf:"state_dir" help:"Folder of winnow dev; empty is the user's state folder."`
	Tenant           string            `koanf:"tenant" help:"Tenant that the command line works in."`
	Person           string            `koanf:"person" help:"Principal in whose name the command line decides."`
}

// PostgresConfig says where the canonical store is.
type PostgresConfig struct {
	URL      string `koanf:"url" secret:"true" help:"Login of workers: a member of winnow_app."`
	RelayURL string `koanf:"relay_url" secret:"true" help:"Login of the relay: a member of winnow_relay. Empty uses url."`
	OwnerURL string `koanf:"owner_url" secret:"true" help:"Login of winnow migrate and provision. Empty uses url."`
	MaxConns int    `koanf:"max_conns" help:"Connections per process and role."`
}

// NATSConfig says where the bus is and who we are there.
type NATSConfig struct {
	URL             string `koanf:"url" secret:"true" help:"Servers, separated by commas."`
	User            string `koanf:"user" help:"User name, where the server wants one."`
	Password        string `koanf:"password" secret:"true" help:"Password of that user."`
	NKeySeedFile    string `koanf:"nkey_seed" help:"File with the seed of an nkey."`
	CredentialsFile string `koanf:"credentials" help:"File with a JWT and its seed."`
	CAFile          string `koanf:"ca" help:"Certificates that the server's must descend from."`
	InboxPrefix     string `koanf:"inbox_prefix" help:"Prefix of reply subjects that the user may subscribe to. Empty is _INBOX_ and the user's name, without a user the client's own."`
	Replicas        int    `koanf:"replicas" help:"Replicas of every stream that winnow provision makes: 1, 3 or 5."`
}

// HTTPConfig says where health, metrics and the API are served.
type HTTPConfig struct {
	Addr string `koanf:"addr" help:"Address to listen on. Profiles are served to loopback only."`
}

// RedactConfig says what counts as a secret.
type RedactConfig struct {
	PII bool   `koanf:"pii" help:"Also replace e-mail addresses, phone numbers, IBANs and card numbers."`
	Key string `koanf:"key" secret:"true" help:"Keys the tags of replaced secrets; the same for all processes. Empty makes one for each process."`
}

// ScopesConfig says what an event about an unknown scope does.
type ScopesConfig struct {
	AutoCreate bool `koanf:"auto_create" help:"Create unknown scopes; off refuses their events."`
}

// RetentionConfig says how long rows are kept. Memories are kept for ever.
type RetentionConfig struct {
	Inbox             time.Duration `koanf:"inbox" help:"Marks of handled events; at least 360h. 0 keeps them for ever."`
	Outbox            time.Duration `koanf:"outbox" help:"Published events, for winnow replay outbox. 0 keeps them for ever."`
	RejectedProposals time.Duration `koanf:"rejected_proposals" help:"Rejected proposals. 0 keeps them for ever."`
	Traces            time.Duration `koanf:"traces" help:"What was said in sessions and what models answered; that there was a session stays. 0 keeps them for ever."`
}

// VaultConfig says where MEMORY.md is kept.
type VaultConfig struct {
	Dir   string `koanf:"dir" help:"Folder of the vault: a git repository for each tenant. Replicas share it. Empty keeps none; winnow dev has its own."`
	Lines int    `koanf:"lines" help:"Lines that a MEMORY.md may have; what is worth less goes to files beside it."`
}

// defaultPerson is the principal of the person at this machine.
const defaultPerson = "local"

// DefaultConfig is a process that lacks only the addresses of its database and
// its bus.
func DefaultConfig() Config {
	r := store.DefaultRetention()
	return Config{
		Postgres:         PostgresConfig{MaxConns: postgres.DefaultConfig().MaxConns},
		NATS:             NATSConfig{Replicas: 1},
		HTTP:             HTTPConfig{Addr: ":9090"},
		Log:              telemetry.DefaultLogConfig(),
		Scopes:           ScopesConfig{AutoCreate: true},
		Retention:        RetentionConfig{Inbox: r.Inbox, Outbox: r.Outbox, RejectedProposals: r.RejectedProposals, Traces: r.Traces},
		Digest:           page.DefaultConfig(),
		Vault:            VaultConfig{Lines: memoryfile.DefaultBudget},
		Embed:            EmbedConfig{Model: embedStatic, Timeout: 30 * time.Second},
		Qdrant:           QdrantConfig{Prefix: qdrant.DefaultConfig().Prefix},
		Search:           SearchConfig{Fusion: string(search.Weighted)},
		Rerank:           RerankConfig{Timeout: rerankhttp.DefaultTimeout},
		Trust:            trust.DefaultConfig(),
		Trace:            trace.DefaultLimits(),
		Triage:           worker.DefaultLaneConfig(),
		Sections:         memory.DefaultSections(),
		ReasoningBank:    ReasoningBankConfig{Distillation: worker.DefaultDistillConfig()},
		DefaultPrincipal: "agent",
		Policies:         map[string]string{},
		DrainTimeout:     25 * time.Second,
		StartTimeout:     time.Minute,
		Tenant:           string(memory.DefaultTenant),
		Person:           defaultPerson,
	}
}

// Validate names everything that is wrong with the values. It does not ask for
// addresses: which are needed depends on what is run.
func (c Config) Validate() error {
	var problems []error
	wrong := func(field, what, remedy string) {
		problems = append(problems, &config.Problem{Field: field, What: what, Remedy: remedy})
	}
	if c.Postgres.URL != "" {
		pc := postgres.Config{URL: c.Postgres.URL, RelayURL: c.Postgres.RelayURL, MaxConns: c.Postgres.MaxConns}
		if err := pc.Validate(); err != nil {
			wrong("postgres", err.Error(), "write postgres://user@host/database")
		}
	}
	if c.Postgres.MaxConns < 1 {
		wrong("postgres.max_conns", fmt.Sprintf("%d connections", c.Postgres.MaxConns), "give 1 or more")
	}
	if c.NATS.Replicas != 1 && c.NATS.Replicas != 3 && c.NATS.Replicas != 5 {
		wrong("nats.replicas", fmt.Sprintf("%d replicas", c.NATS.Replicas), "give 1, 3 or 5")
	}
	if _, _, err := net.SplitHostPort(c.HTTP.Addr); err != nil {
		wrong("http.addr", err.Error(), "write host:port, such as 127.0.0.1:9090")
	}
	if err := c.Log.Validate(); err != nil {
		wrong("log", err.Error(), "")
	}
	if c.Retention.Inbox != 0 && c.Retention.Inbox < store.DefaultRetention().Inbox {
		wrong("retention.inbox", c.Retention.Inbox.String()+" is shorter than a stream may deliver again",
			"give at least "+store.DefaultRetention().Inbox.String())
	}
	if err := c.Trust.Validate(); err != nil {
		wrong("trust", err.Error(), "")
	}
	if err := c.Trace.Validate(); err != nil {
		wrong("trace", err.Error(), "")
	}
	if err := c.Digest.Validate(); err != nil {
		wrong("digest", err.Error(), "")
	}
	if c.Vault.Lines < memoryfile.MinBudget {
		wrong("vault.lines", fmt.Sprintf("%d lines", c.Vault.Lines), fmt.Sprintf("give %d or more", memoryfile.MinBudget))
	}
	if what := c.Embed.problem(); what != "" {
		wrong("embed", what, "give embed.model static, none, or a model's name with embed.url and embed.dim")
	}
	if what := c.Rerank.problem(); what != "" {
		wrong("rerank", what, "give rerank.url as http://host/v1 and a timeout above zero, or no url for no reranker")
	}
	if what := c.llmProblem(); what != "" {
		wrong("llm", what, "give llm.url as http://host/v1 and llm.model, or neither for rules without a model")
	}
	if err := c.Triage.Validate(); err != nil {
		wrong("triage", err.Error(), "")
	}
	if err := c.ReasoningBank.Distillation.Validate(); err != nil {
		wrong("reasoning_bank.distillation", err.Error(), "")
	}
	if _, err := search.ParseFusion(c.Search.Fusion); err != nil {
		wrong("search.fusion", err.Error(), "")
	}
	if _, err := schedule.New(c.Digest.Schedule, c.Digest.Zone); err != nil {
		wrong("digest.schedule", err.Error(), "")
	}
	if c.DefaultPrincipal != "" && !event.ValidPrincipal(c.DefaultPrincipal) {
		wrong("default_principal", "is not one token", "use 1 to 64 of A-Z a-z 0-9 - _")
	}
	for kind := range c.Policies {
		if _, err := memory.ParseScope(kind + ":x"); err != nil {
			wrong("policies."+kind, "is no kind of scope", "use user, project, team or org")
		}
	}
	for field, d := range map[string]time.Duration{"drain_timeout": c.DrainTimeout, "start_timeout": c.StartTimeout} {
		if d <= 0 {
			wrong(field, d.String(), "give a duration above zero, such as 25s")
		}
	}
	if c.Tenant == "" {
		wrong("tenant", "is empty", "name one, such as "+string(memory.DefaultTenant))
	}
	return errors.Join(problems...)
}

// needs names the addresses that are missing.
func (c Config) needs() error {
	var problems []error
	if c.Postgres.URL == "" {
		problems = append(problems, &config.Problem{Field: "postgres.url", What: "is not set",
			Remedy: "set WINNOW_POSTGRES_URL or --postgres-url, or run everything with `winnow dev`"})
	}
	if c.NATS.URL == "" {
		problems = append(problems, &config.Problem{Field: "nats.url", What: "is not set",
			Remedy: "set WINNOW_NATS_URL or --nats-url, or run everything with `winnow dev`"})
	}
	return errors.Join(problems...)
}

func (c Config) retention() store.Retention {
	return store.Retention{
		Inbox: c.Retention.Inbox, Outbox: c.Retention.Outbox, RejectedProposals: c.Retention.RejectedProposals, Traces: c.Retention.Traces,
	}
}

// digest is the digest's settings with the reviewer that an empty one means: the
// same in all processes, whoever's command line one of them is.
func (c Config) digest() page.Config {
	d := c.Digest
	d.Reviewer = cmp.Or(d.Reviewer, defaultPerson)
	return d
}

func (c Config) policies() map[memory.ScopeKind]string {
	m := make(map[memory.ScopeKind]string, len(c.Policies))
	for kind, policy := range c.Policies {
		m[memory.ScopeKind(kind)] = policy
	}
	return m
}

// ownerURL is the login of migrations and provisioning.
func (c Config) ownerURL() string {
	if c.Postgres.OwnerURL != "" {
		return c.Postgres.OwnerURL
	}
	return c.Postgres.URL
}
