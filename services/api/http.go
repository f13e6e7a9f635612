package api

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"reflect"
	"strings"
	"time"

	"github.com/danielgtaylor/huma/v2"
	"github.com/google/jsonschema-go/jsonschema"
	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/winnowhq/winnow/services/internal/bus"
	"github.com/winnowhq/winnow/services/internal/consolidation/topic"
	"github.com/winnowhq/winnow/services/internal/httpapi"
	"github.com/winnowhq/winnow/services/internal/memory"
	"github.com/winnowhq/winnow/services/internal/recall"
	"github.com/winnowhq/winnow/services/internal/workflow"
)

// searchRequest is memory_search's input as a query.
type searchRequest struct {
	Query      string             `query:"q" required:"true"`
	Project    string             `query:"project"`
	Scope      string             `query:"scope"`
	Outcome    string             `query:"outcome"`
	Kind       string             `query:"kind"`
	Topic      string             `query:"topic"`
	Depth      string             `query:"depth"`
	Limit      int                `query:"limit"`
	Confidence sentParam[float64] `query:"min_confidence"`
	Session    string             `query:"session_id"`
}

type getRequest struct {
	ID      string `path:"id" doc:"Id of the memory, such as mem_01JD0000000000000000000000."`
	Project string `query:"project" maxLength:"136" doc:"Your project. What is not visible from it, such as another team's, is unknown."`
	Session string `query:"session_id" maxLength:"256" doc:"Your session. It is kept which memories were shown in it."`
}

type startRequest struct {
	Project string `query:"project"`
	Session string `query:"session_id"`
	Task    string `query:"task"`
}

type statusRequest struct {
	Project string `query:"project_id"`
	History int    `query:"history_limit" default:"5"`
}

// body is an operation's input that is a tool's, as it stands.
type body[T any] struct{ Body T }

// memoryAnswer is one memory as memory_get shows it.
type memoryAnswer struct {
	Notice string `json:"how_to_read" jsonschema:"How to read the texts below."`
	Read
	End string `json:"memories_end" jsonschema:"End of the fence that how_to_read opens."`
}

// Read is a read memory where it is embedded, as Card is a card.
type Read = read

