package ops

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/winnowhq/winnow/services/internal/memory"
	"github.com/winnowhq/winnow/services/internal/review"
	"github.com/winnowhq/winnow/services/internal/review/page"
	"github.com/winnowhq/winnow/services/internal/store"
)

// Aliases for commands, which cannot import the packages below.
type (
	Reviewer = memory.Reviewer
	Scope    = memory.Scope
)

// Reviewers lists the registered reviewers with their scopes.
func (o *Ops) Reviewers(ctx context.Context) ([]Reviewer, error) {
	return o.Store.Reviewers(ctx, o.Tenant)
}

// Receivers lists the recipients of digests: the registered reviewers and the
// configured one, who gets all other scopes.
func (o *Ops) Receivers(ctx context.Context) ([]string, error) {
	return review.Reviewers(ctx, o.Store, o.Tenant, o.Digest.Reviewer)
}

// AddReviewer assigns a scope's questions to a person; the empty scope means
// every scope without another reviewer. A scope has one reviewer. before is the
// previous reviewer, empty when unchanged.
func (o *Ops) AddReviewer(ctx context.Context, r Reviewer) (before string, err error) {
	fail := func(err error) (string, error) { return "", fmt.Errorf("add reviewer: %w", err) }
	if r.Scope != "" {
		if r.Scope, err = memory.ParseScope(string(r.Scope)); err != nil {
			return fail(err)
		}
	}
	if r.Language != "" && !slices.Contains(page.Languages(), r.Language) {
		return fail(fmt.Errorf("language %q: want one of %s", r.Language, strings.Join(page.Languages(), ", ")))
	}
	if err := o.isPerson(ctx, r.Principal); err != nil {
		return fail(err)
	}
	present, err := o.Store.Reviewers(ctx, o.Tenant)
	if err != nil {
		return fail(err)
	}
	e := o.effect()
	for _, old := range present {
		if old.Scope == r.Scope && old.Principal != r.Principal {
			before = old.Principal
			e.Set.ReviewersGone = append(e.Set.ReviewersGone, old)
			e.Audit("reviewer.removed", old.Principal, map[string]string{"scope": string(old.Scope), "for": r.Principal})
		}
	}
	e.Set.Reviewers = append(e.Set.Reviewers, r)
	e.Audit("reviewer.added", r.Principal, map[string]string{"scope": string(r.Scope), "language": r.Language})
	if _, err := o.Store.Commit(ctx, o.Tenant, e.Set, store.InboxKey{}); err != nil {
		return fail(err)
	}
	return before, nil
}

// isPerson returns an error for a principal that cannot answer: a digest goes to
// registered people only.
func (o *Ops) isPerson(ctx context.Context, id string) error {
	list, err := o.Store.Principals(ctx, o.Tenant)
	if err != nil {
		return err
	}
	at := slices.IndexFunc(list, func(p memory.Principal) bool { return p.ID == id })
	switch {
	case at < 0:
		return fmt.Errorf("%q is not registered; winnow principal add %s --highest human", id, id)
	case list[at].Highest < memory.OriginHuman || id == memory.VaultPrincipal(o.Tenant):
		return fmt.Errorf("%q is registered, but as no person; a reviewer is one who may claim to be human", id)
	}
	return nil
}

// RemoveReviewer removes all or only the named scopes of a reviewer, and returns
// their number. The error is store.ErrNotFound when the reviewer had none.
func (o *Ops) RemoveReviewer(ctx context.Context, principal string, scopes ...string) (int, error) {
	present, err := o.Store.Reviewers(ctx, o.Tenant)
	if err != nil {
		return 0, fmt.Errorf("remove reviewer: %w", err)
	}
	e := o.effect()
	for _, r := range present {
		if r.Principal == principal && (len(scopes) == 0 || slices.Contains(scopes, string(r.Scope))) {
			e.Set.ReviewersGone = append(e.Set.ReviewersGone, r)
			e.Audit("reviewer.removed", principal, map[string]string{"scope": string(r.Scope)})
		}
	}
	n := len(e.Set.ReviewersGone)
	if n == 0 {
		return 0, fmt.Errorf("remove reviewer %s: %w", principal, store.ErrNotFound)
	}
	_, err = o.Store.Commit(ctx, o.Tenant, e.Set, store.InboxKey{})
	return n, err
}
