package rest

import (
	"net/http"
	"reflect"

	"github.com/danielgtaylor/huma/v2"

	"github.com/winnowhq/winnow/services/internal/httpapi"
	"github.com/winnowhq/winnow/services/internal/verdict"
)

// proposalBody is a ProposalCreated as JSON. It documents the event of the bus, of which
// proto/winnow/v1 is the contract.
type proposalBody struct {
	Scope       string   `json:"scope" doc:"Where it holds, such as project:github.com/acme/api."`
	Text        string   `json:"text" doc:"What was learned."`
	Kind        string   `json:"kind,omitempty" doc:"What it is: fact, decision, preference, convention or rule. Left out, it is classified. A strategy is recorded by memory_record only."`
	Title       string   `json:"title,omitempty" doc:"In a few words; of a strategy."`
	Description string   `json:"description,omitempty" doc:"When it helps; of a strategy."`
	Outcome     string   `json:"outcome,omitempty" doc:"How the work ended: success or failure; of a strategy."`
	Confidence  float64  `json:"confidence,omitempty" doc:"How sure the publisher is, 0 to 1; of a strategy."`
	Tags        []string `json:"tags,omitempty" doc:"Labels."`
	Topics      []string `json:"topics,omitempty" doc:"What it is about."`
	Importance  int      `json:"importance,omitempty" doc:"1 to 10."`
	Origin      string   `json:"origin,omitempty" doc:"Whose words these are: external, agent, first_party or human; at most what the principal may claim."`
	SessionID   string   `json:"session_id,omitempty" doc:"The session in which it was learned."`
	ObservedAt  string   `json:"observed_at,omitempty" format:"date-time" doc:"When it was observed."`
	Source      string   `json:"source,omitempty" doc:"What published it, in words."`
}

// receipt is the answer to a proposal.
type receipt struct {
	EventID   string           `json:"event_id" doc:"The id under which the verdict is published."`
	Principal string           `json:"principal" doc:"The principal of the credential."`
	Duplicate bool             `json:"duplicate" doc:"The same proposal was accepted before."`
	Verdict   *verdict.Verdict `json:"verdict,omitempty" doc:"With wait: what became of it; status waiting when it is not decided yet."`
}

// sessionReceipt is the answer to a session.
type sessionReceipt struct {
	EventID         string `json:"event_id" doc:"Id of the publication."`
	SessionID       string `json:"session_id" doc:"Id of the stored session."`
	SessionName     string `json:"session_name" doc:"The publisher's own name of it."`
	Principal       string `json:"principal" doc:"The principal of the credential."`
	Scope           string `json:"scope" doc:"Where what is learned will hold."`
	Format          string `json:"format" doc:"The format of the trace, as given or recognised."`
	Duplicate       bool   `json:"duplicate" doc:"The scope held the same session before."`
	Turns           int    `json:"turns" doc:"How many were stored."`
	Skipped         int    `json:"skipped" doc:"How many could not be read."`
	Redactions      int    `json:"redactions" doc:"How many secrets were replaced."`
	Outcome         string `json:"outcome" doc:"success, failure or unknown."`
	OutcomeInferred bool   `json:"outcome_inferred" doc:"The publisher did not say."`
	Note            string `json:"note,omitempty" doc:"What the stored session lacks."`
}

// sessionBody is a SessionCompleted as JSON.
type sessionBody struct {
	SessionID string `json:"session_id" doc:"The publisher's name of the session."`
	Scope     string `json:"scope,omitempty" doc:"Where what is learned holds."`
	Project   string `json:"project,omitempty" doc:"The project, such as its repository's address."`
	Task      string `json:"task,omitempty" doc:"What the session was about."`
	Format    string `json:"format,omitempty" doc:"Format of the trace; left out, it is recognised."`
	Outcome   string `json:"outcome,omitempty" doc:"success or failure; left out, it is inferred."`
	Inline    string `json:"inline,omitempty" format:"byte" doc:"The trace, in base64."`
	Reference struct {
		URI    string `json:"uri" doc:"Such as trace://ci-bot/2026-11-22-a."`
		Size   int64  `json:"size,omitempty" doc:"Its bytes."`
		SHA256 string `json:"sha256,omitempty" doc:"Their hash, in base64."`
	} `json:"reference,omitzero" doc:"In place of inline: where a trace lies that was published in pieces."`
}

// intakes documents the operations that package ingest serves.
func (s *service) intakes(to *httpapi.API) {
	const tag = "Intake"
	to.Document(httpapi.Operation{
		ID: "create-proposal", Method: http.MethodPost, Path: "/api/proposals", Tag: tag, Summary: "Propose a memory",
		Description: "Accepts one candidate, as JSON, as protobuf (application/x-protobuf), or as a CloudEvent over HTTP in binary or structured mode. " +
			"It is committed when the answer comes, and decided at once or later: wait asks for the verdict.",
		Adjust: func(op *huma.Operation, _ huma.Registry) {
			op.Parameters = append(op.Parameters, &huma.Param{
				Name: "wait", In: "query", Description: "How long to wait for the verdict, such as 5s; at most 30s.",
				Schema: &huma.Schema{Type: "string", Pattern: `^([0-9]{1,5}ms|[0-9]{1,2}s)$`, Examples: []any{"5s"}},
			})
			content(to, op, reflect.TypeFor[proposalBody](), reflect.TypeFor[receipt](), "application/x-protobuf")
		},
	})
	to.Document(httpapi.Operation{
		ID: "create-session", Method: http.MethodPost, Path: "/api/sessions", Tag: tag, Summary: "Publish a finished session",
		Description: "Accepts a SessionCompleted as JSON, protobuf or CloudEvent, or the trace itself as any other type, described by the query. " +
			"The session is stored when the answer comes, and lessons are drawn from it afterwards.",
		Adjust: func(op *huma.Operation, _ huma.Registry) {
			for _, p := range [][2]string{
				{"scope", "Where what is learned holds."}, {"project", "The project."}, {"session", "The publisher's name of the session."},
				{"task", "What it was about."}, {"format", "Format of the trace; left out, it is recognised."}, {"outcome", "success or failure."},
			} {
				op.Parameters = append(op.Parameters, &huma.Param{Name: p[0], In: "query", Description: p[1] + " For a body that is the trace itself.", Schema: &huma.Schema{Type: "string"}})
			}
			content(to, op, reflect.TypeFor[sessionBody](), reflect.TypeFor[sessionReceipt](), "application/x-protobuf", "application/x-ndjson")
		},
	})
}

// content describes the body of an intake and its answer.
func content(to *httpapi.API, op *huma.Operation, in, out reflect.Type, others ...string) {
	op.RequestBody = &huma.RequestBody{Required: true, Content: map[string]*huma.MediaType{
		"application/json":             {Schema: to.SchemaOf(in)},
		"application/cloudevents+json": {Schema: &huma.Schema{Type: "object", AdditionalProperties: true}},
	}}
	for _, kind := range others {
		op.RequestBody.Content[kind] = &huma.MediaType{Schema: &huma.Schema{Type: "string", Format: "binary"}}
	}
	op.Responses["202"] = &huma.Response{
		Description: http.StatusText(http.StatusAccepted), Content: map[string]*huma.MediaType{"application/json": {Schema: to.SchemaOf(out)}},
	}
}
