package api_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/winnowhq/winnow/services/internal/store/postgres"
	"github.com/winnowhq/winnow/services/internal/store/postgres/pgtest"
	"github.com/winnowhq/winnow/services/internal/test/testenv"
)

// startHistory fills a tenant with 200,000 memories and 400,000 decisions in
// 2,000 projects, 32 teams and an organisation, over two years. A session's
// start may show each tenth memory of a scope. The agent's last session was a
// day ago.
const startHistory = `
insert into scopes (tenant, id, version)
	select 'default', 'project:p' || n, 1 from generate_series(0, 1999) n union all
	select 'default', 'team:t' || n, 1 from generate_series(0, 31) n union all select 'default', 'org:acme', 1
	on conflict do nothing;
insert into scope_links (tenant, scope, parent, principal, linked_at)
	select 'default', 'team:t' || n, 'org:acme', 'ann', now() from generate_series(0, 31) n union all
	select 'default', 'project:p' || n, 'team:t' || n % 32, 'ann', now() from generate_series(0, 1999) n;
insert into workflows (tenant, id, scope, status, name, description, summary, principal, created_at, updated_at, version)
	select 'default', 'wf_' || lpad(n::text, 26, '0'), 'project:p' || n, 'active', 'task ' || n, 'until it is done', '', 'agent', now(), now(), 1
	from generate_series(0, 1999) n;
insert into memories (tenant, id, scope, state, kind, section, title, description, body, category, tags, topics, importance,
		confidence, outcome, principal, origin, authority, created_at, seen_count, proposal_id, decision_id, archive_reason, successor_id, version, archived_at)
	select 'default', 'mem_' || lpad(n::text, 26, '0'),
		case n % 10 when 0 then 'team:t' || n / 10 % 32 when 1 then 'org:acme' else 'project:p' || n % 2000 end,
		case n % 53 when 0 then 'archived' else 'active' end,
		case n / 2000 % 30 when 0 then 'rule' when 1 then 'preference' when 2 then 'strategy' else 'fact' end,
		'', '', '', 'The nightly job of part ' || n || ' takes its lock before it reads.', '', '{}', '{}', 5, 0.8, '', 'agent', 2, 2, at.at, 1, '', '', '', '', n,
		case n % 53 when 0 then at.at + interval '1 minute' end
	from generate_series(1, 200000) n, lateral (select now() - (200001 - n) * interval '315 seconds' as at) at;
insert into memory_links (tenant, from_id, kind, to_id)
	select 'default', m.id, 'workflow', w.id from memories m join workflows w on w.scope = m.scope where right(m.id, 2) < '30';
insert into decisions (tenant, id, scope, proposal_id, verdict, rule, fired, advice, reason, target, memory_id, policy, policy_version,
		calibration, features, candidates, inputs, principal, actor, authority, undoes, decided_at)
	select 'default', 'dec_' || lpad(n::text, 26, '0'), 'project:p' || n % 2000, 'prop_' || lpad(n::text, 26, '0'),
		case n % 2 when 0 then 'promoted' else 'rejected' end, 'fact', '{}', '', '', '',
		case n % 2 when 0 then 'mem_' || lpad((n / 2)::text, 26, '0') else '' end, 'standard', 'v1', 'lex-1', '{}', '[]', '{}', 'agent', 'triage', 2, '',
		now() - (400001 - n) * interval '157 seconds'
	from generate_series(1, 400000) n;
insert into served (tenant, session_id, memory_id, principal, served_at)
	select 'default', 'earlier ' || id, 'mem_' || lpad('1', 26, '0'), id, now() - interval '1 day' from principals where tenant = 'default';
analyze scopes; analyze scope_links; analyze workflows; analyze memory_links; analyze memories; analyze decisions; analyze served`

// BenchmarkStart measures session_start over a long history, through MCP over
// HTTP: from a project with a team, an organisation and an active workflow of some 20 memories, and without a project. The
// target for p99-ms is below 10. rows/op is the number of memories, decisions
// and served rows that the store fetches for a call, as the server counts them.
func BenchmarkStart(b *testing.B) {
	s := setup(b)
	owner := testenv.Pool(b, s.db)
	history := startHistory
	if testing.Short() {
		history = strings.NewReplacer("00000)", "000)", "00001 -", "001 -").Replace(history)
	}
	if _, err := owner.Exec(b.Context(), history); err != nil {
		b.Fatal(err)
	}
	for name, in := range map[string]func(i int) map[string]any{
		"project":  func(i int) map[string]any { return map[string]any{"project": fmt.Sprintf("p%d", i%2000)} },
		"anywhere": func(int) map[string]any { return nil },
	} {
		rows := rowsOfStart(b, s.db, in)
		a := s.agent("")
		b.Run(name, func(b *testing.B) {
			took := make([]time.Duration, 0, b.N)
			for i := range b.N {
				began := time.Now()
				startSession(b, a, in(i))
				took = append(took, time.Since(began))
			}
			slices.Sort(took)
			for _, q := range []float64{0.5, 0.99} {
				at := took[min(int(q*float64(len(took))), len(took)-1)]
				b.ReportMetric(float64(at.Microseconds())/1000, fmt.Sprintf("p%g-ms", q*100))
			}
			b.ReportMetric(rows, "rows/op")
		})
	}
}

func startSession(b *testing.B, a *agent, in map[string]any) {
	b.Helper()
	got, err := a.CallTool(b.Context(), &mcp.CallToolParams{Name: "session_start", Arguments: in})
	if err != nil || got.IsError {
		b.Fatal(err, got)
	}
}

// rowsOfStart counts the rows that a call fetches. A database session reports
// its reads when it ends, so the calls use a store of their own, which is closed
// before the count is read.
func rowsOfStart(b *testing.B, url string, in func(i int) map[string]any) float64 {
	b.Helper()
	const calls = 16
	owner := testenv.Pool(b, url)
	rowsRead := func() (n int) {
		const query = `select coalesce(sum(seq_tup_read + coalesce(idx_tup_fetch, 0)), 0)::int
			from pg_stat_user_tables where relname in ('memories', 'decisions', 'served', 'workflows', 'memory_links', 'scope_links')`
		if err := owner.QueryRow(b.Context(), query).Scan(&n); err != nil {
			b.Fatal(err)
		}
		return n
	}
	sessions := func() (n int) {
		const query = `select count(*) from pg_stat_activity where datname = current_database() and application_name like 'winnow_%'`
		if err := owner.QueryRow(b.Context(), query).Scan(&n); err != nil {
			b.Fatal(err)
		}
		return n
	}
	before, others := rowsRead(), sessions()
	own := serve(b, pgtest.Database{Store: pgtest.Connect(b, postgres.Config{URL: url}), URL: url})
	a := own.agent("")
	for i := range calls {
		startSession(b, a, in(i))
	}
	own.deps.Store.Close()
	// A session ends after it has reported its reads.
	for patience := time.Now().Add(time.Minute); sessions() > others; {
		if time.Now().After(patience) {
			b.Fatal("the sessions of a closed store do not end")
		}
	}
	return float64(rowsRead()-before) / calls
}
