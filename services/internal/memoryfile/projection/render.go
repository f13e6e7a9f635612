package projection

import (
	"context"
	"fmt"

	"github.com/winnowhq/winnow/services/internal/memory"
	"github.com/winnowhq/winnow/services/internal/memoryfile"
	"github.com/winnowhq/winnow/services/internal/store"
	"github.com/winnowhq/winnow/services/internal/vault"
)

// Source is the part of the store that rendering reads.
type Source interface {
	store.Reader
	store.AuditLog
}

// Layout is how files are written.
type Layout struct {
	Sections []string // order of the headings; nil is the default one
	Lines    int      // budget of MEMORY.md; 0 is the default one
}

// LeaseName is the lease under which a tenant's vault is written.
func LeaseName(tenant memory.Tenant) string { return "vault/" + string(tenant) }

// Rendering is the computed state of a scope's files.
type Rendering struct {
	Change vault.Change
	// Open says that some shown entries wait for a person's decision.
	Open bool
}

// snapshots is how many times rows are read to get all of them at one version.
const snapshots = 3

// Render returns the change that brings a scope's files up to date. Its trailer has the
// version of the scope that the files show. While others write without a pause the rows
// may be newer than that, never older; the next trailer then reports the changes in
// between. The caller sets the time.
func Render(ctx context.Context, r Source, v vault.Vault, tenant memory.Tenant, scope memory.Scope, l Layout) (Rendering, error) {
	shown, open, version, err := snapshot(ctx, r, tenant, scope)
	if err != nil {
		return Rendering{}, fmt.Errorf("read %s: %w", scope, err)
	}
	have, err := v.Read(scope)
	if err != nil {
		return Rendering{}, err
	}
	c := vault.Change{Scope: scope}
	c.Files = files(memoryfile.Document{Scope: scope, Items: shown, Sections: l.Sections, Budget: l.Lines}, have)
	c.Trailer, err = trailer(ctx, r, v, tenant, scope, version)
	return Rendering{c, open}, err
}

// snapshot reads a scope's items with the least version that they have.
func snapshot(ctx context.Context, r Source, tenant memory.Tenant, scope memory.Scope) (shown []memoryfile.Item, open bool, version int64, err error) {
	next, err := versionOf(ctx, r, tenant, scope)
	for range snapshots {
		if err != nil {
			break
		}
		version = next
		if shown, open, err = items(ctx, r, tenant, scope); err != nil {
			break
		}
		if next, err = versionOf(ctx, r, tenant, scope); next == version {
			break
		}
	}
	return shown, open, version, err
}

func versionOf(ctx context.Context, r Source, tenant memory.Tenant, scope memory.Scope) (int64, error) {
	versions, err := r.ScopeVersions(ctx, tenant, scope)
	return versions[scope], err
}

// files returns the changed files of a scope's folder: MEMORY.md and its topic files,
// and nil for files to delete. A scope without items has no file.
func files(d memoryfile.Document, have map[string][]byte) map[string][]byte {
	files := map[string][]byte{}
	if len(d.Items) > 0 {
		r := memoryfile.Render(d)
		files[memoryfile.Name] = r.Memory
		for _, t := range r.Topics {
			files[t.Path] = t.Data
		}
	}
	for name := range have {
		if _, wanted := files[name]; !wanted {
			files[name] = nil
		}
	}
	return files
}

// trailer links the commit to the decisions since the scope's last one. They are
// counted by version: ids are not in the order of commits, and an overtaken one would
// never be counted.
func trailer(ctx context.Context, r Source, v vault.Vault, tenant memory.Tenant, scope memory.Scope, version int64) (vault.Trailer, error) {
	last, _, ok, err := v.Last(scope)
	if err != nil {
		return vault.Trailer{}, err
	}
	after := last.Version
	if !ok {
		after = -1 // also decisions from before versions were stored
	}
	span, err := r.DecisionSpan(ctx, tenant, scope, after, version)
	if err != nil {
		return vault.Trailer{}, fmt.Errorf("decisions of %s: %w", scope, err)
	}
	t := vault.Trailer{Version: version, Decisions: span.Count, First: span.First, Last: span.Last}
	if _, t.AuditHead, err = r.AuditHead(ctx, tenant); err != nil {
		return t, err
	}
	signed, err := r.SignedHeads(ctx, tenant, 1)
	if len(signed) > 0 {
		t.SignedHead = signed[0]
	}
	return t, err
}
