package vault

import (
	"errors"
	"fmt"
	"path/filepath"
	"testing"
)

const childVariable = "WINNOW_TEST_VAULT_CHILD"

func runChild() int { return 0 }

var errStop = errors.New("stop here")

// stopAt makes the vault stop at its n-th step as if the process had been
// killed there, and returns a function that says how many steps there were.
func stopAt(v *Vault, n int) (count func() int) {
	steps := 0
	v.step = func(string) error {
		steps++
		if steps > n {
			return errStop
		}
		return nil
	}
	return func() int { return steps }
}

// Killed at any step, the writer leaves the old files or the new ones, and the
// next one finds or makes everything in order.
func TestStopAtEveryStep(t *testing.T) {
	t.Parallel()
	old := map[string]string{"MEMORY.md": "- old\n", "topics/going.md": "- going\n"}
	next := change(billing, 2, map[string]string{"MEMORY.md": "- new\n", "topics/coming.md": "- coming\n"})
	next.Files["topics/going.md"] = nil
	for n, done := 0, false; !done; n++ {
		t.Run(fmt.Sprint(n), func(t *testing.T) {
			v := openVault(t, t.TempDir())
			w := lock(t, v)
			commit(t, w, change(billing, 1, old))
			stopAt(v, n)
			_, _, err := w.Commit(next)
			if done = err == nil; !done && !errors.Is(err, errStop) {
				t.Fatal(err)
			}
			w.lock.Release()

			v = openVault(t, filepath.Dir(v.Dir()))
			healthy(t, v)
			w = lock(t, v)
			edits, err := w.HandEdits(monday, billing)
			if err != nil || len(edits) != 0 {
				t.Errorf("our own state taken for hand edits: %+v, %v", edits, err)
			}
			if _, _, err := w.Commit(next); err != nil {
				t.Error(err)
			}
			healthy(t, v)
			if got := onDisk(t, v, "project/billing/MEMORY.md") + onDisk(t, v, "project/billing/topics/coming.md") + onDisk(t, v, "project/billing/topics/going.md"); got != "- new\n- coming\n" {
				t.Errorf("files: %q", got)
			}
			if entries, err := v.Log(billing, 0); err != nil || len(entries) != 2 {
				t.Errorf("log: %+v, %v", entries, err)
			}
		})
	}
}
