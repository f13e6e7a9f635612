package storetest

import (
	"errors"
	"fmt"
	"sync/atomic"
	"testing"
	"time"

	"golang.org/x/sync/errgroup"

	"github.com/winnowhq/winnow/services/internal/memory"
	"github.com/winnowhq/winnow/services/internal/store"
)

func question(key string, expected int) store.ModelCall {
	return store.ModelCall{
		Key: key, Purpose: "distill", Model: "gpt-4o-mini", Prompt: "distill-3", Subject: "sess_1", At: now(), Expected: expected,
	}
}

func answered(c store.ModelCall, text string, input, output int) store.ModelCall {
	c.AnsweredAt, c.Answer, c.Stop, c.InputTokens, c.OutputTokens = c.At.Add(time.Second), text, "stop", input, output
	return c
}

// spent checks the tenant's counts of calls and tokens of the last hour.
func spent(t *testing.T, s store.Store, tenant memory.Tenant, calls, tokens int) {
	t.Helper()
	if n, cost, err := s.Spent(t.Context(), tenant, now().Add(-time.Hour)); err != nil || n != calls || cost != tokens {
		t.Errorf("spent %d tokens in %d calls, %v; want %d in %d", cost, n, err, tokens, calls)
	}
}

// A question is paid for once, even when a process dies between question and
// answer, and the first answer stays.
func testCallOnce(t *testing.T, s store.Store) {
	ctx := t.Context()
	c := question("k1", 1000)
	for range 2 { // begun, died, begun again
		same(t, c)(s.BeginCall(ctx, tenant, c, 1500))
	}
	spent(t, s, tenant, 1, 1000)
	wantError(t, s.FinishCall(ctx, tenant, answered(question("never begun", 1), "x", 1, 1)), store.ErrNotFound)
	wantError(t, s.FinishCall(ctx, tenant, c), store.ErrInvalid)

	first := answered(c, `{"lessons": []}`, 700, 20)
	for _, a := range []store.ModelCall{first, answered(c, "another", 9, 9)} {
		if err := s.FinishCall(ctx, tenant, a); err != nil {
			t.Fatal(err)
		}
	}
	spent(t, s, tenant, 1, 720)
	again := c
	again.At = c.At.Add(time.Minute)
	same(t, first)(s.BeginCall(ctx, tenant, again, 1)) // a stored answer costs nothing

	// Without token counts from the server, the expected tokens stay.
	silent := question("k2", 300)
	if _, err := s.BeginCall(ctx, tenant, silent, 0); err != nil {
		t.Fatal(err)
	}
	if err := s.FinishCall(ctx, tenant, answered(silent, "yes", 0, 0)); err != nil {
		t.Fatal(err)
	}
	spent(t, s, tenant, 2, 1020)
}

// D24: the budget applies to the day in UTC, in any time zone, and expected tokens
// that the answer did not use are available again.
func testCallBudget(t *testing.T, s store.Store) {
	ctx := t.Context()
	midnight := time.Date(2026, 11, 22, 0, 0, 0, 0, time.UTC)
	zone := time.FixedZone("UTC+9", 9*60*60)
	begin := func(key string, at time.Time, expected int) (store.ModelCall, error) {
		c := question(key, expected)
		c.At = at
		return s.BeginCall(ctx, tenant, c, 1000)
	}
	early := midnight.Add(time.Minute).In(zone)
	dear, err := begin("k1", midnight.Add(-time.Minute), 900)
	if err != nil {
		t.Fatal(err)
	}
	wantError(t, second(begin("k2", midnight.Add(-time.Second), 101)), store.ErrBudget)
	for key, tokens := range map[string]int{"k3": 400, "k4": 600} { // another day, filled to the brim
		if _, err := begin(key, early, tokens); err != nil {
			t.Fatalf("%s: %v", key, err)
		}
	}
	wantError(t, second(begin("k5", early, 1)), store.ErrBudget)
	if err := s.FinishCall(ctx, tenant, answered(dear, "cheap", 40, 10)); err != nil {
		t.Fatal(err)
	}
	if _, err := begin("k2", midnight.Add(-time.Second), 950); err != nil {
		t.Errorf("after the first turned out cheap: %v", err)
	}
	if n, tokens, err := s.Spent(ctx, tenant, midnight); err != nil || n != 2 || tokens != 1000 {
		t.Errorf("since midnight %d tokens in %d calls, %v", tokens, n, err)
	}
	for name, spoil := range map[string]func(*store.ModelCall){
		"no key": func(c *store.ModelCall) { c.Key = "" }, "no time": func(c *store.ModelCall) { c.At = time.Time{} },
		"less than nothing": func(c *store.ModelCall) { c.Expected = -1 },
	} {
		c := question("k6", 1)
		spoil(&c)
		if _, err := s.BeginCall(ctx, tenant, c, 0); !errors.Is(err, store.ErrInvalid) {
			t.Errorf("%s: %v, want ErrInvalid", name, err)
		}
	}
}

