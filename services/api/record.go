package api

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"fmt"
	"strings"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"
	"google.golang.org/protobuf/types/known/timestamppb"

	"github.com/winnowhq/winnow/pkg/event"
	winnowv1 "github.com/winnowhq/winnow/proto/winnow/v1"
	"github.com/winnowhq/winnow/services/internal/change"
	"github.com/winnowhq/winnow/services/internal/consolidation/topic"
	"github.com/winnowhq/winnow/services/internal/guard/redact/message"
	"github.com/winnowhq/winnow/services/internal/memory"
	"github.com/winnowhq/winnow/services/internal/store"
	"github.com/winnowhq/winnow/services/internal/verdict"
)

// Limits of a record, in characters or pieces: the limits of triage, where a
// character may need four bytes.
const (
	recordTitle       = 60
	recordDescription = 250
	recordContent     = 4000
	recordTags        = 32
	recordTag         = 60
)

// source is the api in ce-source.
const source = "winnow-mcp"

// recordInput is the seed's input (S4.3), with the agent's project.
type recordInput struct {
	Title       string   `json:"title" jsonschema:"The lesson in a few words."`
	Description string   `json:"description" jsonschema:"When it helps, in one sentence."`
	Content     string   `json:"content" jsonschema:"What to do or avoid and why, with the numbers that matter; files, commands and settings in backticks. No secrets."`
	Outcome     string   `json:"outcome" jsonschema:"How that work ended."`
	Tags        []string `json:"tags,omitempty" jsonschema:"Labels to find it by."`
	Topics      []string `json:"topics,omitempty" jsonschema:"What it is about, in one to three words each; drawn from the text when left out."`
	Project     string   `json:"project,omitempty" jsonschema:"Your project; else default."`
	SessionID   string   `json:"session_id,omitempty" jsonschema:"Your session. A repeat in it counts once."`
	Kind        string   `json:"kind,omitempty" jsonschema:"A strategy is a lesson."`
}

// recordOutput is the seed's output (S4.4).
type recordOutput = verdict.Verdict

// verdictWithin is how long a record waits for its verdict.
const verdictWithin = 5 * time.Second

func recordTool() (*mcp.Tool, error) {
	input, err := schemaOf[recordInput](map[string]edit{
		"title": length(1, recordTitle), "description": length(1, recordDescription), "content": length(1, recordContent),
		"outcome": choice(outcomeSuccess, outcomeFailure), "session_id": length(0, maxSession),
		"tags":   items(0, recordTags, "", length(1, recordTag)),
		"topics": items(0, memory.MaxTopics, "", length(1, topic.MaxName)),
		"kind":   oneOf("strategy", "fact", "decision", "preference", "convention", "rule"),
	})
	if err != nil {
		return nil, err
	}
	output, err := schemaOf[recordOutput](map[string]edit{
		"status": choice(verdict.Statuses()...),
	})
	return &mcp.Tool{
		Name: "memory_record", Title: "Record a lesson",
		Description: "Proposes a lesson for memory and answers with the verdict. " +
			"Meant for the end of work that taught something. " +
			"What repeats a memory, holds a secret or gives orders is not recorded.",
		Annotations: adds("Record a lesson"), InputSchema: input, OutputSchema: output,
	}, err
}

// record implements memory_record: it commits one event, like any other
// publisher, and waits for the verdict.
func (a *api) record(ctx context.Context, in recordInput) (recordOutput, error) {
	who := callerOf(ctx)
	msg, err := a.proposal(ctx, in)
	if err != nil {
		return recordOutput{}, err
	}
	// The outbox is a table like any other: secrets are redacted before the
	// commit.
	secrets, err := message.Proposal(a.Redactor.Stream(string(who.Tenant)), msg)
	if err != nil {
		return recordOutput{}, request("%v", err)
	}
	msg.Id = a.recordID(who, msg)
	subject, err := event.SubjectFor(event.SubjectProposalCreated, who.ID)
	if err != nil {
		return recordOutput{}, err
	}
	set := change.Set{Events: []change.Event{{
		ID: msg.GetId(), Subject: subject, Type: event.TypeFor(event.SubjectProposalCreated), Message: msg,
	}}}
	// By this key triage knows that the event is a lesson of ours.
	if _, err := a.Store.Commit(ctx, who.Tenant, set, store.InboxKey{Consumer: store.RecordConsumer, Key: msg.GetId()}); err != nil {
		return recordOutput{}, fmt.Errorf("commit: %w", err)
	}
	a.Publisher.Wake()
	out, err := verdict.Await(ctx, a.Store, who, msg.GetId(), verdictWithin)
	out.SecretsReplaced = secrets
	return out, err
}

