package archtest

import "slices"

// Groups of packages that rows share.
var (
	domain = []string{"services/internal/memory", "services/internal/change"}
	ports  = []string{
		"services/internal/store", "services/internal/bus", "services/internal/vector",
		"services/internal/model/embed", "services/internal/model/llm", "services/internal/model/rerank", "services/internal/vault",
	}
	contract = []string{"proto/winnow/v1", "pkg/event", "google.golang.org/protobuf/..."}
	// drivers are the packages that connect to something outside the process.
	drivers = []string{
		"services/internal/store/postgres/...", "services/internal/bus/jetstream/...",
		"services/internal/vector/{embedded,qdrant,qdranttest,vectortest}/...", "services/internal/model/embed/*/...", "services/internal/model/llm/*/...",
		"services/internal/model/rerank/*/...", "services/internal/vault/*/...", "services/internal/devstack/...",
	}
	// clients are the libraries behind drivers.
	clients = []string{
		"github.com/jackc/pgx/...", "github.com/nats-io/...", "github.com/qdrant/...",
		"github.com/sashabaranov/go-openai/...", "github.com/pressly/goose/...",
	}
	// speech is logging and metrics, which any part of a process may use.
	speech = []string{
		"services/internal/telemetry", "go.uber.org/zap", "go.uber.org/zap/zapcore",
		"github.com/prometheus/client_golang/prometheus",
	}
	// lru is the library of bounded caches.
	lru = []string{"github.com/hashicorp/golang-lru/v2", "github.com/hashicorp/golang-lru/v2/simplelru"}
	// pure are our packages that compute, without any effect.
	pure = []string{
		"services/internal/ident", "services/internal/language", "services/internal/judge", "services/internal/judge/wording", "services/internal/judge/lexical", "services/internal/guard/poison",
		"services/internal/guard/redact/...", "services/internal/review/page", "services/internal/memoryfile",
		"services/internal/review", "services/internal/schedule", "services/internal/recall/search", "services/internal/memoryfile/projection",
		"services/internal/recall/indexing", "services/internal/recall", "services/internal/judge/similar", "services/internal/recall/calibrate",
		"services/internal/workflow/...", "services/internal/consolidation/...", "services/internal/confidence", "services/internal/confidence/ledger", "services/internal/session/...", "services/internal/model/consult", "services/internal/guard/access",
		"services/internal/verdict", "services/internal/store/signed",
	}
)

