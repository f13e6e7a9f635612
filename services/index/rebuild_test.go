package index_test

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/winnowhq/winnow/services/index"
	"github.com/winnowhq/winnow/services/internal/change"
	"github.com/winnowhq/winnow/services/internal/memory"
	"github.com/winnowhq/winnow/services/internal/memoryfile"
	"github.com/winnowhq/winnow/services/internal/memoryfile/projection"
	"github.com/winnowhq/winnow/services/internal/review"
	"github.com/winnowhq/winnow/services/internal/store"
	"github.com/winnowhq/winnow/services/internal/vault"
	"github.com/winnowhq/winnow/services/internal/vault/git"
)

// The vault is a projection: after any promotions, edits, archivings and undos,
// rendering into an empty folder gives the same bytes as the incremental renderings.
func TestRebuildEqualsIncremental(t *testing.T) {
	t.Parallel()
	r := setup(t)
	index.Layout.Change(&r.deps.Settings, func(c *memoryfile.Config) { c.Vault.Lines = 24 }) // small enough for topic files
	r.restart()
	n := 0
	rapid.Check(t, func(rt *rapid.T) {
		n++
		scope := memory.Scope(fmt.Sprintf("project:p%d", n))
		for i := range rapid.IntRange(1, 15).Draw(rt, "steps") {
			r.random(rt, scope, i)
			if rapid.Bool().Draw(rt, "render") {
				r.step()
			}
		}
		r.step()
		fresh := r.renderAnew(scope)
		grown := filesIn(t, r.vault().Path(scope))
		if len(fresh) != len(grown) {
			rt.Fatalf("%d files, want %d", len(grown), len(fresh))
		}
		for name, data := range fresh {
			if grown[name] != data {
				rt.Fatalf("%s grew to\n%s\nanew it is\n%s", name, grown[name], data)
			}
		}
	})
}

// random performs one action that changes a scope's memories.
func (r *rig) random(rt *rapid.T, scope memory.Scope, i int) {
	text := fmt.Sprintf("Fact %d: %s", i, rapid.StringMatching(`[a-z]{1,8}( [a-z0-9]{1,8}){0,30}`).Draw(rt, "text"))
	section := rapid.SampledFrom([]string{"Notes", "Conventions", "Preferences", "Go / Errors", ""}).Draw(rt, "section")
	active := r.memories(scope, memory.StateActive)
	what := rapid.SampledFrom([]string{"promote", "promote", "promote", "edit", "archive", "undo"}).Draw(rt, "what")
	if what == "promote" || len(active) == 0 && what != "undo" {
		r.promoteAs(scope, memory.KindFact, section, text)
		return
	}
	var set change.Set
	var err error
	switch what {
	case "edit":
		set, _, err = r.decider().Edit(r.Context(), rapid.SampledFrom(active).Draw(rt, "memory").ID, text, section)
	case "archive":
		set, _, err = r.decider().Archive(r.Context(), rapid.SampledFrom(active).Draw(rt, "memory").ID, "")
	case "undo":
		list, listErr := r.store.Decisions(r.Context(), tenant, store.DecisionQuery{Scope: scope})
		if listErr != nil {
			rt.Fatal(listErr)
		}
		if len(list) == 0 {
			return
		}
		set, _, err = r.decider().Undo(r.Context(), true, rapid.SampledFrom(list).Draw(rt, "decision").ID)
		if errors.Is(err, review.ErrState) || errors.Is(err, store.ErrNotFound) {
			return // undone before
		}
	}
	if err != nil {
		rt.Fatal(err)
	}
	r.commit(tenant, set)
}

// renderAnew renders a scope into an empty folder, as winnow vault rebuild does.
func (r *rig) renderAnew(scope memory.Scope) map[string]string {
	r.Helper()
	root, err := os.MkdirTemp("", "vault")
	if err != nil {
		r.Fatal(err)
	}
	defer os.RemoveAll(root)
	v, err := git.Open(root, tenant, git.Options{})
	if err != nil {
		r.Fatal(err)
	}
	w, err := v.Lock(r.Context())
	if err != nil {
		r.Fatal(err)
	}
	defer w.Unlock()
	made, err := projection.Render(r.Context(), r.store, v, tenant, scope, projection.Layout{Lines: index.Layout.Of(r.deps).Vault.Lines})
	if err != nil {
		r.Fatal(err)
	}
	made.Change.At = time.Now()
	if _, _, err := w.Commit(made.Change); err != nil {
		r.Fatal(err)
	}
	return filesIn(r, v.Path(scope))
}

// filesIn returns the content of all files below a folder, by name.
func filesIn(t testing.TB, dir string) map[string]string {
	t.Helper()
	files := map[string]string{}
	err := filepath.WalkDir(dir, func(path string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		data, err := os.ReadFile(path)
		name, _ := filepath.Rel(dir, path)
		files[name] = string(data)
		return err
	})
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		t.Fatal(err)
	}
	return files
}

// A folder that is lost while the projector runs is created again with its whole
// content.
func TestLostVaultComesBack(t *testing.T) {
	t.Parallel()
	r := setup(t)
	r.promote(shop, pool)
	r.promote("team:shop", redis)
	r.step()
	if err := os.RemoveAll(r.root); err != nil {
		t.Fatal(err)
	}
	r.await("it is back", func() bool {
		_ = r.tryStep(t.Context()) // the first step finds the folder missing
		return r.shows(shop, pool) && r.shows("team:shop", redis)
	})
	if log := r.log(shop); len(log) != 1 || log[0].Trailer.Decisions != 1 {
		t.Errorf("history %+v", log)
	}
	if _, err := os.Stat(filepath.Join(r.vault().Path(shop), vault.MemoryFile)); err != nil {
		t.Error(err)
	}
}
