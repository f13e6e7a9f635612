package index

import (
	"context"
	"errors"
	"fmt"

	"go.uber.org/zap"

	"github.com/winnowhq/winnow/services/internal/memory"
	"github.com/winnowhq/winnow/services/internal/memoryfile"
	"github.com/winnowhq/winnow/services/internal/store"
	"github.com/winnowhq/winnow/services/internal/telemetry"
	"github.com/winnowhq/winnow/services/internal/vault"
)

// scoped is the projector at work on one scope.
type scoped struct {
	*projector
	vault  vault.Vault
	writer vault.Writer
	place
	version int64
}

// project reads back what people changed, and renders the scope once all of that
// is decided: before, a rendering would take their lines away again.
func (s *scoped) project(ctx context.Context, edits []vault.HandEdit) error {
	for _, edit := range edits {
		if err := s.readBack(ctx, edit); err != nil {
			return fmt.Errorf("hand edit of %s: %w", edit.File, err)
		}
	}
	decided, err := s.allDecided(ctx, edits)
	if err != nil {
		return err
	}
	if !decided {
		s.again()
		return nil
	}
	change, err := s.render(ctx)
	if err != nil {
		return err
	}
	change.Trailer.Version = s.version
	if err := s.untilNext(ctx); err != nil {
		return err
	}
	change.At = s.Now()
	hash, committed, err := s.writer.Commit(change)
	if errors.Is(err, vault.ErrDirty) {
		// Somebody saved the file this very moment.
		s.again()
		return nil
	}
	if err != nil {
		return err
	}
	s.shown[s.place] = s.version
	if committed {
		s.metrics.commits.Inc()
		s.Log.Info("rendered", zap.String(telemetry.KeyScope, string(s.scope)), zap.String("commit", hash),
			zap.Int(telemetry.KeyCount, change.Trailer.Decisions))
	}
	return nil
}

// render is the scope's files as they should be.
func (s *scoped) render(ctx context.Context) (vault.Change, error) {
	c := vault.Change{Scope: s.scope}
	items, err := Items(ctx, s.Store, s.tenant, s.scope)
	if err != nil {
		return c, err
	}
	have, err := s.vault.Read(s.scope)
	if err != nil {
		return c, err
	}
	c.Files = Files(memoryfile.Document{Scope: s.scope, Items: items, Sections: s.Sections, Budget: s.VaultLines}, have)
	if len(c.Files) == 0 {
		return c, nil
	}
	c.Trailer, err = s.trailer(ctx)
	return c, err
}

// trailer ties the commit to the decisions since the last one.
func (s *scoped) trailer(ctx context.Context) (vault.Trailer, error) {
	last, _, _, err := s.vault.Last(s.scope)
	if err != nil {
		return vault.Trailer{}, err
	}
	var t vault.Trailer
	after := last.Last
	for {
		list, err := s.Store.Decisions(ctx, s.tenant, store.DecisionQuery{Scope: s.scope, After: after, Limit: page})
		if err != nil {
			return t, err
		}
		if len(list) > 0 {
			if t.First == "" {
				t.First = list[0].ID
			}
			t.Decisions, t.Last = t.Decisions+len(list), list[len(list)-1].ID
			after = t.Last
		}
		if len(list) < page {
			break
		}
	}
	_, t.AuditHead, err = s.Store.AuditHead(ctx, s.tenant)
	return t, err
}

// page is how many rows are read at once.
const page = 1000

// Items is what a scope's MEMORY.md is made of: its memories in service, and
// what people wrote into it by hand that somebody has yet to decide, in place of
// what that would replace.
func Items(ctx context.Context, r store.Reader, tenant memory.Tenant, scope memory.Scope) ([]memoryfile.Item, error) {
	written, replaced, err := handWritten(ctx, r, tenant, scope)
	if err != nil {
		return nil, err
	}
	items := written
	for after := ""; ; {
		list, err := r.Memories(ctx, tenant, store.MemoryQuery{Scope: scope, States: []memory.State{memory.StateActive}, After: after, Limit: page})
		if err != nil {
			return nil, err
		}
		for _, m := range list {
			if !replaced[m.ID] {
				items = append(items, memoryfile.ItemOf(m))
			}
			after = m.ID
		}
		if len(list) < page {
			return items, nil
		}
	}
}

// handWritten is what people wrote into the file that waits for a decision, and
// the memories that it would replace.
func handWritten(ctx context.Context, r store.Reader, tenant memory.Tenant, scope memory.Scope) (items []memoryfile.Item, replaced map[string]bool, err error) {
	list, err := r.Proposals(ctx, tenant, store.ProposalQuery{
		Scope: scope, Principal: memory.VaultPrincipal(tenant), States: []memory.ProposalState{memory.ProposalPending, memory.ProposalNeedsReview}, Limit: page,
	})
	if err != nil {
		return nil, nil, err
	}
	replaced = map[string]bool{}
	for _, p := range list {
		items = append(items, memoryfile.Item{
			ID: p.ID, Section: sectionOf(p), Text: p.Text, Importance: 10, Confidence: 1, Seen: p.SeenCount, CreatedAt: p.CreatedAt, Pinned: true,
		})
		if p.DecisionID == "" {
			continue
		}
		d, err := r.Decision(ctx, tenant, p.DecisionID)
		if err != nil {
			return nil, nil, err
		}
		if d.Advice == memory.AdviceReplace {
			replaced[d.Target] = true
		}
	}
	return items, replaced, nil
}

func sectionOf(p memory.Proposal) string {
	if p.Section != "" {
		return p.Section
	}
	return memory.SectionFor(p.Kind)
}

// Files is what rendering changes in a scope's folder: MEMORY.md and the files
// beside it, and nil for those that are not needed any more. A scope with
// nothing in it gets no file.
func Files(d memoryfile.Document, have map[string][]byte) map[string][]byte {
	files := map[string][]byte{}
	if len(d.Items) > 0 || len(have) > 0 {
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
