package ops

import (
	"bytes"
	"context"
	"crypto/rand"
	"crypto/sha256"
	"errors"
	"fmt"
	"strings"
	"time"
	"unicode/utf8"

	"go.yaml.in/yaml/v3"

	"github.com/winnowhq/winnow/pkg/event"
	"github.com/winnowhq/winnow/services/internal/guard/redact"
	"github.com/winnowhq/winnow/services/internal/memory"
	"github.com/winnowhq/winnow/services/internal/review"
	"github.com/winnowhq/winnow/services/internal/store"
	"github.com/winnowhq/winnow/services/ops/scopes"
)

// Prefixes of registry rows' ids.
const (
	prefixRetired  = "ret_"
	prefixBootFile = "boot_"
)

// RetiredTerm is a term that is out of use, as written in a registry file (D6).
type RetiredTerm struct {
	Term        string `yaml:"term"`
	Kind        string `yaml:"kind"` // tool, version, adr or project
	Replacement string `yaml:"replacement"`
	Since       string `yaml:"since"` // 2006-01-02
	Scope       string `yaml:"scope"` // empty: everywhere
}

// BootText is a text that agents load at every start.
type BootText struct {
	Name  string `yaml:"name"`
	Text  string `yaml:"text"`
	Scope string `yaml:"scope"`
}

// Publisher is a principal as written in a registry file.
type Publisher struct {
	ID      string `yaml:"id"`
	Highest string `yaml:"highest"`
	Name    string `yaml:"name"`
	Service bool   `yaml:"service"`
}

// RegistryFile is the registry as operators write it in a file.
type RegistryFile struct {
	Retired    []RetiredTerm `yaml:"retired"`
	BootFiles  []BootText    `yaml:"boot_files"`
	Principals []Publisher   `yaml:"principals"`
}

// ParseRegistry reads a registry file. Unknown keys are errors.
func ParseRegistry(text []byte) (RegistryFile, error) {
	var f RegistryFile
	dec := yaml.NewDecoder(bytes.NewReader(text))
	dec.KnownFields(true)
	if err := dec.Decode(&f); err != nil {
		return f, fmt.Errorf("registry file: %w", err)
	}
	return f, nil
}

// AddRetired adds terms to the registry, skips the registered ones, and returns
// the number of new terms.
func (o *Ops) AddRetired(ctx context.Context, terms ...RetiredTerm) (int, error) {
	present, err := o.Store.Registry(ctx, o.Tenant)
	if err != nil {
		return 0, fmt.Errorf("add retired: %w", err)
	}
	known := map[string]bool{}
	for _, r := range present.Retired {
		known[string(r.Scope)+"\x00"+r.Term] = true
	}
	e := o.effect()
	for _, t := range terms {
		if known[t.Scope+"\x00"+t.Term] {
			continue
		}
		row, err := retired(e.Stamp, t)
		if err != nil {
			return 0, fmt.Errorf("add retired: %w", err)
		}
		for field, name := range map[string]string{"term": row.Term, "replacement": row.Replacement, "scope": string(row.Scope)} {
			if o.Redactor.Secret(name) {
				return 0, &memory.Fault{Field: field, Remedy: redact.SecretName}
			}
		}
		e.Set.Retired = append(e.Set.Retired, row)
		e.Audit("retired.added", row.ID, map[string]string{"term": row.Term, "kind": row.Kind, "replacement": row.Replacement})
	}
	n := len(e.Set.Retired)
	_, err = o.Store.Commit(ctx, o.Tenant, e.Set, store.InboxKey{})
	return n, err
}

