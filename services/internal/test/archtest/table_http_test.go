package archtest

// doors are the rows of what speaks HTTP, which are read before the others. Package ops
// brings the client of NATS with it, by which it publishes what was adopted; nothing
// here uses it.
var doors = []row{
	{
		from: "services/internal/verdict",
		may:  list("std", "services/internal/memory", "services/internal/store"),
		why:  "what became of a proposal follows from its rows, the same for an agent and for a service",
	},
	{
		from: "services/internal/guard/token",
		may: list("std", "pkg/event", "services/internal/memory", "services/internal/guard/access", "github.com/golang-jwt/jwt/...", "github.com/MicahParks/keyfunc/...",
			"golang.org/x/time/rate"),
		why: "whether a token is genuine follows from its bytes, the provider's keys and the clock; whom it lets in, access decides",
	},
	{
		from: "services/internal/httpapi",
		may:  list("std", "services/internal/memory", "services/internal/store", "services/internal/guard/access", speech, "github.com/danielgtaylor/huma/..."),
		why:  "who enters, how an error looks and how the contract is written is the same for every worker that speaks HTTP",
	},
	{
		from: "services/api/rest",
		may: list("std", contract, domain, ports, pure, speech, "services/internal/worker", "services/internal/httpapi", "services/ops", "services/ops/scopes", "services/ops/topics",
			"github.com/danielgtaylor/huma/..."),
		never: list(drivers, clients[0], clients[2:]),
		why:   "what a person does over HTTP is what the command does, so it calls the same operations",
	},
	{
		from: "services/ingest",
		may: list("std", contract, domain, ports, pure, speech, "services/internal/worker", "services/internal/httpapi",
			"services/internal/schedule", "golang.org/x/sync/...", "github.com/hashicorp/golang-lru/v2/..."),
		never: list(drivers, clients),
		why:   "a worker that takes events in over HTTP too",
	},
	{
		from: "services/api/...",
		may: list("std", contract, domain, ports, pure, speech, "services/api/...", "services/internal/worker", "services/internal/httpapi", "github.com/danielgtaylor/huma/v2",
			"github.com/modelcontextprotocol/go-sdk/...", "github.com/google/jsonschema-go/jsonschema", "golang.org/x/sync/errgroup"),
		never: list(drivers, clients[0], clients[2:]),
		why:   "a worker that speaks MCP beside what every worker does",
	},
}