// table is read from the top: the first row whose pattern fits a package is its
// row. A package without one fails the test, so that a new folder is a decision
// and not an accident.
var table = slices.Concat(doors, []row{
	{
		from: "proto/...",
		may:  list("std", "google.golang.org/protobuf/..."),
		why:  "the contract is imported by everybody, so it imports nobody",
	},
	{
		from: "pkg/...",
		may:  list("std", contract, "pkg/...", "github.com/nats-io/nats.go/...", "github.com/nats-io/nuid"),
		why:  "what others import must be light: no application, no logger, no server",
	},
	{
		from: "services/internal/memory",
		may:  list("std", contract, "golang.org/x/text/unicode/norm"),
		why:  "the domain computes: whoever reads it needs to know nothing else",
	},
	{
		from: "services/internal/{change,store/signed}",
		may:  list("std", contract, "services/internal/memory"),
		why:  "a change, and what a signed head proves, is data about the domain; who commits the one and gathers the others is theirs",
	},
	{
		from: "services/internal/{store,bus,vector,vault,model/embed,model/llm,model/rerank}",
		may:  list("std", contract, domain),
		why:  "a port says what is needed, not how: a driver's type in it would choose the driver",
	},
	{
		from: "services/internal/**test/...",
		may:  list("..."),
		why:  "tests may use everything; nothing that ships may use them",
	},
	{
		from: "services/internal/ident",
		may:  list("std", "github.com/oklog/ulid/v2"),
		why:  "making ids needs a clock and randomness, and nothing of ours",
	},
	{
		from: "services/internal/review",
		may:  list("std", contract, domain, "services/internal/store", "services/internal/review/page", "services/internal/consolidation/topic"),
		why:  "what a person's word changes is the same for a command, a reply and a page; who commits it is theirs",
	},
	{
		from: "services/internal/memoryfile/projection",
		may:  list("std", domain, "services/internal/store", "services/internal/vault", "services/internal/memoryfile"),
		why:  "what the files say follows from the rows, the same for the projector and for a rebuild; who writes them, and when, is theirs",
	},
	{
		from: "services/internal/review/page",
		may:  list("std", "services/internal/memory"),
		why:  "what a digest says and what a reply means follow from their values; who sends and stores them is another matter",
	},
	{
		from: "services/internal/{recall,recall/indexing}",
		may: list("std", domain, lru, "services/internal/store", "services/internal/vector", "services/internal/model/embed",
			"services/internal/model/rerank", "services/internal/recall/search", "services/internal/recall/calibrate"),
		why: "what an index holds and how it is asked is the same whichever index, model and store there are",
	},
	{
		from: "services/internal/{language,judge/safeguard}",
		may:  list("std", "services/internal/memory"),
		why:  "the language of a text, and whether it lowers a protection, follow from its words alone, and are decided once for the house",
	},
	{
		from: "services/internal/judge/lexical/...",
		may:  list("std", lru, "services/internal/memory", "services/internal/language", "golang.org/x/text/...", "github.com/blevesearch/snowballstem/..."),
		why:  "a similarity depends on the two texts alone",
	},
	{
		from: "services/internal/judge/subject",
		may:  list("std", "services/internal/memory", "services/internal/language", "services/internal/judge/lexical"),
		why:  "what a text is about follows from its words alone; which of them are of a closed class, the language says",
	},
	{from: "services/internal/judge/norm", may: list("std", "services/internal/memory", "services/internal/language"), why: "whether a sentence obliges follows from its words alone"},
	{
		from: "services/internal/judge/wording",
		may: list("std", "services/internal/memory", "services/internal/guard/poison", "services/internal/judge/lexical", "services/internal/judge/subject", "services/internal/judge/norm", "services/internal/judge/safeguard", "services/internal/language", "github.com/agnivade/levenshtein",
			"services/internal/model/embed"), // the static table of vectors is a constant of the binary behind a port
		why: "what can be read from a text follows from its words",
	},
	{from: "services/internal/judge/restate/...", may: list("std", "services/internal/memory", "services/internal/language", "services/internal/judge/wording", "services/internal/judge/lexical", "services/internal/vector", "github.com/blevesearch/snowballstem/..."), why: "whether one text says another again follows from the two alone"},
	{
		from: "services/internal/judge",
		may: list("std", domain, "services/internal/judge/wording", "services/internal/judge/lexical", "services/internal/judge/restate", "services/internal/judge/subject", "go.yaml.in/yaml/v3",
			"services/internal/vector"), // the cosine of two vectors, which stands beside their type
		why: "a verdict follows from a policy, a text and the texts of its scope, in a year as today; who reads and stores them is the worker's",
	},
	{
		from: "services/internal/recall/search",
		may:  list("std", "services/internal/memory", "services/internal/language", "services/internal/vector", "services/internal/vector/dot", "golang.org/x/text/...", "github.com/blevesearch/snowballstem/..."),
		why:  "what a question finds follows from lists, rows and texts; who fetches them is the searcher's",
	},
	{
		from: "services/internal/judge/similar",
		may:  list("std", "services/internal/memory", "services/internal/judge/lexical", "services/internal/vector"),
		why:  "how alike two texts are depends on the two alone",
	},
	{
		from: "services/internal/recall/calibrate",
		may:  list("std", "services/internal/memory", "services/internal/judge/lexical", "services/internal/vector", "services/internal/judge/similar"),
		why:  "operating points follow from labelled scores; who embeds the pairs and stores the points is another matter",
	},
	{
		from: "services/internal/memoryfile",
		may:  list("std", "services/internal/memory"),
		why:  "a file is read and written from its bytes alone: whoever commits or imports it brings the ports",
	},
	{
		from: "services/internal/session/format",
		may:  list("std", contract, lru, "services/internal/session/trace", "golang.org/x/text/..."),
		why:  "what a file says follows from its bytes; who sent them, and who may read them, is the intake's",
	},
	{
		from: "services/internal/session/trace",
		may:  list("std"),
		why:  "what a session is follows from its turns, whatever file they came in",
	},
	{
		from: "services/internal/session/trust",
		may:  list("std", "services/internal/memory", "services/internal/session/trace", "mvdan.cc/sh/v3/syntax"),
		why:  "where words came from follows from the turns and a list of tools; how alike two texts are is told by the caller",
	},
	{
		from: "services/internal/session/transcript",
		may:  list("std", "services/internal/memory", "services/internal/guard/redact", "services/internal/session/trace", "services/internal/session/trust"),
		why:  "how a session is kept follows from its turns; who reads them and who stores them is theirs",
	},
	{
		from: "services/internal/session/foresight",
		may:  list("std", "services/internal/session/extract/rules", "services/internal/recall/search", "services/internal/recall/calibrate"),
		why:  "what a memory would have spared follows from the sessions in their order; who reads them is the caller's",
	},
	{
		from: "services/internal/session/extract/rules",
		may: list("std", "services/internal/memory", "services/internal/session/{trace,transcript,extract}",
			"services/internal/guard/poison", "services/internal/judge/lexical"),
		why: "a rule reads what extract exports and composes; extract knows no rule",
	},
	{
		from: "services/internal/session/extract",
		may: list("std", "services/internal/memory", "services/internal/session/trace", "services/internal/session/trust", "services/internal/session/transcript",
			"services/internal/judge/lexical", "services/internal/guard/poison", "golang.org/x/text/..."),
		why: "what a session teaches follows from what was said in it and, where a model spoke, from its answer; who asks the model is the worker's",
	},
	{
		from: "services/internal/model/wire",
		may:  list("std"),
		why:  "what a failed request means is the same for every model, client library and port",
	},
	{
		from: "services/internal/model/consult",
		may:  list("std", domain, speech, "services/internal/store", "services/internal/model/llm", "services/internal/guard/redact", "github.com/failsafe-go/failsafe-go/..."),
		why:  "what a question may cost, and that it is paid once, is the same for every worker and every model",
	},
	{
		from: "services/internal/guard/access",
		may:  list("std", "services/internal/memory", "services/internal/store"),
		why:  "who is speaking, and what that one may do, follows from the credential, the same at every door",
	},
	{
		from: "services/internal/model/llm/openai",
		may:  list("std", speech, "services/internal/model/llm", "services/internal/model/wire", "github.com/sashabaranov/go-openai/...", "github.com/failsafe-go/failsafe-go/..."),
		why:  "a driver knows its own port and its own client library; two drivers that know each other cannot be replaced one by one",
	},
	{
		from: "services/internal/guard/poison/...",
		may:  list("std", "services/internal/memory", "services/internal/guard/redact/keywords", "golang.org/x/text/..."),
		why:  "a detector reads a text and can be run on any",
	},
	{
		from: "services/internal/guard/redact/message",
		may:  list("std", contract, "services/internal/memory", "services/internal/guard/redact"),
		why:  "which strings an event has is told by its descriptor, what a proposal may be by the domain; what is a secret in them is redact's",
	},
	{
		from: "services/internal/guard/redact/...",
		may:  list("std", "services/internal/guard/redact/...", "golang.org/x/text/...", "github.com/pelletier/go-toml/v2"),
		why:  "redaction is the first step of both intakes and must not drag either in",
	},
	{
		from: "services/internal/config/...",
		may:  list("std", "github.com/agnivade/levenshtein", "github.com/knadh/koanf/...", "github.com/go-viper/mapstructure/...", "github.com/spf13/pflag"),
		why:  "reading settings is the same for every part, so it knows none",
	},
	{
		from: "services/internal/telemetry/...",
		may:  list("std", "go.uber.org/zap/...", "github.com/prometheus/...", "golang.org/x/term"),
		why:  "everybody speaks through it, so it listens to nobody",
	},
	{
		from: "services/internal/worker",
		may: list("std", contract, domain, ports, pure, speech, lru, "golang.org/x/sync/...",
			"golang.org/x/time/rate"),
		never: list(drivers, clients[0], clients[2:]),
		why:   "the way of an event is the same whatever carries it and whatever stores it",
	},
	{
		from: "services/internal/schedule",
		may:  list("std", "github.com/robfig/cron/v3"),
		why:  "when something is due follows from a rule, a zone and two times",
	},
	{
		from: "services/internal/store/postgres/...",
		may: list("std", contract, domain, speech, "services/internal/store", "services/internal/store/postgres/...",
			"services/internal/ident", "github.com/jackc/pgx/...", "github.com/jackc/puddle/...", "github.com/pressly/goose/...",
			// Links of the audit chain carry the bytes of a ULID, not its text.
			"github.com/oklog/ulid/v2"),
		why: "a driver knows its own port and its own client library; two drivers that know each other cannot be replaced one by one",
	},
	{
		from: "services/internal/bus/account",
		may:  list("std"),
		why:  "who may do what at a server is a text; the fleet's server and the embedded one read the same",
	},
	{
		from: "services/internal/bus/jetstream/...",
		may: list("std", contract, domain, speech, "services/internal/bus", "services/internal/bus/account", "services/internal/bus/jetstream/...",
			"services/internal/ident", "github.com/nats-io/nats.go/...", "github.com/nats-io/nuid"),
		why: "a driver knows its own port and its own client library; two drivers that know each other cannot be replaced one by one",
	},
	{
		from: "services/internal/vector/embedded/...",
		may:  list("std", domain, speech, "services/internal/vector", "services/internal/vector/dot"),
		why:  "an exact scan needs no library",
	},
	{
		from: "services/internal/vector/qdrant/...",
		may: list("std", domain, speech, "services/internal/vector", "github.com/qdrant/go-client/qdrant",
			"google.golang.org/grpc/...", "google.golang.org/protobuf/..."),
		why: "a driver knows its own port and its own client library; two drivers that know each other cannot be replaced one by one",
	},
	{
		from: "services/internal/vector/dot",
		may:  list("std", "golang.org/x/sys/cpu"),
		why:  "arithmetic, and the question which processor this is",
	},
	{
		from: "services/internal/consolidation/topic",
		may: list("std", "services/internal/memory", "services/internal/language", // names of months and days
			"services/internal/judge/wording", "services/internal/judge/subject", "services/internal/guard/poison"),
		why: "whether a summary may stand follows from its text, the memories of its topic and what its author read; who reads and stores them is the caller's",
	},
	{
		from: "services/internal/consolidation",
		may: list("std", contract, domain, "services/internal/consolidation/cluster", "services/internal/judge/{wording,lexical,subject}",
			// The words of a text as search has them, and vectors behind their port.
			"services/internal/recall/search", "services/internal/vector", "services/internal/vector/dot"),
		why: "which memories become one follows from their texts and vectors; who reads them and writes the text is the worker's",
	},
	{
		from: "services/internal/workflow/operate",
		may:  list("std", domain, "services/internal/store", "services/internal/workflow"),
		why:  "what is asked about a workflow has one way, whether a tool, a page or a command asks",
	},
	{
		from: "services/internal/workflow",
		may:  list("std", domain),
		why:  "what a workflow is and says follows from its rows; who reads and commits them is another matter",
	},
	{
		from: "services/internal/confidence/ledger",
		may:  list("std", domain, "services/internal/store", "services/internal/confidence"),
		why:  "what a signal changes is read the same way for a tool and for a worker; who commits it is theirs",
	},
	{
		from: "services/internal/confidence",
		may:  list("std", contract, domain),
		why:  "how sure Winnow is of a memory follows from its signals; who reads and commits them is another matter",
	},
	{
		from: "services/internal/consolidation/erosion",
		may:  list("std"),
		why:  "how much may go follows from counts; who archives which rows is the caller's",
	},
	{
		from: "services/internal/consolidation/weekly",
		may: list("std", contract, domain, "services/internal/consolidation/{erosion,merge}",
			// The language of a text, by the stop words of search.
			"services/internal/recall/search"),
		why: "what becomes of a user's memories follows from them and a model's answer; who asks the model and commits is the worker's",
	},
	{
		from: "services/internal/consolidation/cluster",
		may:  list("std", "services/internal/vector/dot", "services/internal/vector"),
		why:  "groups depend on the vectors and ids given and on nothing else",
	},
	{
		from: "services/internal/consolidation/report",
		may:  list("std", "services/internal/memory", "services/internal/consolidation", "services/internal/consolidation/merge"),
		why:  "what a run did follows from its rows, the same for a person, an agent and a log",
	},
	{
		from: "services/internal/consolidation/trigger",
		may: list("std", contract, domain, "services/internal/store", "services/internal/schedule",
			"services/internal/recall/indexing", "services/internal/recall/calibrate"),
		why: "when a run is due, and how it is asked for, is the same for a schedule, a tool and a command; who commits it is theirs",
	},
	{
		from: "services/internal/consolidation/merge",
		may: list("std", "services/internal/memory", "services/internal/language", // names of months
			"services/internal/judge/wording", "services/internal/judge/lexical", "services/internal/judge/subject", "services/internal/guard/poison"),
		why: "what a merged text may say follows from its sources alone; who asks the model, and who stores the text, is the worker's",
	},
	{
		from: "services/internal/model/embed/static",
		may:  list("std", "services/internal/model/embed", "services/internal/language", "golang.org/x/text/unicode/norm"),
		why:  "the embedder that is always there may depend on nothing that can be absent",
	},
	{
		from: "services/internal/model/rerank/http",
		may:  list("std", "services/internal/model/rerank", "services/internal/model/wire"),
		why:  "one small request needs no library",
	},
	{
		from: "services/internal/model/embed/openai",
		may:  list("std", "services/internal/model/embed", "services/internal/model/wire", "github.com/sashabaranov/go-openai"),
		why:  "a driver knows its own port and its own client library; two drivers that know each other cannot be replaced one by one",
	},
	{
		from: "services/internal/filelock",
		may:  list("std", "golang.org/x/sys/..."),
		why:  "a lock on a file knows the system and nothing of ours",
	},
	{
		from: "services/internal/devstack/...",
		may: list("std", "services/internal/devstack/...", "services/internal/filelock", "services/internal/bus/account", speech, "go.uber.org/zap/...", "github.com/jackc/pgx/...", "github.com/nats-io/...",
			"github.com/fergusstrange/embedded-postgres", "golang.org/x/sys/...", "golang.org/x/sync/..."),
		why: "the private Postgres and NATS stand beside the product, which must not notice them",
	},
	{
		from: "services/internal/vault/git",
		may: list("std", lru, "services/internal/memory", "services/internal/vault", "services/internal/filelock", "github.com/go-git/go-git/...",
			"github.com/go-git/go-billy/...", "golang.org/x/sys/unix"),
		why: "the vault is a driver for files and git: it knows neither the store nor who renders what it keeps",
	},
	{
		from: "services/internal/docgen",
		may:  list("std", contract, "services/...", "pkg/..."),
		why:  "the reference documents are generated from the code itself",
	},
	{
		from: "services/run/...",
		may:  list("std", contract, "pkg/...", "services/run/...", "services/internal/...", "..."),
		never: list("services/ingest/...", "services/distill/...", "services/triage/...", "services/consolidate/...",
			"services/digest/...", "services/index/...", "services/relay/...", "services/api/...", "services/fleet/...", "services/ops/..."),
		why: "the process shell wires any worker, so it can name none; it is the only place that knows drivers",
	},
	{
		from: "services/fleet/...",
		may:  list("std", "services/*", "services/internal/worker", "services/internal/bus"),
		why:  "the fleet is a list of definitions",
	},
	{
		from: "services/local/jsonedit",
		may:  list("std", "github.com/tailscale/hujson"),
		why:  "where a value goes in a person's file follows from the file alone",
	},
	{
		from:  "services/eval/survival",
		may:   list("std", domain, pure, "services/internal/model/embed", "services/internal/model/llm"),
		never: drivers,
		why:   "a simulation applies the changes that pure rules return, in memory",
	},
	{
		from: "services/eval/own",
		may:  list("std", "services/eval", "services/internal/model/llm"),
		why:  "a set is scored by the suite of its kind, so a figure is that of the suite",
	},
	{
		from: "services/eval/...",
		may: list("std", domain, pure, "services/internal/vector", "services/internal/model/embed", "services/internal/model/llm",
			"services/local", "services/internal/worker"),
		never: drivers,
		why:   "a measurement runs the pure rules on labelled data; it has no store, so the same data gives the same report",
	},
	{
		from: "services/local/...",
		may: list("std", contract, "services/internal/memory", pure, "services/internal/model/embed", "pkg/publish", "services/local/jsonedit", "services/local/foreign",
			"go.yaml.in/yaml/v3", "golang.org/x/sync/...", "github.com/klauspost/compress/zstd", "modernc.org/sqlite"),
		never: drivers,
		why:   "what is on a person's machine, other programs' databases too (ADR 68), is read, published and written without a store",
	},
	{
		from:  "services/ops/...",
		may:   list("std", contract, domain, ports, pure, speech, "services/ops/...", "services/local", "services/eval", "go.yaml.in/yaml/v3"),
		never: drivers,
		why:   "an operator's command returns a change like a worker, on whatever it is run against",
	},
	{
		from: "services/*/...",
		may: list("std", contract, domain, ports, pure, speech, "services/internal/worker",
			"services/internal/schedule", "golang.org/x/sync/...", "github.com/hashicorp/golang-lru/v2/..."),
		never: list(drivers, clients),
		why:   "a worker gathers, decides and returns a change; who stores or carries it is wired elsewhere",
	},
	{
		from: "examples/...",
		may:  list("std", contract, "pkg/...", "github.com/nats-io/nats.go/..."),
		why:  "an example shows what anybody can do, so it has what anybody has",
	},
	{
		from:  "cmd/...",
		may:   list("..."),
		never: nil,
		why:   "a main wires and decides nothing; services/internal is closed to it by the compiler",
	},
})
