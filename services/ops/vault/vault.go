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

// Store is the part of the canonical store that the vault is rendered from, with
// the leases of its writers.
type Store interface {
	projection.Source
	store.Leases
}

// Ops operates on a tenant's vault. An Ops is safe for concurrent use.
type Ops struct {
	store  Store
	vault  vault.Vault
	tenant memory.Tenant
	layout projection.Layout
	now    func() time.Time
}

// New returns the operations on one vault. sections and lines define the form of
// the files and must equal those of the index worker.
func New(s Store, v vault.Vault, tenant memory.Tenant, sections []string, lines int, now func() time.Time) *Ops {
	return &Ops{store: s, vault: v, tenant: tenant, layout: projection.Layout{Sections: sections, Lines: lines}, now: now}
}

// Path returns the vault's folder, or that of a scope.
func (v *Ops) Path(scope string) (string, error) {
	if scope == "" {
		return v.vault.Dir(), nil
	}
	s, err := memory.ParseScope(scope)
	return v.vault.Path(s), err
}

// Scope is the state of a scope's files.
type Scope struct {
	Scope  string    `json:"scope"`
	File   string    `json:"file"`  // MEMORY.md, on disk
	Lines  int       `json:"lines"` // of the committed file
	Commit string    `json:"commit,omitempty"`
	At     time.Time `json:"at,omitzero"` // of the commit
	// Shown is the scope's version of the last commit, Version the store's. They
	// differ when later decisions changed nothing in the files, which are then
	// Current.
	Shown   int64 `json:"shown_version"`
	Version int64 `json:"version"`
	Current bool  `json:"current"`
	// Unread lists files with hand edits that are not rendered yet.
	Unread []string `json:"unread"`
	// Problem says why the files cannot be read or written, with the remedy.
	Problem string `json:"problem,omitempty"`
}

// Status returns the state of every scope of the store or the vault, by name.
// Status writes nothing.
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

// scopes lists the scopes of the store and of the vault, by name.
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

// look returns the state of one scope. The error is a problem of its files.
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

// unread lists the files of a scope with hand edits that are not rendered yet,
// committed or only on disk. The error says why the edits cannot be read.
func (v *Ops) unread(scope memory.Scope) ([]string, error) {
	// The disk is read first: history then contains every edit that the
	// projector commits meanwhile.
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

// readable returns why the projector cannot read a file as a person wrote it, or
// nil.
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
	// Fields of renderings: the rendered version, and the decisions since the
	// scope's previous rendering.
	Version   int64  `json:"version,omitempty"`
	Decisions int    `json:"decisions,omitempty"`
	First     string `json:"first,omitempty"`
	Last      string `json:"last,omitempty"`
}

// Log lists the commits of a scope, or of all scopes when empty, newest first. A
// limit above 0 bounds the list.
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