func retired(s review.Stamp, t RetiredTerm) (memory.Retired, error) {
	if t.Term == "" {
		return memory.Retired{}, fmt.Errorf("a term is empty")
	}
	row := memory.Retired{
		ID: s.NewID(prefixRetired), Tenant: s.Tenant, Term: t.Term, Kind: t.Kind, Replacement: t.Replacement, Since: s.Now, Principal: s.Person,
	}
	switch t.Kind {
	case "":
		row.Kind = "tool"
	case "tool", "version", "adr", "project":
	default:
		return row, fmt.Errorf("kind %q of %q: want tool, version, adr or project", t.Kind, t.Term)
	}
	var err error
	if t.Since != "" {
		if row.Since, err = time.Parse(time.DateOnly, t.Since); err != nil {
			return row, fmt.Errorf("since %q of %q: write it like 2026-01-31", t.Since, t.Term)
		}
	}
	if t.Scope != "" {
		row.Scope, err = memory.ParseScope(t.Scope)
	}
	return row, err
}

// RemoveRetired removes terms from the registry, given by id or by text.
func (o *Ops) RemoveRetired(ctx context.Context, ids ...string) (int, error) {
	present, err := o.Store.Registry(ctx, o.Tenant)
	if err != nil {
		return 0, fmt.Errorf("remove retired: %w", err)
	}
	e := o.effect()
	for _, r := range present.Retired {
		if named(ids, r.ID, r.Term) {
			e.Set.RetiredRemoved = append(e.Set.RetiredRemoved, r.ID)
			e.Audit("retired.removed", r.ID, map[string]string{"term": r.Term})
		}
	}
	n := len(e.Set.RetiredRemoved)
	if n == 0 {
		return 0, fmt.Errorf("remove retired: %w", store.ErrNotFound)
	}
	_, err = o.Store.Commit(ctx, o.Tenant, e.Set, store.InboxKey{})
	return n, err
}

// AddBootFile registers a text whose echo is not a memory. A boot file with the
// same name and scope is replaced.
func (o *Ops) AddBootFile(ctx context.Context, b BootText) (string, error) {
	present, err := o.Store.Registry(ctx, o.Tenant)
	if err != nil {
		return "", fmt.Errorf("add boot file: %w", err)
	}
	e := o.effect()
	row := memory.BootFile{ID: e.NewID(prefixBootFile), Tenant: e.Tenant, Name: b.Name, Text: o.redacted(b.Text), Principal: e.Person, CreatedAt: e.Now}
	if b.Scope != "" {
		if row.Scope, err = memory.ParseScope(b.Scope); err != nil {
			return "", fmt.Errorf("add boot file: %w", err)
		}
	}
	for _, old := range present.BootFiles {
		if old.Name != row.Name || old.Scope != row.Scope {
			continue
		}
		if old.Text == row.Text {
			return old.ID, nil
		}
		e.Set.BootRemoved = append(e.Set.BootRemoved, old.ID)
	}
	e.Set.BootFiles = append(e.Set.BootFiles, row)
	e.Audit("bootfile.added", row.ID, map[string]string{"name": row.Name})
	_, err = o.Store.Commit(ctx, o.Tenant, e.Set, store.InboxKey{})
	return row.ID, err
}

// RemoveBootFile removes boot files from the registry, given by id or name.
func (o *Ops) RemoveBootFile(ctx context.Context, ids ...string) (int, error) {
	present, err := o.Store.Registry(ctx, o.Tenant)
	if err != nil {
		return 0, fmt.Errorf("remove boot file: %w", err)
	}
	e := o.effect()
	for _, b := range present.BootFiles {
		if named(ids, b.ID, b.Name) {
			e.Set.BootRemoved = append(e.Set.BootRemoved, b.ID)
			e.Audit("bootfile.removed", b.ID, map[string]string{"name": b.Name})
		}
	}
	n := len(e.Set.BootRemoved)
	if n == 0 {
		return 0, fmt.Errorf("remove boot file: %w", store.ErrNotFound)
	}
	_, err = o.Store.Commit(ctx, o.Tenant, e.Set, store.InboxKey{})
	return n, err
}

func named(given []string, names ...string) bool {
	for _, g := range given {
		for _, n := range names {
			if g == n {
				return true
			}
		}
	}
	return false
}

// hintLength is how much of a key is stored, so that a person recognises it: the prefix
// and four of its 26 random characters.
const hintLength = len(memory.PrefixSecret) + 4

// maxKeyName is the longest name of a key or a principal, in characters.
const maxKeyName = 100

