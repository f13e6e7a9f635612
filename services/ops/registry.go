package ops

import (
	"bytes"
	"context"
	"fmt"
	"time"

	"go.yaml.in/yaml/v3"

	"github.com/winnowhq/winnow/services/internal/memory"
	"github.com/winnowhq/winnow/services/internal/review"
	"github.com/winnowhq/winnow/services/internal/store"
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
