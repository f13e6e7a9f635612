package distill_test

import (
	"context"
	"errors"
	"testing"
	"time"

	"github.com/winnowhq/winnow/services/distill"
)

// A session waits an hour for a model and never longer than the bus delivers it
// (D24).
func TestPatience(t *testing.T) {
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

// Long sessions wait for each other; one that is larger than everything goes
// alone.
func TestRoom(t *testing.T) {
	t.Parallel()
	room := distill.NewRoom(1 << 20)
	leave, err := room.Enter(t.Context(), 1<<40)
	if err != nil {
		t.Fatal(err)
	}
	gone, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := room.Enter(gone, 1); !errors.Is(err, context.Canceled) {
		t.Errorf("a second one came in beside it: %v", err)
	}
	leave()
	if _, err := room.Enter(t.Context(), 1<<19); err != nil {
		t.Error(err)
	}
}
