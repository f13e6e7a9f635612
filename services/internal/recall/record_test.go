package recall

import (
	"errors"
	"fmt"
	"testing"
	"testing/synctest"
	"time"

	"github.com/winnowhq/winnow/services/internal/memory"
)

// One write of a tenant follows another at a distance, so that a busy process writes many
// searches together; who closes does not wait for it, and nothing that waited is lost.
func TestRecordsKeepADistanceUntilTheyEnd(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		close bool
		want  time.Duration
	}{"busy": {false, writeEvery}, "closing": {true, 0}} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			synctest.Test(t, func(t *testing.T) {
				var r recordings
				began, first := time.Now(), make(chan struct{})
				wrote := map[string]time.Duration{}
				write := func(list []recorded) {
					for i := range list {
						wrote[list[i].session] = time.Since(began)
					}
					<-first
				}
				for _, session := range []string{"a", "b"} {
					if !r.add(memory.DefaultTenant, recorded{caller: caller{"agent", session}}, write) {
						t.Fatal("not taken")
					}
					synctest.Wait()
				}
				close(first)
				if c.close {
					r.close()
					r.close()
				} else {
					r.all.Wait()
				}
				if at, there := wrote["b"]; !there || at != c.want {
					t.Errorf("the second was written after %s (%v), want %s", at, there, c.want)
				}
			})
		})
	}
}

// A row that was stored is not sent again for a while: only the same row, of the same log,
// tenant, caller and session, and only once it is stored.
func TestStoredRowsAreNotSentAgain(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		var s stored
		send := func(row shown, err error) bool {
			f := s.since(time.Now())
			sent := f.new(row)
			if sent && !errors.Is(f.keep(err), err) {
				t.Error("the write's error is lost")
			}
			return sent
		}
		row := shown{"served", "acme", "agent", "s", "mem_1"}
		if !send(row, errors.New("down")) || !send(row, nil) || send(row, nil) {
			t.Error("a row is sent until it is stored")
		}
		for _, other := range []shown{
			{"read", "acme", "agent", "s", "mem_1"}, {"served", "other", "agent", "s", "mem_1"}, {"served", "acme", "agents", "", "mem_1"},
			{"served", "acme", "agent", "t", "mem_1"}, {"served", "acme", "agent", "s", "mem_2"},
		} {
			if !send(other, nil) {
				t.Errorf("%v was taken for %v", other, row)
			}
		}
		time.Sleep(storedFor)
		if send(row, nil) {
			t.Error("sent again before it was forgotten")
		}
		time.Sleep(3 * storedFor)
		if !send(row, nil) {
			t.Error("never sent again")
		}
		for i := range 2 * maxStored {
			send(shown{"served", "acme", "agent", "s", fmt.Sprint("mem_", i)}, nil)
		}
		if n := len(s.now) + len(s.before); n > maxStored {
			t.Errorf("%d rows are known", n)
		}
	})
}
