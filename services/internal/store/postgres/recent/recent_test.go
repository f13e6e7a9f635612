package recent_test

import (
	"errors"
	"fmt"
	"testing"
	"testing/synctest"
	"time"

	"github.com/winnowhq/winnow/services/internal/store/postgres/recent"
)

// An answer serves its own key, until it is as old as the bound.
func TestKeptForAMoment(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		c, stored := recent.New[string, string](time.Second), "old"
		ask := func(key string) string {
			got, err := c.Get(key, func() (string, error) { return key + " " + stored, nil })
			if err != nil {
				t.Fatal(err)
			}
			return got
		}
		ask("a")
		stored = "new"
		time.Sleep(time.Second - time.Nanosecond)
		if a, b := ask("a"), ask("b"); a != "a old" || b != "b new" {
			t.Errorf("just before the bound: %q, %q", a, b)
		}
		time.Sleep(time.Nanosecond)
		if a := ask("a"); a != "a new" {
			t.Errorf("at the bound: %q", a)
		}
	})
}

// The age of an answer counts from the begin of its read: what the database said may be as
// old as that.
func TestAgeCountsFromTheBegin(t *testing.T) {
	t.Parallel()
	synctest.Test(t, func(t *testing.T) {
		c, reads := recent.New[string, int](time.Second), 0
		slow := func() (int, error) {
			reads++
			time.Sleep(time.Second)
			return reads, nil
		}
		for want := 1; want <= 2; want++ {
			if got, err := c.Get("a", slow); err != nil || got != want {
				t.Errorf("%d, %v; want %d", got, err, want)
			}
		}
	})
}

// An answer that was read before a change and comes back after it is not kept.
func TestForgetOutrunsARead(t *testing.T) {
	t.Parallel()
	c := recent.New[string, string](time.Hour)
	read, change, ended := make(chan struct{}), make(chan struct{}), make(chan error, 1)
	go func() {
		_, err := c.Get("a", func() (string, error) {
			close(read)
			<-change
			return "old", nil
		})
		ended <- err
	}()
	<-read
	c.Forget()
	close(change)
	if err := <-ended; err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"new", "newer"} {
		if got, _ := c.Get("a", func() (string, error) { return want, nil }); got != want {
			t.Errorf("%q was kept over a change", got)
		}
		c.Forget()
	}
}

// Nothing unknown is kept, and no caller can fill the memory with names.
func TestErrorsAndBounds(t *testing.T) {
	t.Parallel()
	c, none := recent.New[string, int](time.Hour), errors.New("none")
	if _, err := c.Get("a", func() (int, error) { return 0, none }); !errors.Is(err, none) {
		t.Errorf("%v", err)
	}
	if got, err := c.Get("a", func() (int, error) { return 7, nil }); got != 7 || err != nil {
		t.Errorf("%d, %v after an error", got, err)
	}
	reads := 0
	count := func() (int, error) { reads++; return 0, nil }
	for range 2 {
		for i := range 10_000 {
			if _, err := c.Get(fmt.Sprint(i), count); err != nil {
				t.Fatal(err)
			}
		}
	}
	if reads < 12_000 {
		t.Errorf("%d reads: ten thousand names are kept", reads)
	}
	var off *recent.Cache[string, int]
	off.Forget()
	for want := 1; want <= 2; want++ {
		if got, _ := off.Get("a", func() (int, error) { return want, nil }); got != want {
			t.Errorf("%d was kept without a bound", got)
		}
	}
}
