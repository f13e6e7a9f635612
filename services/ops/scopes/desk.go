package scopes

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/winnowhq/winnow/services/internal/change"
	"github.com/winnowhq/winnow/services/internal/guard/redact"
	"github.com/winnowhq/winnow/services/internal/memory"
	"github.com/winnowhq/winnow/services/internal/session/trace"
	"github.com/winnowhq/winnow/services/internal/store"
)

// Store is what the registry is read from and committed to.
type Store interface {
	store.Committer
	store.Reader
}

// Desk carries out operations on the registry in the name of a person. It is safe for
// concurrent use.
type Desk struct {
	Store  Store
	Tenant memory.Tenant
	Person string
	Now    func() time.Time
	// Secret reports whether a name holds a secret; nil recognises none.
	Secret func(name string) bool
}

// Entry is a scope of the registry.
type Entry struct {
	Scope    memory.Scope   `json:"scope"`
	Above    []memory.Scope `json:"above"`    // what it belongs to, the nearest first
	Below    []memory.Scope `json:"below"`    // what belongs to it, by name
	Memories int            `json:"memories"` // active ones
}

// Add creates a scope, so that it can be named before anything is stored in it. With a
// parent it belongs to that; without one a link that is there stays.
func (d *Desk) Add(ctx context.Context, scope, parent string) (Entry, error) {
	s, err := Parse(scope)
	if err != nil {
		return Entry{}, err
	}
	if d.secret(scope) {
		return Entry{}, &memory.Fault{Field: "scope", Remedy: redact.SecretName}
	}
	if parent != "" {
		return d.Link(ctx, scope, parent)
	}
	set := change.Set{ScopesKnown: []memory.Scope{s}}
	d.audit(&set, "scope.added", s, "")
	if _, err := d.Store.Commit(ctx, d.Tenant, set, store.InboxKey{}); err != nil {
		return Entry{}, fmt.Errorf("add %s: %w", s, err)
	}
	return d.Show(ctx, scope)
}

func (d *Desk) secret(name string) bool { return name != "" && d.Secret != nil && d.Secret(name) }

// Link says what a scope belongs to, in place of what it belonged to before. An empty
// parent takes the link away.
func (d *Desk) Link(ctx context.Context, scope, parent string) (Entry, error) {
	s, err := Parse(scope)
	if err != nil {
		return Entry{}, err
	}
	for field, name := range map[string]string{"scope": scope, "parent": parent} {
		if d.secret(name) {
			return Entry{}, &memory.Fault{Field: field, Remedy: redact.SecretName}
		}
	}
	var set change.Set
	if parent == "" {
		set.ScopesUnlinked = []memory.Scope{s}
		d.audit(&set, "scope.unlinked", s, "")
	} else {
		p, err := Parse(parent)
		if err != nil {
			return Entry{}, err
		}
		if err := memory.CheckLink(s, p); err != nil {
			return Entry{}, err
		}
		set.ScopeLinks = []memory.ScopeLink{{Tenant: d.Tenant, Scope: s, Parent: p, Principal: d.Person, At: d.Now().UTC().Truncate(time.Microsecond)}}
		d.audit(&set, "scope.linked", s, p)
	}
	if _, err := d.Store.Commit(ctx, d.Tenant, set, store.InboxKey{}); err != nil {
		return Entry{}, fmt.Errorf("link %s: %w", s, err)
	}
	return d.Show(ctx, scope)
}

func (d *Desk) audit(set *change.Set, action string, s, parent memory.Scope) {
	body := map[string]string{"scope": string(s)}
	if parent != "" {
		body["parent"] = string(parent)
	}
	set.Audit = append(set.Audit, change.Audit{Actor: memory.ActorPerson, Principal: d.Person, Action: action, Subject: string(s), Body: body})
}

// Show returns one scope, or store.ErrNotFound.
func (d *Desk) Show(ctx context.Context, scope string) (Entry, error) {
	s, err := Parse(scope)
	if err != nil {
		return Entry{}, err
	}
	list, err := d.List(ctx)
	if err != nil {
		return Entry{}, err
	}
	for _, e := range list {
		if e.Scope == s {
			return e, nil
		}
	}
	return Entry{}, fmt.Errorf("%w: %s; winnow scope list has those that are", store.ErrNotFound, s)
}

// List lists the scopes of the tenant by name.
func (d *Desk) List(ctx context.Context) ([]Entry, error) {
	known, err := d.Store.Scopes(ctx, d.Tenant)
	if err != nil {
		return nil, fmt.Errorf("list scopes: %w", err)
	}
	links, err := d.Store.ScopeLinks(ctx, d.Tenant)
	if err != nil {
		return nil, fmt.Errorf("list scopes: %w", err)
	}
	parents, children := map[memory.Scope]memory.Scope{}, map[memory.Scope][]memory.Scope{}
	for _, l := range links {
		parents[l.Scope] = l.Parent
		children[l.Parent] = append(children[l.Parent], l.Scope)
	}
	list := make([]Entry, 0, len(known))
	for _, k := range known {
		e := Entry{Scope: k.Scope, Above: []memory.Scope{}, Below: slices.Sorted(slices.Values(children[k.Scope])), Memories: k.Active}
		for p := parents[k.Scope]; p != ""; p = parents[p] {
			e.Above = append(e.Above, p)
		}
		list = append(list, e)
	}
	return list, nil
}

// Parse reads a scope as a person names it: kind:id, or a project by its id or the
// address of its repository.
func Parse(name string) (memory.Scope, error) {
	if s, err := memory.ParseScope(name); err == nil {
		return s, nil
	}
	if id, err := trace.ProjectOfRemote(name); err == nil {
		return memory.ParseScope(string(memory.ScopeProject) + ":" + id)
	}
	if !strings.Contains(name, ":") {
		name = string(memory.ScopeProject) + ":" + name
	}
	return memory.ParseScope(name)
}
