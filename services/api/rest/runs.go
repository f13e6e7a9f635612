package rest

import (
	"context"
	"net/http"

	"github.com/winnowhq/winnow/services/internal/guard/access"
	"github.com/winnowhq/winnow/services/internal/httpapi"
	"github.com/winnowhq/winnow/services/internal/memory"
	"github.com/winnowhq/winnow/services/internal/store"
	"github.com/winnowhq/winnow/services/ops"
)

type runsRequest struct {
	Scope string `query:"scope" maxLength:"136" doc:"Only of this scope, such as project:shop."`
	Paged
}

type runPage struct {
	Runs []memory.Run `json:"runs" doc:"The newest first."`
	Next string       `json:"next_cursor,omitempty" doc:"The cursor of the next page; absent on the last one."`
}

type RunID struct {
	ID string `path:"id" maxLength:"64" doc:"Id of the run."`
	Bounded
}

type undoRunRequest struct {
	RunID
	Body struct {
		Item    int  `json:"item,omitempty" minimum:"0" maximum:"1000000" doc:"Only this step; 0 is the whole run."`
		Cascade bool `json:"cascade,omitempty" doc:"Take back what rests on it too."`
	}
}

func (s *service) runs(to *httpapi.API) {
	const tag = "Consolidation"
	httpapi.Add(to, httpapi.Operation{
		ID: "list-runs", Method: http.MethodGet, Path: "/api/runs", Tag: tag, Summary: "List runs",
		Description: "Consolidations, the newest first, in pages.",
	}, s.listRuns)
	httpapi.Add(to, httpapi.Operation{
		ID: "get-run", Method: http.MethodGet, Path: "/api/runs/{id}", Tag: tag, Summary: "Read a run",
		Description: "A run with its steps, and the texts before and after each.",
	}, func(ctx context.Context, in *RunID) (ops.RunStory, error) {
		if err := s.ownRun(ctx, in, access.Caller(ctx).MaySee); err != nil {
			return ops.RunStory{}, err
		}
		return s.ops(ctx).Run(ctx, in.ID, 0)
	})
	httpapi.Add(to, httpapi.Operation{
		ID: "undo-run", Method: http.MethodPost, Path: "/api/runs/{id}/undo", Tag: tag, Summary: "Take a run back",
		Description: "Restores the memories of a run or of one step, all or nothing. A run that is taken back already changes nothing.",
	}, func(ctx context.Context, in *undoRunRequest) (ops.RunUndone, error) {
		if err := s.ownRun(ctx, &in.RunID, access.Caller(ctx).MayAct); err != nil {
			return ops.RunUndone{}, err
		}
		done, err := s.ops(ctx).UndoRun(ctx, in.ID, ops.RunUndo{Item: in.Body.Item, Cascade: in.Body.Cascade})
		return done, ofOps(err)
	})
}

func (s *service) listRuns(ctx context.Context, in *runsRequest) (runPage, error) {
	out := runPage{Runs: []memory.Run{}}
	q := store.RunQuery{Newest: true, Limit: in.Limit}
	var err error
	if q.Scope, err = scopeOf(in.Scope); err != nil {
		return out, err
	}
	if q.After, err = in.after(memory.PrefixRun); err != nil {
		return out, err
	}
	list, err := s.Store.Runs(ctx, access.Caller(ctx).Tenant, q)
	if err != nil {
		return out, err
	}
	for _, r := range list {
		if s.Sees(ctx, r.Scope) {
			out.Runs = append(out.Runs, r)
		}
	}
	if len(list) > 0 {
		out.Next = next(list[len(list)-1].ID, len(list) == in.Limit)
	}
	return out, nil
}

// ownRun returns ErrNotFound for a run of a scope that the caller may not read, or that
// its bounds do not allow.
func (s *service) ownRun(ctx context.Context, in *RunID, allowed func(memory.Scope) bool) error {
	if err := known(in.ID, memory.PrefixRun); err != nil {
		return err
	}
	r, err := s.Store.Run(ctx, access.Caller(ctx).Tenant, in.ID)
	if err != nil {
		return err
	}
	if !allowed(r.Scope) {
		return store.ErrNotFound
	}
	return s.within(ctx, in.Project, r.Scope)
}