// NewKey describes an API key to make.
type NewKey struct {
	Principal   string
	Name        string
	Permissions []string // nil: all of the principal
	ExpiresIn   time.Duration
}

// AddKey makes an API key of a registered principal and returns it with its secret,
// which is stored nowhere.
func (o *Ops) AddKey(ctx context.Context, n NewKey) (memory.Key, string, error) {
	who, err := o.principal(ctx, n.Principal)
	if err != nil {
		return memory.Key{}, "", err
	}
	permissions, err := memory.ParsePermissions(n.Permissions)
	if err != nil {
		return memory.Key{}, "", &memory.Fault{Field: "permissions", Remedy: err.Error()}
	}
	for _, p := range permissions {
		if !who.May(p) {
			return memory.Key{}, "", &memory.Fault{Field: "permissions", Remedy: fmt.Sprintf("%s may not %s; give it to the principal first", who.ID, p)}
		}
	}
	if n.ExpiresIn < 0 {
		return memory.Key{}, "", &memory.Fault{Field: "expires_in", Remedy: "is in the past; give a time to come"}
	}
	name, err := o.nameOf(n.Name)
	if err != nil {
		return memory.Key{}, "", err
	}
	e := o.effect()
	secret := memory.PrefixSecret + rand.Text()
	sum := sha256.Sum256([]byte(secret))
	key := memory.Key{
		ID: e.NewID(memory.PrefixKey), Tenant: o.Tenant, Principal: who.ID, Name: name, Hint: secret[:hintLength] + "…",
		Permissions: permissions, CreatedBy: o.Person, CreatedAt: e.Now, Hash: sum[:],
	}
	if n.ExpiresIn > 0 {
		key.ExpiresAt = e.Now.Add(n.ExpiresIn)
	}
	e.Set.Keys = append(e.Set.Keys, key)
	e.Audit("key.added", key.ID, map[string]string{
		"principal": key.Principal, "permissions": strings.Join(n.Permissions, " "), "expires_at": until(key.ExpiresAt),
	})
	if _, err := o.Store.Commit(ctx, o.Tenant, e.Set, store.InboxKey{}); err != nil {
		return memory.Key{}, "", fmt.Errorf("add a key: %w", err)
	}
	return key, secret, nil
}

// until returns the end of a key for the audit log.
func until(t time.Time) string {
	if t.IsZero() {
		return "never"
	}
	return t.UTC().Format(time.RFC3339)
}

// RevokeKey ends a key at once. A key that is revoked or unknown is store.ErrNotFound.
func (o *Ops) RevokeKey(ctx context.Context, id string) error {
	list, err := o.Store.Keys(ctx, o.Tenant, "")
	if err != nil {
		return fmt.Errorf("revoke %s: %w", id, err)
	}
	for _, k := range list {
		if k.ID != id || !k.RevokedAt.IsZero() {
			continue
		}
		e := o.effect()
		e.Set.KeysRevoked = append(e.Set.KeysRevoked, id)
		e.Audit("key.revoked", id, map[string]string{"principal": k.Principal})
		if _, err := o.Store.Commit(ctx, o.Tenant, e.Set, store.InboxKey{}); err != nil {
			return fmt.Errorf("revoke %s: %w", id, err)
		}
		return nil
	}
	return fmt.Errorf("revoke %s: %w", id, store.ErrNotFound)
}

// Keys lists the keys of a principal, or all of the tenant when it is empty.
func (o *Ops) Keys(ctx context.Context, principal string) ([]memory.Key, error) {
	return o.Store.Keys(ctx, o.Tenant, principal)
}

