package rest

import (
	"context"
	"encoding/base64"
	"errors"
	"fmt"
	"net/http"

	"github.com/winnowhq/winnow/services/internal/consolidation/trigger"
	"github.com/winnowhq/winnow/services/internal/guard/access"
	"github.com/winnowhq/winnow/services/internal/httpapi"
	"github.com/winnowhq/winnow/services/internal/memory"
	"github.com/winnowhq/winnow/services/internal/review/page"
	"github.com/winnowhq/winnow/services/internal/store"
	"github.com/winnowhq/winnow/services/internal/worker"
	"github.com/winnowhq/winnow/services/ops"
)

// Options are what the operations share with the tools.
type Options struct {
	Digest        page.Config
	Consolidation trigger.Config
	// Sees reports whether the caller may read memories of a scope.
	Sees func(context.Context, memory.Scope) bool
	// From is Sees from a project, named as agents name it: only what is visible from it
	// (D25). Without a project it is Sees. The error says what is wrong with the name.
	From func(ctx context.Context, project string) (func(memory.Scope) bool, error)
}

// service carries the operations out. Safe for concurrent use.
type service struct {
	worker.Deps
	Options
}

// Operations adds the operations to the contract.
func Operations(to *httpapi.API, deps worker.Deps, o Options) {
	s := &service{deps, o}
	s.intakes(to)
	s.memories(to)
	s.keys(to)
	s.runs(to)
	s.reviews(to)
	s.registry(to)
	s.scopes(to)
	s.protocol(to)
}

// ops returns the operations of the caller's tenant in the caller's name.
func (s *service) ops(ctx context.Context) *ops.Ops {
	who := access.Caller(ctx)
	return &ops.Ops{
		Store: s.Store, DeadLetters: s.DeadLetters, Redactor: s.Redactor, Tenant: who.Tenant, Person: who.ID,
		Digest: s.Digest, Consolidation: s.Consolidation, Recall: s.Recall, Index: s.Index, Truth: s.Truth,
		Now: s.Now, NewID: s.NewID,
	}
}

// Bounded is the project from which an id is looked up.
type Bounded struct {
	Project string `query:"project" maxLength:"136" doc:"Your project. What is not visible from it, such as another team's, is unknown."`
}

// within returns store.ErrNotFound for a scope that is not visible from the project.
func (s *service) within(ctx context.Context, project string, scope memory.Scope) error {
	sees, err := s.From(ctx, project)
	if err == nil && !sees(scope) {
		err = store.ErrNotFound
	}
	return err
}

// Paged are the parameters of a list. The library reads embedded fields of exported types
// only.
type Paged struct {
	Limit  int    `query:"limit" minimum:"1" maximum:"200" default:"50" doc:"How many at most."`
	Cursor string `query:"cursor" maxLength:"200" doc:"next_cursor of the page before; leave it out for the first page."`
}

// after returns the id after which the page begins, empty for the first page.
func (p Paged) after(prefix string) (string, error) {
	if p.Cursor == "" {
		return "", nil
	}
	raw, err := base64.RawURLEncoding.DecodeString(p.Cursor)
	if err == nil {
		_, err = memory.ParseID(string(raw), prefix)
	}
	if err != nil || string(raw) != memory.Visible(string(raw)) {
		return "", &memory.Fault{Field: "query.cursor", Remedy: "is none of this list; send next_cursor as it was given, or leave it out"}
	}
	return string(raw), nil
}

// next returns the cursor of the page after a last id; a page that is not full is the
// last one.
func next(id string, full bool) string {
	if !full {
		return ""
	}
	return base64.RawURLEncoding.EncodeToString([]byte(id))
}

// known returns ErrNotFound for an id that no row can have: the database would refuse
// some of them with another error.
func known(id string, prefixes ...string) error {
	if _, err := memory.ParseID(id, prefixes...); err != nil || id != memory.Visible(id) {
		return store.ErrNotFound
	}
	return nil
}

// scopeOf returns the scope of a parameter, empty for none.
func scopeOf(name string) (memory.Scope, error) {
	if name == "" {
		return "", nil
	}
	scope, err := memory.ParseScope(name)
	if err != nil {
		return "", &memory.Fault{Field: "scope", Remedy: fmt.Sprintf("%v; write it like project:shop", err)}
	}
	return scope, nil
}

// ofOps returns an error of package ops for the client.
func ofOps(err error) error {
	if errors.Is(err, ops.ErrState) {
		return httpapi.NewProblem(http.StatusConflict, err.Error())
	}
	return err
}
