package run

import (
	"errors"
	"fmt"
	"net"
	"strings"
	"time"

	"github.com/winnowhq/winnow/pkg/event"
	"github.com/winnowhq/winnow/services/internal/config"
	"github.com/winnowhq/winnow/services/internal/guard/token"
	"github.com/winnowhq/winnow/services/internal/memory"
	rerankhttp "github.com/winnowhq/winnow/services/internal/model/rerank/http"
	"github.com/winnowhq/winnow/services/internal/recall/search"
	"github.com/winnowhq/winnow/services/internal/review/page"
	"github.com/winnowhq/winnow/services/internal/store/postgres"
	"github.com/winnowhq/winnow/services/internal/store/signed"
	"github.com/winnowhq/winnow/services/internal/telemetry"
	"github.com/winnowhq/winnow/services/internal/vector/qdrant"
	"github.com/winnowhq/winnow/services/internal/worker"
)

// Config holds the settings of a process: those that every process has, and those of
// workers, which their definitions declare.
type Config struct {
	Postgres PostgresConfig `koanf:"postgres"`
	NATS     NATSConfig     `koanf:"nats"`
	HTTP     HTTPConfig     `koanf:"http"`
	JWT      token.Config   `koanf:"jwt"`

	Log    telemetry.LogConfig `koanf:"log"`
	Redact RedactConfig        `koanf:"redact"`
	Audit  AuditConfig         `koanf:"audit"`
	Scopes ScopesConfig        `koanf:"scopes"`

	Vault  VaultConfig  `koanf:"vault"`
	Embed  EmbedConfig  `koanf:"embed"`
	Qdrant QdrantConfig `koanf:"qdrant"`
	Search SearchConfig `koanf:"search"`
	Bank   BankConfig   `koanf:"reasoning_bank"`
	Rerank RerankConfig `koanf:"rerank"`
	LLM    LLMConfig    `koanf:"llm"`

	DefaultPrincipal string        `koanf:"default_principal" help:"Principal of events whose subject names none; empty refuses them (strict mode)."`
	DrainTimeout     time.Duration `koanf:"drain_timeout" help:"How long a stopping process may finish what it has in hand."`
	StartTimeout     time.Duration `koanf:"start_timeout" help:"How long a starting process waits for its database, schema and durables before it gives up."`
	StateDir         string        `koanf:"state_dir" help:"Folder of winnow dev; empty is the user's state folder."`
	Tenant           string        `koanf:"tenant" help:"Tenant that the command line works in."`
	Person           string        `koanf:"person" help:"Principal in whose name the command line decides."`

	// Workers holds the workers' settings. The Settings that a worker's package exports
	// read and change them; the zero value has every default.
	Workers worker.Configured
}

// PostgresConfig locates the canonical store.
type PostgresConfig struct {
	URL         string `koanf:"url" secret:"true" help:"Login of this process: a member of the role of its worker, such as winnow_triage; for the command line and for several workers in one process of winnow_app."`
	RelayURL    string `koanf:"relay_url" secret:"true" help:"Login of the relay: a member of winnow_relay. Empty uses url."`
	OperatorURL string `koanf:"operator_url" secret:"true" help:"Login of the command line for changes of principals: a member of winnow_operator. Empty uses url."`
	OwnerURL    string `koanf:"owner_url" secret:"true" help:"Login of winnow migrate and provision. Empty uses url."`
	WorkerURLs  string `koanf:"worker_urls" secret:"true" help:"Logins that winnow provision makes for workers, as WORKER=URL separated by spaces; WORKER@TENANT=URL binds one to a tenant."`
	MaxConns    int    `koanf:"max_conns" help:"Connections per process and role."`
}

// NATSConfig locates the bus and holds this process's login.
type NATSConfig struct {
	URL             string `koanf:"url" secret:"true" help:"Servers, separated by commas."`
	User            string `koanf:"user" help:"User name, where the server wants one."`
	Password        string `koanf:"password" secret:"true" help:"Password of that user."`
	ForgetUser      string `koanf:"forget_user" help:"User by which winnow forget deletes messages. Empty is the user of everything else."`
	ForgetPassword  string `koanf:"forget_password" secret:"true" help:"Password of that user."`
	NKeySeedFile    string `koanf:"nkey_seed" help:"File with the seed of an nkey."`
	CredentialsFile string `koanf:"credentials" help:"File with a JWT and its seed."`
	CAFile          string `koanf:"ca" help:"Certificates that the server's must descend from."`
	InboxPrefix     string `koanf:"inbox_prefix" help:"Prefix of reply subjects that the user may subscribe to. Empty is _INBOX_ and the user's name, without a user the client's own."`
	Replicas        int    `koanf:"replicas" help:"Replicas of every stream that winnow provision makes: 1, 3 or 5."`
}

// HTTPConfig holds the address of health, metrics and the API.
type HTTPConfig struct {
	Addr string `koanf:"addr" help:"Address to listen on. Profiles are served to loopback only."`
}

// RedactConfig defines what counts as a secret.
type RedactConfig struct {
	PII bool   `koanf:"pii" help:"Also replace e-mail addresses, phone numbers, IBANs and card numbers."`
	Key string `koanf:"key" secret:"true" help:"Keys the tags of replaced secrets; the same for all processes. Empty makes one for each process."`
}

