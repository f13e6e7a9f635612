package distill_test

import (
	"testing"
	"time"

	"github.com/winnowhq/winnow/services/distill"
)

// A session waits an hour for a model and never longer than the bus delivers it
// (D24).
func TestRetryPolicy(t *testing.T) {
	t.Parallel()
	waited, tries := time.Duration(0), 1
	for ; !distill.Over(tries, waited); tries++ {
		waited += distill.Pause(tries, 0)
	}
	if waited < time.Hour || waited > 80*time.Minute {
		t.Errorf("given up after %s", waited)
	}
	if tries > distill.MaxDeliver-4 {
		t.Errorf("%d of %d deliveries are used", tries, distill.MaxDeliver)
	}
	if distill.Over(1, 24*time.Hour) {
		t.Error("a session that waited for a hand gets no try")
	}
	if !distill.Over(distill.MaxDeliver-4, 0) {
		t.Error("the deliveries are used up before rules do the work")
	}
	if got := distill.Pause(1, 5*time.Minute); got != 5*time.Minute {
		t.Errorf("a server that asks for five minutes gets %s", got)
	}
	if got := distill.Pause(1, 24*time.Hour); got != 30*time.Minute {
		t.Errorf("a server that asks for a day gets %s", got)
	}
}
