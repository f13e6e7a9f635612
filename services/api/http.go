package api

import (
	"context"
	"encoding/json"
	"errors"
	"net/http"
	"net/url"
	"slices"
	"strconv"
	"time"

	"github.com/winnowhq/winnow/services/internal/recall"
)

// plain serves a call in plain HTTP, for hooks and scripts without MCP. The
// answers equal those of the tools.
func (a *api) plain(call string, answer func(context.Context, *http.Request) (any, error)) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		ctx, cancel := context.WithTimeout(r.Context(), callWithin)
		defer cancel()
		began := time.Now()
		out, err := answer(ctx, r)
		a.measure(call+"_http", began, err)
		if err != nil {
			err = a.clientError(call, err)
			refuse(w, statusOf(err), err.Error())
			return
		}
		w.Header().Set("Content-Type", "application/json")
		w.Header().Set("Cache-Control", "no-store")
		// The status is already sent, so a write error cannot be reported.
		_ = json.NewEncoder(w).Encode(out)
	})
}

func statusOf(err error) int {
	switch {
	case errors.Is(err, errRequest), errors.Is(err, recall.ErrQuestion):
		return http.StatusUnprocessableEntity
	case errors.Is(err, errNotFound):
		return http.StatusNotFound
	case errors.Is(err, errAway):
		return http.StatusServiceUnavailable
	}
	return http.StatusInternalServerError
}

// searchHTTP is GET /api/search?q=…, with the arguments of memory_search.
func (a *api) searchHTTP(ctx context.Context, r *http.Request) (any, error) {
	q := query{Values: r.URL.Query()}
	in := searchInput{
		Query: q.Get("q"), Project: q.Get("project"), SessionID: q.Get("session_id"),
		Scope:   q.choice("scope", levelAll, levelProject, levelTeam, levelOrg),
		Outcome: q.choice("outcome", anything, outcomeSuccess, outcomeFailure),
		Kind:    q.choice("kind", searchedKinds()...),
		Topic:   q.Get("topic"), Depth: q.choice("depth", depthStandard, depthDeep),
		Limit:         int(q.number("limit", 1, maxDeep, 0)),
		MinConfidence: q.number("min_confidence", 0, 1, a.searches.MinConfidence),
	}
	if q.err != nil {
		return nil, q.err
	}
	return a.search(ctx, in)
}

// memoryHTTP is GET /api/memories/{id}.
func (a *api) memoryHTTP(ctx context.Context, r *http.Request) (any, error) {
	out, err := a.one(ctx, r.PathValue("id"), r.URL.Query().Get("session_id"))
	if err != nil {
		return nil, err
	}
	return struct {
		Notice string `json:"how_to_read"`
		read
	}{out.Notice, out.Memories[0]}, nil
}

// startHTTP is GET /api/session-start.
func (a *api) startHTTP(ctx context.Context, r *http.Request) (any, error) {
	q := r.URL.Query()
	return a.start(ctx, startInput{Project: q.Get("project"), SessionID: q.Get("session_id"), Task: q.Get("task")})
}

// query parses the arguments of a request and records the first fault.
type query struct {
	url.Values
	err error
}

func (q *query) fault(err error) {
	if q.err == nil {
		q.err = err
	}
}

// choice returns one of values, the first one by default.
func (q *query) choice(name string, values ...string) string {
	v := q.Get(name)
	if v == "" {
		return values[0]
	}
	if !slices.Contains(values, v) {
		q.fault(request("%s: want one of %v", name, values))
	}
	return v
}

// number returns a value between two bounds.
func (q *query) number(name string, least, most, absent float64) float64 {
	text := q.Get(name)
	if text == "" {
		return absent
	}
	v, err := strconv.ParseFloat(text, 64)
	if err != nil || !(v >= least && v <= most) {
		q.fault(request("%s: want a number from %v to %v", name, least, most))
	}
	return v
}
