package local_test

import (
	"os"
	"path/filepath"
	"strconv"
	"sync"
	"testing"
	"time"

	"github.com/winnowhq/winnow/services/local"
)

func TestSpoolKeepsUntilDone(t *testing.T) {
	t.Parallel()
	dir := filepath.Join(t.TempDir(), "spool")
	s := local.OpenSpool(dir)
	if list, err := s.List(); err != nil || len(list) != 0 {
		t.Fatalf("an empty spool: %v, %v", list, err)
	}
	start := time.Date(2026, 2, 5, 9, 0, 0, 0, time.UTC)
	var hooks sync.WaitGroup
	for n := range 20 {
		hooks.Go(func() {
			// Two ends of each session, as after a resume.
			for range 2 {
				one := local.SpooledSession{Transcript: "/t/" + strconv.Itoa(n), SessionID: strconv.Itoa(n), At: start.Add(time.Duration(n) * time.Minute)}
				if err := s.Put(one); err != nil {
					t.Error(err)
				}
			}
		})
	}
	hooks.Wait()
	// Files left by a crash or another program are ignored.
	for name, text := range map[string]string{".new-1": "{", "broken.json": "{", "empty.json": "{}"} {
		if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	list, err := s.List()
	if err != nil || len(list) != 20 {
		t.Fatalf("%d wait, %v", len(list), err)
	}
	for n, one := range list {
		if one.SessionID != strconv.Itoa(n) {
			t.Errorf("place %d: session %s", n, one.SessionID)
		}
		for range 2 {
			if err := s.Done(one); err != nil {
				t.Error(err)
			}
		}
	}
	if list, err := s.List(); err != nil || len(list) != 0 {
		t.Errorf("after all is done: %v, %v", list, err)
	}
}
