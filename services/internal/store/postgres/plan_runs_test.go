package postgres_test

import (
	"context"
	"testing"
	"time"

	"github.com/winnowhq/winnow/services/internal/memory"
	"github.com/winnowhq/winnow/services/internal/store"
)

// 1,000 runs of 50 scopes with 10 steps of 3 memories each; one run of a hundred was
// taken back, and two run.
const manyRuns = `
insert into runs select 'default', 'run_' || lpad(n::text, 6, '0'), 'project:p' || n % 50, 'similar', 'interval',
		case when n > 998 then 'running' when n % 100 = 0 then 'undone' else 'completed' end,
		'{}', false, null, null, '', now(), now(), null, now() - (1000 - n) * interval '1 hour', 0, 0, 0, 0, 0, 0, 0, 0, false, '', '{}', 1
	from generate_series(1, 1000) n;
insert into run_items select 'default', 'run_' || lpad(r::text, 6, '0'), n, 'merge', case when r % 100 = 0 then 'undone' else 'applied' end,
		array['mem_' || r || '_' || n || 'a', 'mem_' || r || '_' || n || 'b'], 'mem_' || r || '_' || n, '', '', '{}', now()
	from generate_series(1, 1000) r, generate_series(1, 10) n;
insert into run_members select 'default', 'mem_' || r || '_' || n || x, 'run_' || lpad(r::text, 6, '0'), n
	from generate_series(1, 1000) r, generate_series(1, 10) n, unnest(array['', 'a', 'b']) x;
analyze runs; analyze run_items; analyze run_members`

// The reads of runs touch about what they return, also with connections that were
// opened before there was a run.
func TestReadsOfManyRuns(t *testing.T) {
	t.Parallel()
	owner, s, session := counted(t)
	type read struct {
		most int
		read func(context.Context) (int, error)
	}
	const id, tenant = "run_000500", memory.DefaultTenant
	items := func(list []memory.RunItem, err error) (int, error) { return len(list), err }
	reads := map[string]read{
		"a run": {1, func(ctx context.Context) (int, error) { _, err := s.Run(ctx, tenant, id); return 1, err }},
		"the open ones": {2, func(ctx context.Context) (int, error) {
			list, err := s.Runs(ctx, tenant, store.RunQuery{States: []memory.RunState{memory.RunRequested, memory.RunRunning}})
			return len(list), err
		}},
		"the newest": {20, func(ctx context.Context) (int, error) {
			list, err := s.Runs(ctx, tenant, store.RunQuery{Newest: true, Limit: 20})
			return len(list), err
		}},
		"its steps":    {10, func(ctx context.Context) (int, error) { return items(s.RunItems(ctx, tenant, id)) }},
		"one step":     {1, func(ctx context.Context) (int, error) { _, err := s.RunItem(ctx, tenant, id, 3); return 1, err }},
		"its progress": {10, func(ctx context.Context) (int, error) { m, err := s.RunProgress(ctx, tenant, id); return len(m), err }},
		"of a memory":  {4, func(ctx context.Context) (int, error) { return items(s.ItemsOf(ctx, tenant, "mem_7_1a", "mem_9_2")) }},
		"taken back":   {130, func(ctx context.Context) (int, error) { return items(s.TakenBack(ctx, tenant, "project:p0")) }},
		"the last time": {2, func(ctx context.Context) (int, error) {
			at, err := s.LastRun(ctx, tenant, "project:p7", memory.RunSimilar)
			return at.Year(), err
		}},
	}
	for what, r := range reads {
		if _, err := r.read(t.Context()); err != nil && what != "a run" && what != "one step" {
			t.Fatalf("%s: %v", what, err)
		}
	}
	exec(t, owner, "set winnow.tenant = 'default'; "+manyRuns+"; "+flush)
	for what, r := range reads {
		before := rowsReadOf(t, session, "runs", "run_items", "run_members")
		start := time.Now()
		n, err := r.read(t.Context())
		if err != nil || n == 0 {
			t.Errorf("%s: %d, %v", what, n, err)
		}
		touched := rowsReadOf(t, session, "runs", "run_items", "run_members") - before
		t.Logf("%s: %d rows, %d touched, %v", what, n, touched, time.Since(start).Round(time.Millisecond))
		if touched > r.most {
			t.Errorf("%s touches %d rows, want %d at most", what, touched, r.most)
		}
	}
}
