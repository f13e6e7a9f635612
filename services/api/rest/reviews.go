package rest

import (
	"context"
	"net/http"
	"slices"
	"time"

	"github.com/winnowhq/winnow/services/internal/guard/access"
	"github.com/winnowhq/winnow/services/internal/httpapi"
	"github.com/winnowhq/winnow/services/internal/memory"
	"github.com/winnowhq/winnow/services/internal/store"
	"github.com/winnowhq/winnow/services/internal/worker"
	"github.com/winnowhq/winnow/services/ops"
)

type reviewsRequest struct {
	Scope string `query:"scope" maxLength:"136" doc:"Only of this scope, such as project:shop."`
	Limit int    `query:"limit" minimum:"1" maximum:"200" default:"50" doc:"How many at most."`
}

type reviewList struct {
	Waiting []ops.Item `json:"waiting" doc:"What needs a person, grouped by section. A person answers with winnow review or with a reply to a digest."`
}

// DigestRow is a digest without the code that binds a reply to it.
type DigestRow struct {
	ID        string    `json:"id" doc:"Id of the digest."`
	Reviewer  string    `json:"reviewer" doc:"Whom it asks."`
	Slot      string    `json:"slot" doc:"The week that it reports, such as 2026-W47."`
	Language  string    `json:"language" doc:"en or de."`
	CreatedAt time.Time `json:"created_at" doc:"When it was made."`
	ExpiresAt time.Time `json:"expires_at" doc:"The last moment at which a reply is accepted."`
	Questions int       `json:"questions" doc:"How many questions it has."`
}

type digestList struct {
	Digests []DigestRow `json:"digests" doc:"Your own, and those of reviewers whom you speak for; the newest first."`
}

type digestsRequest struct {
	Limit int `query:"limit" minimum:"1" maximum:"200" default:"50" doc:"How many at most."`
}

type DigestID struct {
	ID string `path:"id" maxLength:"64" doc:"Id of the digest."`
}

type digestAnswer struct {
	DigestRow
	Text    string               `json:"text" doc:"The digest as a person reads it."`
	Replies []memory.DigestReply `json:"replies" doc:"What was answered, oldest first."`
}

type replyRequest struct {
	DigestID
	Body struct {
		Text string `json:"text" minLength:"1" maxLength:"10000" doc:"The reply as a person types it, such as 1 yes 2 no."`
	}
}

func (s *service) reviews(to *httpapi.API) {
	const tag = "Review"
	httpapi.Add(to, httpapi.Operation{
		ID: "list-reviews", Method: http.MethodGet, Path: "/api/reviews", Tag: tag, Summary: "List what needs a person",
		Description: "Proposals that wait for a person, with the advice of the rules. Nothing is decided here.",
	}, func(ctx context.Context, in *reviewsRequest) (reviewList, error) {
		out := reviewList{Waiting: []ops.Item{}}
		scope, err := scopeOf(in.Scope)
		if err != nil {
			return out, err
		}
		list, err := s.ops(ctx).Waiting(ctx, scope, in.Limit)
		for _, item := range list {
			if s.Sees(ctx, item.Scope) {
				out.Waiting = append(out.Waiting, item)
			}
		}
		return out, err
	})
	httpapi.Add(to, httpapi.Operation{
		ID: "list-digests", Method: http.MethodGet, Path: "/api/digests", Tag: tag, Summary: "List digests", Description: "The digests that you may answer.",
	}, func(ctx context.Context, in *digestsRequest) (digestList, error) {
		out := digestList{Digests: []DigestRow{}}
		who := access.Caller(ctx)
		reviewer := who.ID
		if len(who.SpeaksFor) > 0 {
			reviewer = "" // those of others too, of which only some are the caller's
		}
		list, err := s.ops(ctx).Digests(ctx, reviewer, in.Limit)
		for _, d := range list {
			if speaks(who, d.Reviewer) {
				out.Digests = append(out.Digests, digestOf(d))
			}
		}
		return out, err
	})
	httpapi.Add(to, httpapi.Operation{
		ID: "get-digest", Method: http.MethodGet, Path: "/api/digests/{id}", Tag: tag, Summary: "Read a digest", Description: "A digest with its replies.",
	}, func(ctx context.Context, in *DigestID) (digestAnswer, error) {
		d, err := s.digest(ctx, in.ID)
		if err != nil {
			return digestAnswer{}, err
		}
		replies, err := s.Store.DigestReplies(ctx, access.Caller(ctx).Tenant, d.ID)
		return digestAnswer{digestOf(d), d.Text, orEmpty(replies)}, err
	})
	httpapi.Add(to, httpapi.Operation{
		ID: "reply-to-digest", Method: http.MethodPost, Path: "/api/digests/{id}/replies", Tag: tag, Summary: "Answer a digest",
		Description: "Decides what the digest asks, all or nothing. A reply that is not understood changes nothing, and the answer says why.",
	}, func(ctx context.Context, in *replyRequest) (ops.Replied, error) {
		d, err := s.digest(ctx, in.ID)
		if err != nil {
			return ops.Replied{}, err
		}
		done, err := s.ops(ctx).ReplyTo(ctx, d, in.Body.Text)
		return done, ofOps(err)
	})
}

// Waiting lists what needs a person, for the tool that says so to an agent. Who may see
// which scope, the caller decides.
func Waiting(ctx context.Context, deps worker.Deps, scope memory.Scope, limit int) ([]ops.Item, error) {
	return (&service{Deps: deps}).ops(ctx).Waiting(ctx, scope, limit)
}

// mostDigests bounds the digests that are looked through for a week: two years of ten
// reviewers.
const mostDigests = 1000

// DigestOf returns the digest of a slot, such as 2026-W47, that the caller may answer;
// the newest one for "latest" or "". The error is store.ErrNotFound.
func DigestOf(ctx context.Context, deps worker.Deps, slot string) (memory.Digest, error) {
	who, reviewer := access.Caller(ctx), ""
	if len(access.Caller(ctx).SpeaksFor) == 0 {
		reviewer = who.ID
	}
	list, err := deps.Store.Digests(ctx, who.Tenant, reviewer, mostDigests)
	if err != nil {
		return memory.Digest{}, err
	}
	for _, d := range list {
		if (slot == "" || slot == "latest" || d.Slot == slot) && speaks(who, d.Reviewer) {
			return d, nil
		}
	}
	return memory.Digest{}, store.ErrNotFound
}

// digest returns a digest that the caller may answer; any other one is unknown.
func (s *service) digest(ctx context.Context, id string) (memory.Digest, error) {
	if err := known(id, memory.PrefixDigest); err != nil {
		return memory.Digest{}, err
	}
	who := access.Caller(ctx)
	d, err := s.Store.Digest(ctx, who.Tenant, id)
	if err == nil && !speaks(who, d.Reviewer) {
		err = store.ErrNotFound
	}
	return d, err
}

// speaks reports whether a principal may answer in a reviewer's name: its own, or that
// of somebody whom it speaks for.
func speaks(who memory.Principal, reviewer string) bool {
	return who.ID == reviewer || slices.Contains(who.SpeaksFor, "*") || slices.Contains(who.SpeaksFor, reviewer)
}

func digestOf(d memory.Digest) DigestRow {
	return DigestRow{
		ID: d.ID, Reviewer: d.Reviewer, Slot: d.Slot, Language: d.Language, CreatedAt: d.CreatedAt, ExpiresAt: d.ExpiresAt, Questions: len(d.Items),
	}
}
