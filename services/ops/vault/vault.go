package vault

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"maps"
	"os"
	"path/filepath"
	"slices"
	"time"

	"github.com/winnowhq/winnow/services/internal/memory"
	"github.com/winnowhq/winnow/services/internal/memoryfile"
	"github.com/winnowhq/winnow/services/internal/memoryfile/projection"
	"github.com/winnowhq/winnow/services/internal/store"
	"github.com/winnowhq/winnow/services/internal/vault"
)

// Store is what the vault is rendered from, and what keeps its writers
// apart.
type Store interface {
	projection.Source
	store.Leases
}

// Ops looks after a tenant's vault. Safe for concurrent use.
type Ops struct {
	store  Store
	vault  vault.Vault
	tenant memory.Tenant
	layout projection.Layout
	now    func() time.Time
}

// New looks after one vault. sections and lines are how its files are
// written; they must be those of the index worker.
func New(s Store, v vault.Vault, tenant memory.Tenant, sections []string, lines int, now func() time.Time) *Ops {
	return &Ops{store: s, vault: v, tenant: tenant, layout: projection.Layout{Sections: sections, Lines: lines}, now: now}
}

// Path is the vault's folder, or that of a scope in it.
func (v *Ops) Path(scope string) (string, error) {
	if scope == "" {
		return v.vault.Dir(), nil
	}
	s, err := memory.ParseScope(scope)
	return v.vault.Path(s), err
}

// Scope is how a scope's files stand.
type Scope struct {
	Scope  string    `json:"scope"`
	File   string    `json:"file"`  // MEMORY.md, on disk
	Lines  int       `json:"lines"` // of it, as it is committed
	Commit string    `json:"commit,omitempty"`
	At     time.Time `json:"at,omitzero"` // of the commit
	// Shown is the version of the scope that was committed last, Version the
	// store's. They differ where decisions since then changed nothing in the
	// files, which are Current then.
	Shown   int64 `json:"shown_version"`
	Version int64 `json:"version"`
	Current bool  `json:"current"`
	// Unread are files with hand edits that are not rendered yet.
	Unread []string `json:"unread"`
	// Problem is what keeps the files from being read or written, with the remedy.
	Problem string `json:"problem,omitempty"`
}

// Status says how every scope stands that the store or the vault knows, by name.
// It writes nothing.
func (v *Ops) Status(ctx context.Context) ([]Scope, error) {
	scopes, err := v.scopes(ctx)
	if err != nil {
		return nil, fmt.Errorf("vault status: %w", err)
	}
	list := make([]Scope, 0, len(scopes))
	for _, scope := range scopes {
		s, err := v.look(ctx, scope)
		if errors.Is(err, store.ErrUnavailable) || ctx.Err() != nil {
			return nil, fmt.Errorf("vault status: %w", err)
		}
		if err != nil {
			s.Problem = err.Error()
		}
		if s.Commit != "" || s.Lines > 0 || !s.Current || len(s.Unread) > 0 || s.Problem != "" {
			list = append(list, s)
		}
	}
	return list, nil
}

// scopes are those of the store and of the vault, by name.
func (v *Ops) scopes(ctx context.Context) ([]memory.Scope, error) {
	versions, err := v.store.ScopeVersions(ctx, v.tenant)
	if err != nil {
		return nil, err
	}
	there, err := v.vault.Scopes()
	if err != nil {
		return nil, err
	}
	all := append(slices.Collect(maps.Keys(versions)), there...)
	slices.Sort(all)
	return slices.Compact(all), nil
}

// look reads how one scope stands. The error is a problem of its files.
func (v *Ops) look(ctx context.Context, scope memory.Scope) (Scope, error) {
	s := Scope{
		Scope: string(scope), File: filepath.Join(v.vault.Path(scope), vault.MemoryFile), Unread: []string{},
	}
	have, err := v.vault.Read(scope)
	if err != nil {
		return s, err
	}
	s.Lines = bytes.Count(have[vault.MemoryFile], []byte("\n"))
	log, err := v.vault.Log(scope, 1)
	if err != nil {
		return s, err
	}
	if len(log) > 0 {
		s.Commit, s.At = log[0].Hash, log[0].At
	}
	r, err := projection.Render(ctx, v.store, v.vault, v.tenant, scope, v.layout)
	if err != nil {
		return s, err
	}
	s.Current = maps.EqualFunc(r.Change.Files, have, bytes.Equal)
	last, _, _, err := v.vault.Last(scope)
	if err != nil {
		return s, err
	}
	s.Shown, s.Version = last.Version, r.Change.Trailer.Version
	s.Unread, err = v.unread(scope)
	return s, err
}

// unread names the files of a scope with hand edits that are not rendered yet,
// whether committed or only on disk, and says what keeps them from being read.
func (v *Ops) unread(scope memory.Scope) ([]string, error) {
	// The disk first: what the projector commits meanwhile is found in history.
	changed, problem := v.vault.Changed(scope)
	edits, err := v.vault.Unread(scope)
	if err != nil {
		return []string{}, err
	}
	last := map[string]error{} // by file, of its newest state
	for _, e := range edits {
		last[e.File] = cmp.Or(e.Err, readable(e.Before, e.After))
	}
	if len(changed) > 0 {
		committed, err := v.vault.Read(scope)
		if err != nil {
			return []string{}, err
		}
		for _, name := range changed {
			data, err := os.ReadFile(filepath.Join(v.vault.Path(scope), filepath.FromSlash(name)))
			if errors.Is(err, os.ErrNotExist) {
				err = nil // removed by hand
			}
			last[name] = cmp.Or(err, readable(committed[name], data))
		}
	}
	names := slices.Sorted(maps.Keys(last))
	for _, name := range names {
		if last[name] != nil {
			problem = errors.Join(problem, fmt.Errorf("%s: %w", name, last[name]))
		}
	}
	return append([]string{}, names...), problem
}

// readable says why the projector cannot read a file as a person left it.
func readable(before, after []byte) error {
	was, _ := memoryfile.Parse(before) // unreadable, it has no entries to compare with
	_, err := projection.ReadHand(was, after)
	return err
}

// Entry is one commit of the vault.
type Entry struct {
	Commit  string    `json:"commit"`
	At      time.Time `json:"at"`
	Author  string    `json:"author"`
	Subject string    `json:"subject"`
	Hand    bool      `json:"hand"` // by a person
	// Of renderings: the version that was rendered, and the decisions since the
	// scope's rendering before.
	Version   int64  `json:"version,omitempty"`
	Decisions int    `json:"decisions,omitempty"`
	First     string `json:"first,omitempty"`
	Last      string `json:"last,omitempty"`
}

// Log lists commits, newest first: those of a scope, or all where it is empty; at
// most limit where that is above 0.
func (v *Ops) Log(scope string, limit int) ([]Entry, error) {
	if scope != "" {
		if _, err := memory.ParseScope(scope); err != nil {
			return nil, fmt.Errorf("vault log: %w", err)
		}
	}
	list, err := v.vault.Log(memory.Scope(scope), limit)
	if err != nil {
		return nil, fmt.Errorf("vault log: %w", err)
	}
	entries := make([]Entry, 0, len(list))
	for _, e := range list {
		entries = append(entries, Entry{
			Commit: e.Hash, At: e.At, Author: e.Author, Subject: e.Subject, Hand: e.Hand,
			Version: e.Trailer.Version, Decisions: e.Trailer.Decisions, First: e.Trailer.First, Last: e.Trailer.Last,
		})
	}
	return entries, nil
}