// AuditConfig holds the key that signs heads of the audit log, and the keys that are
// trusted.
type AuditConfig struct {
	Key        string `koanf:"key" secret:"true" help:"Secret of at least 32 characters from which the key follows that signs heads of the audit log; for winnow-relay alone, and for winnow audit accept. Empty signs none; winnow dev makes one."`
	PublicKeys string `koanf:"public_keys" help:"Public keys, separated by spaces, whose heads winnow audit verify believes; winnow audit key prints one. After a change of keys name both. Empty believes the keys that it finds, and says so."`
}

// ScopesConfig sets the effect of an event about an unknown scope.
type ScopesConfig struct {
	AutoCreate bool `koanf:"auto_create" help:"Create unknown scopes; off refuses their events."`
}

// VaultConfig locates the vaults with MEMORY.md.
type VaultConfig struct {
	Dir string `koanf:"dir" help:"Folder of the vault: a git repository for each tenant. Replicas share it. Empty keeps none; winnow dev has its own."`
}

// DefaultConfig returns the defaults. Only the addresses of the database and the bus have
// none.
func DefaultConfig() Config {
	return Config{
		Postgres:         PostgresConfig{MaxConns: postgres.DefaultConfig().MaxConns},
		NATS:             NATSConfig{Replicas: 1},
		HTTP:             HTTPConfig{Addr: ":9090"},
		JWT:              token.DefaultConfig(),
		Log:              telemetry.DefaultLogConfig(),
		Scopes:           ScopesConfig{AutoCreate: true},
		Embed:            EmbedConfig{Model: embedStatic, Timeout: 30 * time.Second},
		Qdrant:           QdrantConfig{Prefix: qdrant.DefaultConfig().Prefix},
		Search:           SearchConfig{Fusion: string(search.Weighted)},
		Bank:             defaultBank(),
		Rerank:           RerankConfig{Timeout: rerankhttp.DefaultTimeout},
		DefaultPrincipal: "agent",
		DrainTimeout:     25 * time.Second,
		StartTimeout:     time.Minute,
		Tenant:           string(memory.DefaultTenant),
		Person:           page.LocalReviewer,
	}
}

// Validate returns an error for every invalid value, those of the given workers included.
// It does not require addresses: the command decides which are needed.
func (c Config) Validate(defs ...worker.Definition) error {
	var problems []error
	wrong := func(field, what, remedy string) {
		problems = append(problems, &config.Problem{Field: field, What: what, Remedy: remedy})
	}
	if c.Postgres.URL != "" {
		pc := postgres.Config{URL: c.Postgres.URL, RelayURL: c.Postgres.RelayURL, OperatorURL: c.Postgres.OperatorURL, MaxConns: c.Postgres.MaxConns}
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
	if err := c.JWT.Validate(); err != nil {
		wrong("jwt", err.Error(), "")
	}
	if err := c.Log.Validate(); err != nil {
		wrong("log", err.Error(), "")
	}
	if what := c.Embed.problem(); what != "" {
		wrong("embed", what, "give embed.model static, none, or a model's name with embed.url and embed.dim")
	}
	if what := c.Rerank.problem(); what != "" {
		wrong("rerank", what, "give rerank.url as http://host/v1 and a timeout above zero, or no url for no reranker")
	}
	if what := c.llmProblem(defs); what != "" {
		wrong("llm", what, "give llm.url as http://host/v1 and llm.model, or neither for rules without a model")
	}
	ranking := c.searchOptions()
	ranking.Fusion = search.Weighted // reported below
	if err := ranking.Validate(); err != nil {
		wrong("reasoning_bank.search", err.Error(), "")
	}
	if _, err := search.ParseFusion(c.Search.Fusion); err != nil {
		wrong("search.fusion", err.Error(), "")
	}
	if c.Audit.Key != "" {
		if _, err := signed.NewKey(c.Audit.Key); err != nil {
			wrong("audit.key", err.Error(), "")
		}
	}
	for _, k := range strings.Fields(c.Audit.PublicKeys) {
		if !signed.ValidPublic(k) {
			wrong("audit.public_keys", fmt.Sprintf("%q is no public key", k), "write what winnow audit key prints")
		}
	}
	if c.DefaultPrincipal != "" && !event.ValidPrincipal(c.DefaultPrincipal) {
		wrong("default_principal", "is not one token", "use 1 to 64 of A-Z a-z 0-9 - _")
	}
	for field, d := range map[string]time.Duration{"drain_timeout": c.DrainTimeout, "start_timeout": c.StartTimeout} {
		if d <= 0 {
			wrong(field, d.String(), "give a duration above zero, such as 25s")
		}
	}
	if c.Tenant == "" {
		wrong("tenant", "is empty", "name one, such as "+string(memory.DefaultTenant))
	}
	return errors.Join(append(problems, c.workerProblems(defs)...)...)
}

// needs returns an error for every missing address.
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

// ownerURL returns the address with the login of migrations and provisioning.
func (c Config) ownerURL() string {
	if c.Postgres.OwnerURL != "" {
		return c.Postgres.OwnerURL
	}
	return c.Postgres.URL
}
