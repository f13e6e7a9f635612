package archtest

// row is one line of "Who may import whom".
//
// Patterns are import paths, those of ours below the module's home. `*` stands
// for one element, `/...` at the end for the package and everything below it,
// `std` for the standard library.
type row struct {
	from string
	may  []string // any other direct import is forbidden
	// never must not be reached at all, over any number of imports between our own
	// packages.
	never []string
	why   string
}

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
		"services/internal/consolidation/...", "services/internal/confidence", "services/internal/confidence/ledger", "services/internal/session/...", "services/internal/model/consult", "services/internal/guard/access",
	}
)
