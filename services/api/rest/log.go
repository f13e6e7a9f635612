package rest

import (
	"context"
	"net/http"
	"time"

	"github.com/winnowhq/winnow/services/internal/guard/access"
	"github.com/winnowhq/winnow/services/internal/httpapi"
	"github.com/winnowhq/winnow/services/internal/memory"
	"github.com/winnowhq/winnow/services/ops/topics"
)

type logRequest struct {
	Principal string `query:"principal" maxLength:"64" doc:"Only of this principal."`
	Session   string `query:"session_id" maxLength:"256" doc:"Only of this session."`
	Hours     int    `query:"since_hours" minimum:"0" maximum:"87600" doc:"Only of the last so many hours; 0 is all that is kept."`
	Limit     int    `query:"limit" minimum:"1" maximum:"1000" default:"100" doc:"How many at most."`
	Bounded
}

type logAnswer struct {
	Entries []topics.Entry `json:"entries" doc:"The newest first."`
}

// protocol adds the protocol log (D17).
func (s *service) protocol(to *httpapi.API) {
	httpapi.Add(to, httpapi.Operation{
		ID: "list-log", Method: http.MethodGet, Path: "/api/log", Tag: "Audit", Summary: "List what callers searched and read",
		Description: "The protocol log: each search with its words, and each memory that was given in full, by caller and session, for as long as retention.research keeps it.",
	}, func(ctx context.Context, in *logRequest) (logAnswer, error) {
		sees, err := s.From(ctx, in.Project)
		if err != nil {
			return logAnswer{}, err
		}
		list, err := topics.ReadLog(ctx, s.Store, access.Caller(ctx).Tenant, s.Now(), topics.Log{
			Principal: in.Principal, Session: in.Session, Since: time.Duration(in.Hours) * time.Hour, Limit: in.Limit,
			// A memory that is erased has no scope any more; its id tells nothing.
			Sees: func(scope memory.Scope) bool { return scope == "" || sees(scope) },
		})
		return logAnswer{list}, err
	})
}
