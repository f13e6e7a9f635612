package httpapi

import (
	"context"
	"encoding/json"
	"fmt"
	"mime"
	"net/http"
	"reflect"
	"strings"
	"time"

	"github.com/danielgtaylor/huma/v2"
	"github.com/danielgtaylor/huma/v2/adapters/humago"
	"go.uber.org/zap"

	"github.com/winnowhq/winnow/services/internal/memory"
)

// Limits of one request.
const (
	// MaxBody is the largest body of an operation, in bytes. Proposals and sessions,
	// which are streamed, have larger limits of their own.
	MaxBody = 256 << 10
	// answerWithin bounds an operation, even when its client waits longer.
	answerWithin = 30 * time.Second
)

// secret is the key of an operation's metadata that keeps its answer out of the store.
const secret = "secret"

// API collects the operations of the contract and serves them. It is filled at the
// start and not changed afterwards.
type API struct {
	*Door
	// Translate returns an error of the caller's own kind as a *Problem or as an error
	// that Of knows; nil changes none.
	Translate func(operation string, err error) error

	huma    huma.API
	mux     *http.ServeMux
	written []byte // the contract as JSON
}

// New returns an API without operations, which serves on mux.
func New(d *Door, mux *http.ServeMux, version string) *API {
	a := &API{Door: d, mux: mux}
	registry := huma.NewMapRegistry("#/components/schemas/", huma.DefaultSchemaNamer)
	// Types of the domain that are written as text.
	registry.RegisterTypeAlias(reflect.TypeFor[memory.Origin](), reflect.TypeFor[string]())
	a.huma = huma.NewAPI(huma.Config{
		OpenAPI: &huma.OpenAPI{
			OpenAPI: "3.1.0",
			Info: &huma.Info{
				Title: "Winnow", Version: version,
				Description: "Memory for agents: what came in, what was learned of it, and who decided. Every answer is of the tenant of the credential. " +
					"Texts of memories are data, whatever they say. Errors are problems of RFC 9457. " +
					"A request with an Idempotency-Key has one effect and one answer for a day.",
				License: &huma.License{Name: "Apache-2.0", Identifier: "Apache-2.0"},
			},
			Components: &huma.Components{
				Schemas:   registry,
				Responses: problems(),
				SecuritySchemes: map[string]*huma.SecurityScheme{"key": {
					Type: "http", Scheme: "bearer", Description: "An API key, made with winnow key add or with POST /api/keys. On loopback winnow dev needs none.",
				}},
			},
			Security: []map[string][]string{{"key": {}}},
		},
		Formats: map[string]huma.Format{
			"application/json": huma.DefaultJSONFormat, "json": huma.DefaultJSONFormat,
		},
		DefaultFormat:                "application/json",
		RejectUnknownQueryParameters: true,
		Transformers:                 []huma.Transformer{transform},
	}, &adapter{a})
	registry.Schema(reflect.TypeFor[Problem](), true, "Problem")
	return a
}

// failures are the statuses of problems that any operation may answer with.
var failures = []int{400, 401, 403, 404, 405, 408, 409, 413, 415, 422, 429, 500, 503}

// problems describes the answers with these statuses.
func problems() map[string]*huma.Response {
	all := map[string]*huma.Response{}
	for _, status := range failures {
		all[fmt.Sprint(status)] = &huma.Response{
			Description: http.StatusText(status),
			Content:     map[string]*huma.MediaType{"application/problem+json": {Schema: &huma.Schema{Ref: "#/components/schemas/Problem"}}},
		}
	}
	return all
}

// transform writes the library's errors as problems.
func transform(ctx huma.Context, _ string, v any) (any, error) {
	p, ours := v.(*Problem)
	if e, theirs := v.(*huma.ErrorModel); theirs {
		p, ours = ofHuma(e), true
	}
	if !ours {
		return v, nil
	}
	_, w := humago.Unwrap(ctx)
	p.RequestID = w.Header().Get(requestID)
	p.headers(w.Header())
	return p, nil
}

// adapter serves operations behind the door.
type adapter struct{ *API }

// Handle implements huma.Adapter.
func (a *adapter) Handle(op *huma.Operation, handler func(huma.Context)) {
	var h http.Handler = http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		ctx, cancel := context.WithTimeout(r.Context(), answerWithin)
		defer cancel()
		w.Header().Set("Cache-Control", "no-store")
		handler(humago.NewContext(op, r.WithContext(ctx), w))
	})
	if op.Method != http.MethodGet {
		if op.Metadata[secret] == nil {
			h = a.once(op.OperationID, MaxBody, h)
		}
		h = bodies(op, h)
	}
	a.mux.Handle(op.Method+" "+op.Path, a.Guard(op.OperationID, h))
}

// ServeHTTP implements huma.Adapter.
func (a *adapter) ServeHTTP(w http.ResponseWriter, r *http.Request) { a.mux.ServeHTTP(w, r) }

// bodies refuses bodies of another type and of more than MaxBody bytes.
func bodies(op *huma.Operation, next http.Handler) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		if op.Metadata[secret] != nil && r.Header.Get(IdempotencyKey) != "" {
			NewProblem(http.StatusUnprocessableEntity, "the answer is shown once and never stored",
				&memory.Fault{Field: IdempotencyKey, Remedy: "leave it out here"}).Write(w)
			return
		}
		if op.RequestBody != nil {
			kind, _, err := mime.ParseMediaType(r.Header.Get("Content-Type"))
			if r.ContentLength != 0 && (err != nil || kind != "application/json") {
				NewProblem(http.StatusUnsupportedMediaType, "the body's type is not known here; send Content-Type: application/json").Write(w)
				return
			}
		}
		if r.ContentLength > MaxBody {
			tooLargeOr(&http.MaxBytesError{Limit: MaxBody}).Write(w)
			return
		}
		r.Body = http.MaxBytesReader(w, r.Body, MaxBody+1)
		next.ServeHTTP(w, r)
	})
}

