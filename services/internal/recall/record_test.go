package recall

import (
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