// Concurrent calls never exceed the budget together.
func testCallBudgetConcurrent(t *testing.T, s store.Store) {
	const askers, each, fit = 32, 100, 7
	c := question("", each)
	var begun, refused atomic.Int32
	var g errgroup.Group
	for i := range askers {
		mine := c
		mine.Key = fmt.Sprintf("k%d", i)
		g.Go(func() error {
			_, err := s.BeginCall(t.Context(), tenant, mine, fit*each+each/2)
			switch {
			case err == nil:
				begun.Add(1)
			case errors.Is(err, store.ErrBudget):
				refused.Add(1)
			default:
				return err
			}
			return nil
		})
	}
	if err := g.Wait(); err != nil {
		t.Fatal(err)
	}
	if begun.Load() != fit || refused.Load() != askers-fit {
		t.Errorf("%d begun and %d refused, want %d begun", begun.Load(), refused.Load(), fit)
	}
	spent(t, s, tenant, fit, fit*each)
}

// Processes that begin the same question at once count it once, also when the
// budget suffices for one call only.
func testCallBegunAtOnce(t *testing.T, s store.Store) {
	c := question("k1", 600)
	var g errgroup.Group
	for range 16 {
		g.Go(func() error {
			_, err := s.BeginCall(t.Context(), tenant, c, 1000)
			return err
		})
	}
	if err := g.Wait(); err != nil {
		t.Fatal(err)
	}
	spent(t, s, tenant, 1, 600)
}

// One process begins a question again while another finishes it. They do not
// deadlock, and the counts of calls and tokens agree.
func testCallCrossing(t *testing.T, s store.Store) {
	const keys = 8
	day := now() // the same day for all calls
	asked := func(key string, expected int) store.ModelCall {
		c := question(key, expected)
		c.At = day
		return c
	}
	var g errgroup.Group
	for i := range keys {
		c := asked(fmt.Sprintf("k%d", i), 100)
		if _, err := s.BeginCall(t.Context(), tenant, c, 0); err != nil {
			t.Fatal(err)
		}
		for j := range 4 {
			g.Go(func() error {
				if j%2 == 0 {
					return s.FinishCall(t.Context(), tenant, answered(c, "yes", 5, j+1))
				}
				_, err := s.BeginCall(t.Context(), tenant, c, 0)
				return err
			})
		}
	}
	if err := g.Wait(); err != nil {
		t.Fatal(err)
	}
	_, tokens, err := s.Spent(t.Context(), tenant, now().Add(-time.Hour))
	if err != nil {
		t.Fatal(err)
	}
	// The rest of the budget is what the calls do not count.
	last := asked("the rest", 1000-tokens)
	if _, err := s.BeginCall(t.Context(), tenant, last, 1000); err != nil {
		t.Errorf("the rest of the day: %v", err)
	}
	wantError(t, second(s.BeginCall(t.Context(), tenant, asked("one more", 1), 1000)), store.ErrBudget)
}

// SPEC §16.8: a tenant sees no other's answers and spends no other's budget.
func testCallTenants(t *testing.T, s store.Store) {
	ctx := t.Context()
	c := question("k1", 600)
	if _, err := s.BeginCall(ctx, tenant, c, 1000); err != nil {
		t.Fatal(err)
	}
	if err := s.FinishCall(ctx, tenant, answered(c, "ours", 500, 100)); err != nil {
		t.Fatal(err)
	}
	wantError(t, s.FinishCall(ctx, other, answered(c, "theirs", 1, 1)), store.ErrNotFound)
	spent(t, s, other, 0, 0)
	same(t, c)(s.BeginCall(ctx, other, c, 1000))
	spent(t, s, other, 1, 600)
	spent(t, s, tenant, 1, 600)
}
