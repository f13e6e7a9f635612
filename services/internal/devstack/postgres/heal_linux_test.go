package postgres

import (
	"path/filepath"
	"testing"
)

// The server goes down with its owner by itself, without a next start.
func TestServerDiesWithOwner(t *testing.T) {
	t.Parallel()
	needServer(t)
	dir := filepath.Join(folder(t), "data")
	o := startOwner(t, dir)
	o.kill()
	if err := awaitGone(t.Context(), dir, o.pid, []int{o.pid}); err != nil {
		t.Error(err)
	}
	// What it could not clean up is for whoever comes next.
	if err := Remove(t.Context(), dir); err != nil {
		t.Error(err)
	}
}