// proposal returns the record as an event.
func (a *api) proposal(ctx context.Context, in recordInput) (*winnowv1.ProposalCreated, error) {
	scope, err := a.newProject(ctx, in.Project)
	if err != nil {
		return nil, err
	}
	session, err := a.sessionName(ctx, in.SessionID)
	if err != nil {
		return nil, err
	}
	msg := &winnowv1.ProposalCreated{
		Scope: string(scope), Kind: in.Kind, SessionId: session, Source: source, Origin: memory.OriginAgent.String(),
		// An agent records what it has just observed.
		ObservedAt: timestamppb.New(a.Now()),
		Title:      strings.TrimSpace(in.Title), Text: strings.TrimSpace(in.Content), Tags: in.Tags, Topics: in.Topics,
	}
	if memory.Kind(in.Kind) == memory.KindStrategy {
		msg.Description, msg.Outcome, msg.Confidence = strings.TrimSpace(in.Description), in.Outcome, a.learning.InitialExplicit
	}
	if msg.GetText() == "" || msg.GetTitle() == "" || strings.TrimSpace(in.Description) == "" {
		return nil, request("title, description and content need words; give each what its description in the schema asks for")
	}
	return msg, nil
}

// addInput is the simple write (S2.28, S0.71): a text, without the form of a lesson.
type addInput struct {
	Content   string   `json:"content" jsonschema:"What to keep: one statement that stands alone, with its names and numbers. No secrets."`
	Kind      string   `json:"kind,omitempty" jsonschema:"What it is."`
	Tags      []string `json:"tags,omitempty" jsonschema:"Labels to find it by."`
	Project   string   `json:"project,omitempty" jsonschema:"Your project; else default."`
	SessionID string   `json:"session_id,omitempty" jsonschema:"Your session. A repeat in it counts once."`
}

func addTool() (*mcp.Tool, error) {
	return tool[addInput, recordOutput]("memory_add", "Add a memory",
		"Proposes a text for memory and answers with the verdict: memory_record without title, description and outcome. "+
			"For a lesson memory_record is better, because it is found by when it helps. It changes no existing memory.",
		adds(""), map[string]edit{
			"content": length(1, recordContent), "session_id": length(0, maxSession), "tags": items(0, recordTags, "", length(1, recordTag)),
			"kind": oneOf("fact", "decision", "preference", "convention", "rule", "strategy"),
		})
}

// add implements memory_add. The start of the text stands for its title and description.
func (a *api) add(ctx context.Context, in addInput) (recordOutput, error) {
	return a.record(ctx, recordInput{
		Title: oneLine(in.Content, recordTitle), Description: oneLine(in.Content, recordDescription), Content: in.Content,
		Outcome: outcomeSuccess, Tags: in.Tags, Project: in.Project, SessionID: in.SessionID, Kind: in.Kind,
	})
}

// recordID returns the event's id. In a session the id is derived from the
// content, so that a repeated call has no further effect.
func (a *api) recordID(who memory.Principal, msg *winnowv1.ProposalCreated) string {
	if msg.GetSessionId() == "" {
		return who.ID + "/" + a.NewID(memory.PrefixEvent)
	}
	parts := []any{
		msg.GetScope(), msg.GetSessionId(), msg.GetKind(), msg.GetTitle(), msg.GetDescription(), msg.GetText(), msg.GetOutcome(), msg.GetTags(),
	}
	if len(msg.GetTopics()) > 0 { // a record without any keeps its id
		parts = append(parts, msg.GetTopics())
	}
	said, _ := json.Marshal(parts) // strings cannot fail
	sum := sha256.Sum256(said)
	return who.ID + "/record-" + hex.EncodeToString(sum[:16])
}