// operations adds the operations that are tools too. Input and answer equal those of
// the tool, and so do their schemas.
func (a *api) operations(to *httpapi.API) error {
	var failed []error
	as := func(tool func() (*mcp.Tool, error), names ...string) func(*huma.Operation, huma.Registry) {
		t, err := tool()
		if err != nil {
			failed = append(failed, err)
			return nil
		}
		return func(op *huma.Operation, registry huma.Registry) {
			constrain(op, registry, t.InputSchema.(*jsonschema.Schema), names...)
		}
	}
	const tag = "Memory"
	httpapi.Add(to, httpapi.Operation{
		ID: "search-memories", Method: http.MethodGet, Path: "/api/search", Tag: tag, Summary: "Search memory",
		Description: "Finds lessons, facts and decisions by words and meaning, like the tool memory_search.",
		Adjust:      as(a.searchTool, "q", "query"),
	}, measured(a, "search", a.searchHTTP))
	httpapi.Add(to, httpapi.Operation{
		ID: "get-memory", Method: http.MethodGet, Path: "/api/memories/{id}", Tag: tag, Summary: "Read a memory",
		Description: "Reads one memory in full, like the tool memory_get.",
	}, measured(a, "get", a.memoryHTTP))
	httpapi.Add(to, httpapi.Operation{
		ID: "start-session", Method: http.MethodGet, Path: "/api/session-start", Tag: tag, Summary: "Start a session",
		Description: "Tells what to know at the start of a session, like the tool session_start.",
		Adjust:      as(startTool),
	}, measured(a, "session_start", func(ctx context.Context, in *startRequest) (startOutput, error) {
		return a.start(ctx, startInput{Project: in.Project, SessionID: in.Session, Task: in.Task})
	}))
	httpapi.Add(to, httpapi.Operation{
		ID: "send-feedback", Method: http.MethodPost, Path: "/api/feedback", Tag: tag, Summary: "Say whether a memory helped",
		Description: "Raises or lowers how sure Winnow is of a memory, like the tool memory_feedback.",
		Adjust:      as(feedbackTool),
	}, measured(a, "memory_feedback", func(ctx context.Context, in *body[feedbackInput]) (feedbackOutput, error) {
		return a.feedback(ctx, in.Body)
	}))
	httpapi.Add(to, httpapi.Operation{
		ID: "send-outcome", Method: http.MethodPost, Path: "/api/outcomes", Tag: tag, Summary: "Report how a task ended",
		Description: "Reports whether a task succeeded after a memory was used, like the tool memory_outcome.",
		Adjust:      as(outcomeTool),
	}, measured(a, "memory_outcome", func(ctx context.Context, in *body[outcomeInput]) (outcomeOutput, error) {
		return a.outcome(ctx, in.Body)
	}))
	httpapi.Add(to, httpapi.Operation{
		ID: "create-consolidation", Method: http.MethodPost, Path: "/api/consolidations", Tag: "Consolidation", Summary: "Merge the similar memories of a project",
		Description: "Begins a run, or with dry_run says what it would do; or stores the summary of a topic. Like the tool memory_consolidate.",
		Adjust:      as(consolidateTool),
	}, measured(a, "memory_consolidate", func(ctx context.Context, in *body[consolidateInput]) (consolidateOutput, error) {
		return a.consolidate(ctx, in.Body)
	}))
	httpapi.Add(to, httpapi.Operation{
		ID: "get-consolidation-status", Method: http.MethodGet, Path: "/api/consolidations/status", Tag: "Consolidation", Summary: "Say whether a run is due",
		Description: "How many memories a project has, when they were last merged, and its last runs. Like the tool consolidation_status.",
		Adjust:      as(statusTool),
	}, measured(a, "consolidation_status", func(ctx context.Context, in *statusRequest) (statusOutput, error) {
		return a.status(ctx, statusInput{ProjectID: in.Project, History: in.History})
	}))
	httpapi.Add(to, httpapi.Operation{
		ID: "start-workflow", Method: http.MethodPost, Path: "/api/workflows", Tag: "Workflows", Summary: "Start a workflow",
		Description: "Begins a task of a project that takes several sessions. Like the tool start_workflow.", Adjust: as(startWorkflowTool),
	}, measured(a, "start_workflow", func(ctx context.Context, in *body[startWorkflowInput]) (workflowOutput, error) {
		return a.startWorkflow(ctx, in.Body)
	}))
	httpapi.Add(to, httpapi.Operation{
		ID: "list-workflows", Method: http.MethodGet, Path: "/api/workflows", Tag: "Workflows", Summary: "List workflows",
		Description: "The workflows of a project, the newest first. Like the tool list_workflows.", Adjust: as(listWorkflowsTool),
	}, measured(a, "list_workflows", func(ctx context.Context, in *listWorkflowsRequest) (listWorkflowsOutput, error) {
		return a.listWorkflows(ctx, listWorkflowsInput{Project: in.Project, Status: in.Status, Limit: in.Limit})
	}))
	httpapi.Add(to, httpapi.Operation{
		ID: "get-workflow", Method: http.MethodGet, Path: "/api/workflows/{id}", Tag: "Workflows", Summary: "Read a workflow",
		Description: "A workflow with its memories as text. Like the tool get_workflow_context.",
	}, measured(a, "get_workflow_context", func(ctx context.Context, in *workflowRequest) (contextOutput, error) {
		return a.workflowContext(ctx, contextInput{WorkflowID: in.ID, Project: in.Project, SessionID: in.Session, MaxTokens: defaultContext})
	}))
	for name, change := range map[string]func(context.Context, namedWorkflowInput) (workflowOutput, error){
		"complete": a.completeWorkflow, "pause": a.pauseWorkflow, "resume": a.resumeWorkflow,
	} {
		httpapi.Add(to, httpapi.Operation{
			ID: name + "-workflow", Method: http.MethodPost, Path: "/api/workflows/{id}/" + name, Tag: "Workflows",
			Summary: strings.ToUpper(name[:1]) + name[1:] + " a workflow", Description: "Like the tool " + name + "_workflow.",
		}, measured(a, name+"_workflow", func(ctx context.Context, in *workflowRequest) (workflowOutput, error) {
			return change(ctx, namedWorkflowInput{WorkflowID: in.ID, Project: in.Project, SessionID: in.Session})
		}))
	}
	return errors.Join(failed...)
}

type listWorkflowsRequest struct {
	Project string `query:"project"`
	Status  string `query:"status"`
	Limit   int    `query:"limit" default:"20"`
}

type workflowRequest struct {
	ID      string `path:"id" maxLength:"64" doc:"Id of the workflow, such as wf_01JD0000000000000000000000."`
	Project string `query:"project" maxLength:"136" doc:"Your project. A workflow of another one is unknown."`
	Session string `query:"session_id" maxLength:"256" doc:"Your session. It is kept which memories were shown in it."`
}