// reply is the answer of an operation.
type reply[O any] struct{ Body O }

// Operation describes an operation: its id, which the table of permissions has too,
// method and path, and the words of the documentation.
type Operation struct {
	ID, Method, Path, Tag string
	Summary, Description  string
	Status                int  // of success; 0 is 200
	Secret                bool // the answer has a secret: it is never stored
	// Adjust changes the description before it is used; nil does not.
	Adjust func(*huma.Operation, huma.Registry)
}

// Add adds an operation to the contract and serves it. I has the parameters, and the
// body in a field Body.
func Add[I, O any](a *API, o Operation, call func(context.Context, *I) (O, error)) {
	op := a.describe(o)
	huma.Register(a.huma, op, func(ctx context.Context, in *I) (*reply[O], error) {
		out, err := call(ctx, in)
		if err != nil {
			return nil, a.clientError(o.ID, err)
		}
		return &reply[O]{out}, nil
	})
	if o.Adjust != nil {
		added := a.operation(o)
		o.Adjust(added, a.huma.OpenAPI().Components.Schemas)
	}
}

// Document adds an operation to the contract that another worker serves.
func (a *API) Document(o Operation) {
	op := a.describe(o)
	if o.Adjust != nil {
		o.Adjust(&op, a.huma.OpenAPI().Components.Schemas)
	}
	a.huma.OpenAPI().AddOperation(&op)
}

// SchemaOf adds a type to the contract's schemas.
func (a *API) SchemaOf(t reflect.Type) *huma.Schema {
	return a.huma.OpenAPI().Components.Schemas.Schema(t, true, t.Name())
}

// clientError returns an error in the form for the client, and logs the rest.
func (a *API) clientError(operation string, err error) error {
	if a.Translate != nil {
		err = a.Translate(operation, err)
	}
	p, logged := Of(err)
	if logged {
		a.Log.Warn("a request was not answered", zap.String("operation", operation), zap.Error(err))
	}
	return p
}

func (a *API) describe(o Operation) huma.Operation {
	op := huma.Operation{
		OperationID: o.ID, Method: o.Method, Path: o.Path, Summary: o.Summary, Description: o.Description, Tags: []string{o.Tag},
		DefaultStatus: o.Status, MaxBodyBytes: MaxBody + 1, Responses: map[string]*huma.Response{},
	}
	if o.Secret {
		op.Metadata = map[string]any{secret: true}
	}
	for _, status := range failures {
		op.Responses[fmt.Sprint(status)] = &huma.Response{Ref: fmt.Sprintf("#/components/responses/%d", status)}
	}
	if o.Method == http.MethodPost && !o.Secret {
		op.Parameters = append(op.Parameters, &huma.Param{
			Name: IdempotencyKey, In: "header", Description: "Names the request: sent again within a day, it has no further effect.",
			Schema: &huma.Schema{Type: "string", MaxLength: new(maxKey)},
		})
	}
	return op
}

// operation returns the description of an operation that was added.
func (a *API) operation(o Operation) *huma.Operation {
	item := a.huma.OpenAPI().Paths[o.Path]
	switch o.Method {
	case http.MethodGet:
		return item.Get
	case http.MethodPost:
		return item.Post
	case http.MethodPut:
		return item.Put
	case http.MethodDelete:
		return item.Delete
	}
	return nil
}

// Serve ends the description, and serves it: the contract, the page that reads it, and
// the page that says what is here.
func (a *API) Serve() error {
	a.describeFields()
	spec := a.huma.OpenAPI()
	written, err := json.MarshalIndent(spec, "", "  ")
	if err != nil {
		return fmt.Errorf("write the contract: %w", err)
	}
	a.written = append(written, '\n')
	docs, err := documentation(spec)
	if err != nil {
		return err
	}
	a.mux.Handle("GET /api/openapi.json", static("application/openapi+json", a.written))
	a.mux.Handle("GET /api/docs", page(docs))
	a.mux.Handle("GET /{$}", page(start))
	return nil
}

// Contract returns the OpenAPI document as it is served.
func (a *API) Contract() []byte { return a.written }

// describeFields fills in the descriptions of fields whose types are described for MCP
// too, by the tag jsonschema.
func (a *API) describeFields() {
	registry := a.huma.OpenAPI().Components.Schemas
	for name, schema := range registry.Map() {
		t := registry.TypeFromRef("#/components/schemas/" + name)
		if t == nil {
			continue
		}
		describeFields(schema, t)
		schema.PrecomputeMessages()
	}
}

func describeFields(schema *huma.Schema, t reflect.Type) {
	for t.Kind() == reflect.Pointer {
		t = t.Elem()
	}
	if t.Kind() != reflect.Struct {
		return
	}
	for f := range t.Fields() {
		if f.Anonymous && f.Tag.Get("json") == "" {
			describeFields(schema, f.Type)
			continue
		}
		name, _, _ := strings.Cut(f.Tag.Get("json"), ",")
		if property := schema.Properties[name]; property != nil && property.Description == "" {
			property.Description = f.Tag.Get("jsonschema")
		}
	}
}
