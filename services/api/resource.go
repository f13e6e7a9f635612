package api

import (
	"context"
	"encoding/json"
	"errors"
	"net/url"
	"strings"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/winnowhq/winnow/services/internal/memory"
	"github.com/winnowhq/winnow/services/internal/memoryfile"
	"github.com/winnowhq/winnow/services/internal/memoryfile/projection"
)

// URIs of the resources.
const (
	uriFile     = "winnow://memory/MEMORY.md"
	uriFileOf   = "winnow://memory/MEMORY.md?project={+project}"
	uriMemory   = "winnow://memory/{id}"
	uriMemories = "winnow://memory/"
	uriDigest   = "winnow://digest/{week}"
	uriDigests  = "winnow://digest/"
)

func (a *api) addResources(s *mcp.Server) {
	s.AddResource(&mcp.Resource{
		URI: uriFile, Name: "MEMORY.md", Title: "MEMORY.md", MIMEType: "text/markdown",
		Description: "What agents load at every start: the memory file of the only project, else of the project default.",
	}, a.resource(a.file))
	s.AddResourceTemplate(&mcp.ResourceTemplate{
		URITemplate: uriFileOf, Name: "MEMORY.md of a project", MIMEType: "text/markdown",
		Description: "The memory file of one project, such as github.com/acme/api.",
	}, a.resource(a.file))
	s.AddResourceTemplate(&mcp.ResourceTemplate{
		URITemplate: uriMemory, Name: "One memory", MIMEType: "application/json",
		Description: "A memory by its id, as memory_get shows it.",
	}, a.resource(a.memory))
	s.AddResourceTemplate(&mcp.ResourceTemplate{
		URITemplate: uriDigest, Name: "A week's digest", MIMEType: "text/plain",
		Description: "What was decided in a week and what needs your user, as it was sent: 2026-W47, or latest.",
	}, a.resource(a.digest))
}

// resource reads one resource, and maps errors to those of the protocol.
func (a *api) resource(read func(context.Context, string) (mime, text string, err error)) mcp.ResourceHandler {
	return func(ctx context.Context, r *mcp.ReadResourceRequest) (*mcp.ReadResourceResult, error) {
		if err := allowed(ctx, "resource"); err != nil {
			return nil, err
		}
		mime, text, err := read(ctx, r.Params.URI)
		if errors.Is(err, errNotFound) {
			return nil, mcp.ResourceNotFoundError(r.Params.URI)
		}
		if err != nil {
			return nil, a.clientError("resource", err)
		}
		return &mcp.ReadResourceResult{Contents: []*mcp.ResourceContents{{URI: r.Params.URI, MIMEType: mime, Text: text}}}, nil
	}
}

// file returns a project's current MEMORY.md, in a fence.
func (a *api) file(ctx context.Context, uri string) (mime, text string, err error) {
	u, err := url.Parse(uri)
	if err != nil {
		return "", "", errNotFound
	}
	scope, err := projectOf(ctx, u.Query().Get("project"))
	if err != nil {
		return "", "", err
	}
	if scope == "" {
		if scope, err = a.onlyProject(ctx); err != nil {
			return "", "", err
		}
	}
	active, err := projection.Active(ctx, a.Store, callerOf(ctx).Tenant, scope)
	if err != nil {
		return "", "", err
	}
	d := memoryfile.Document{Scope: scope, Sections: a.layout.Sections, Budget: a.layout.Vault.Lines}
	for _, m := range active {
		d.Items = append(d.Items, memoryfile.ItemOf(m))
	}
	f := newFence()
	return "text/markdown", f.notice() + "\n" + f.around(string(memoryfile.Render(d).Memory)) + "\n", nil
}

// onlyProject returns the tenant's only project, for a caller that names none.
func (a *api) onlyProject(ctx context.Context) (memory.Scope, error) {
	projects, err := a.Store.ScopeNames(ctx, callerOf(ctx).Tenant, memory.ScopeProject)
	if err != nil {
		return "", err
	}
	if len(projects) == 1 && !callerOf(ctx).Bound() {
		return projects[0], nil
	}
	return projectOrDefault(ctx, "")
}

// memory returns one memory in the form of memory_get.
func (a *api) memory(ctx context.Context, uri string) (mime, text string, err error) {
	out, err := a.one(ctx, strings.TrimPrefix(uri, uriMemories), "", "")
	if err != nil {
		return "", "", err
	}
	raw, err := json.Marshal(out)
	return "application/json", string(raw), err
}

// one reads a single memory, or errNotFound.
func (a *api) one(ctx context.Context, id, project, session string) (getOutput, error) {
	if _, err := memory.ParseID(id, memory.PrefixMemory); err != nil {
		return getOutput{}, errNotFound
	}
	out, err := a.get(ctx, getInput{IDs: []string{id}, Project: project, SessionID: session})
	if err == nil && len(out.Memories) == 0 {
		err = errNotFound
	}
	return out, err
}

func (a *api) addPrompts(s *mcp.Server) {
	s.AddPrompt(&mcp.Prompt{
		Name: "session_start", Title: "Start a session",
		Description: "What to know at the start of a session: directives, lessons and what changed.",
		Arguments: []*mcp.PromptArgument{
			{Name: "project", Title: "Project", Description: "Your project, such as github.com/acme/api."},
			{Name: "session_id", Title: "Session", Description: "Your session, the same in every call."},
			{Name: "task", Title: "Task", Description: "What the session is about."},
		},
	}, a.prompt("What to know at the start of a session.", func(ctx context.Context, given map[string]string) (string, error) {
		out, err := a.start(ctx, startInput{Project: given["project"], SessionID: given["session_id"], Task: given["task"]})
		return out.Context, err
	}))
	s.AddPrompt(&mcp.Prompt{
		Name: "weekly_review", Title: "Weekly review",
		Description: "Goes with you through the week: what was decided, and what waits for you.",
		Arguments: []*mcp.PromptArgument{
			{Name: "week", Title: "Week", Description: "Such as 2026-W47; the newest when left out."},
			{Name: "project", Title: "Project", Description: "Only what waits in this project, such as github.com/acme/api."},
		},
	}, a.prompt("The week, and what waits for a person.", func(ctx context.Context, given map[string]string) (string, error) {
		return a.weekly(ctx, given["week"], given["project"])
	}))
}

// prompt answers with one text.
func (a *api) prompt(about string, text func(context.Context, map[string]string) (string, error)) mcp.PromptHandler {
	return func(ctx context.Context, r *mcp.GetPromptRequest) (*mcp.GetPromptResult, error) {
		if err := allowed(ctx, "prompt"); err != nil {
			return nil, err
		}
		said, err := text(ctx, r.Params.Arguments)
		if err != nil {
			return nil, a.clientError("prompt", err)
		}
		return &mcp.GetPromptResult{
			Description: about,
			Messages:    []*mcp.PromptMessage{{Role: "user", Content: &mcp.TextContent{Text: said}}},
		}, nil
	}
}