// measured counts the calls of an operation.
func measured[I, O any](a *api, call string, answer func(context.Context, *I) (O, error)) func(context.Context, *I) (O, error) {
	return func(ctx context.Context, in *I) (O, error) {
		began := time.Now()
		out, err := answer(ctx, in)
		a.measure(call+"_http", began, err)
		return out, err
	}
}

// problem returns an error as a problem of the API.
func (a *api) problem(call string, err error) error {
	if len(memory.Faults(err)) > 0 {
		return err
	}
	status := 0
	switch {
	case errors.Is(err, errRequest), errors.Is(err, recall.ErrQuestion):
		status = http.StatusUnprocessableEntity
	case errors.Is(err, workflow.ErrNone), errors.Is(err, workflow.ErrUnknown):
		status = http.StatusNotFound
	case errors.Is(err, workflow.ErrInput):
		status = http.StatusUnprocessableEntity
	case errors.Is(err, topic.ErrRefused), workflow.Refused(err):
		status = http.StatusConflict
	case errors.Is(err, errNotFound):
		status = http.StatusNotFound
	case errors.Is(err, bus.ErrUnavailable):
		err, status = errAway, http.StatusServiceUnavailable
	case errors.Is(err, errAway):
		status = http.StatusServiceUnavailable
	default:
		return err
	}
	return httpapi.NewProblem(status, err.Error())
}

// searchHTTP is GET /api/search?q=…, with the arguments of memory_search.
func (a *api) searchHTTP(ctx context.Context, q *searchRequest) (searchOutput, error) {
	in := searchInput{
		Query: q.Query, Project: q.Project, SessionID: q.Session, Scope: q.Scope, Outcome: q.Outcome, Kind: q.Kind,
		Topic: q.Topic, Depth: q.Depth, Limit: q.Limit, MinConfidence: a.searches.MinConfidence,
	}
	if in.Scope == "" {
		in.Scope = levelAll
	}
	if in.Outcome == "" {
		in.Outcome = anything
	}
	if q.Confidence.sent {
		in.MinConfidence = q.Confidence.Value
	}
	return a.search(ctx, in)
}

// memoryHTTP is GET /api/memories/{id}.
func (a *api) memoryHTTP(ctx context.Context, in *getRequest) (memoryAnswer, error) {
	out, err := a.one(ctx, in.ID, in.Project, in.Session)
	if err != nil {
		return memoryAnswer{}, err
	}
	return memoryAnswer{out.Notice, out.Memories[0], out.End}, nil
}

// sentParam is a parameter of which it matters whether it was sent.
type sentParam[T any] struct {
	Value T
	sent  bool
}

// Schema implements huma.SchemaProvider.
func (p sentParam[T]) Schema(r huma.Registry) *huma.Schema {
	return huma.SchemaFromType(r, reflect.TypeFor[T]())
}

// Receiver implements huma.ParamWrapper.
func (p *sentParam[T]) Receiver() reflect.Value { return reflect.ValueOf(p).Elem().Field(0) }

// OnParamSet implements huma.ParamReactor.
func (p *sentParam[T]) OnParamSet(sent bool, _ any) { p.sent = sent }

// constrain copies descriptions and constraints of a tool's input to the parameters and
// the body of an operation, so that both are written once. names are pairs of a
// parameter and the tool's property where they differ.
func constrain(op *huma.Operation, registry huma.Registry, from *jsonschema.Schema, names ...string) {
	for _, p := range op.Parameters {
		name := p.Name
		for i := 0; i < len(names); i += 2 {
			if names[i] == name {
				name = names[i+1]
			}
		}
		if property := from.Properties[name]; property != nil {
			copySchema(p.Schema, property)
			p.Description = property.Description
			p.Schema.PrecomputeMessages()
		}
	}
	if op.RequestBody == nil {
		return
	}
	schema := op.RequestBody.Content["application/json"].Schema
	if schema.Ref != "" {
		schema = registry.SchemaFromRef(schema.Ref)
	}
	for name, property := range from.Properties {
		if to := schema.Properties[name]; to != nil {
			copySchema(to, property)
			to.PrecomputeMessages()
		}
	}
	schema.PrecomputeMessages()
}

func copySchema(to *huma.Schema, from *jsonschema.Schema) {
	to.Description, to.Minimum, to.Maximum = from.Description, from.Minimum, from.Maximum
	to.MinLength, to.MaxLength, to.MinItems, to.MaxItems = from.MinLength, from.MaxLength, from.MinItems, from.MaxItems
	to.Enum = from.Enum
	if len(from.Default) > 0 {
		_ = json.Unmarshal(from.Default, &to.Default) // a literal of the tool's own schema
	}
	if to.Items != nil && from.Items != nil {
		copySchema(to.Items, from.Items)
	}
}