// PutPrincipal registers a principal of the tenant, or changes one. Ids are unique among
// all tenants; a new one ends with the tag of its tenant, except in the default tenant.
func (o *Ops) PutPrincipal(ctx context.Context, p memory.Principal) (memory.Principal, error) {
	if !event.ValidPrincipal(p.ID) {
		return p, &memory.Fault{Field: "id", Remedy: "use 1 to 64 of A-Z a-z 0-9 - _"}
	}
	if o.Redactor.Secret(p.ID) {
		return p, &memory.Fault{Field: "id", Remedy: redact.SecretName}
	}
	name, err := o.nameOf(p.Name)
	if err != nil {
		return p, err
	}
	p.Name, p.Tenant = name, o.Tenant
	for _, who := range p.SpeaksFor {
		if who != "*" && !event.ValidPrincipal(who) {
			return p, &memory.Fault{Field: "speaks_for", Remedy: "name principals, or * for every reviewer"}
		}
		if o.Redactor.Secret(who) {
			return p, &memory.Fault{Field: "speaks_for", Remedy: redact.SecretName}
		}
	}
	for i, s := range p.Scopes {
		if o.Redactor.Secret(string(s)) {
			return p, &memory.Fault{Field: "scopes", Remedy: redact.SecretName}
		}
		if p.Scopes[i], err = boundTo(string(s)); err != nil {
			return p, err
		}
	}
	if p.EventsJSON && len(p.SpeaksFor) == 0 {
		return p, &memory.Fault{Field: "events_json", Remedy: "is for gateways; say for whom it speaks in speaks_for"}
	}
	old, err := o.Store.Principal(ctx, p.ID)
	if err != nil && !errors.Is(err, store.ErrNotFound) {
		return p, fmt.Errorf("register %s: %w", p.ID, err)
	}
	if own := err == nil && old.Tenant == o.Tenant; !own {
		if bad := memory.Registrable(o.Tenant, p.ID); bad != nil {
			return p, &memory.Fault{Field: "id", Remedy: bad.Error()}
		}
		if err == nil { // an operator gave the name to a tenant at the command line
			return p, &memory.Fault{Field: "id", Remedy: "cannot be used here; choose another one"}
		}
	}
	e := o.effect()
	e.Set.Principals = append(e.Set.Principals, p)
	e.Audit("principal.stored", p.ID, map[string]string{
		"highest": p.Highest.String(), "service": fmt.Sprint(p.Service), "permissions": fmt.Sprint(p.Permissions), "speaks_for": strings.Join(p.SpeaksFor, " "),
		"events_json": fmt.Sprint(p.EventsJSON), "scopes": fmt.Sprint(p.Scopes),
	})
	if _, err := o.Store.Commit(ctx, o.Tenant, e.Set, store.InboxKey{}); err != nil {
		return p, fmt.Errorf("register %s: %w", p.ID, err)
	}
	return p, nil
}

// boundTo returns a scope that a principal may be bound to.
func boundTo(name string) (memory.Scope, error) {
	s, err := scopes.Parse(name)
	if err != nil || s.Kind() == memory.ScopeUser {
		return "", &memory.Fault{Field: "scopes", Remedy: fmt.Sprintf("%q: name projects, teams or organisations, such as team:web", memory.Visible(name))}
	}
	return s, nil
}

// principal returns a principal of the tenant, or a fault.
func (o *Ops) principal(ctx context.Context, id string) (memory.Principal, error) {
	unknown := &memory.Fault{Field: "principal", Remedy: "is not registered here; add it with winnow principal add"}
	if !event.ValidPrincipal(id) {
		return memory.Principal{}, unknown
	}
	who, err := o.Store.Principal(ctx, id)
	switch {
	case errors.Is(err, store.ErrNotFound), err == nil && who.Tenant != o.Tenant:
		return memory.Principal{}, unknown
	case err != nil:
		return memory.Principal{}, fmt.Errorf("look up %s: %w", id, err)
	}
	return who, nil
}

// nameOf returns a name for people in the form that may be stored.
func (o *Ops) nameOf(name string) (string, error) {
	name = strings.TrimSpace(name)
	if utf8.RuneCountInString(name) > maxKeyName || name != memory.Visible(name) || strings.ContainsAny(name, "\n\t") {
		return "", &memory.Fault{Field: "name", Remedy: fmt.Sprintf("use one line of at most %d characters", maxKeyName)}
	}
	return o.redacted(name), nil
}
