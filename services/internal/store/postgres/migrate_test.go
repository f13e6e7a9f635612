package postgres_test

import (
	"context"
	"errors"
	"reflect"
	"slices"
	"strings"
	"testing"

	"golang.org/x/sync/errgroup"

	"github.com/winnowhq/winnow/services/internal/memory"
	"github.com/winnowhq/winnow/services/internal/store"
	"github.com/winnowhq/winnow/services/internal/store/postgres"
	"github.com/winnowhq/winnow/services/internal/store/postgres/pgtest"
	"github.com/winnowhq/winnow/services/internal/test/testenv"
)

func TestMigrationsForwardAndBack(t *testing.T) {
	t.Parallel()
	ctx := t.Context()
	url := testenv.EmptyDatabase(t)
	s := pgtest.Connect(t, postgres.Config{URL: url})
	if err := postgres.Migrate(ctx, url); err != nil {
		t.Fatal(err)
	}
	have, want, err := postgres.Version(ctx, url)
	if err != nil || have != want || want == 0 {
		t.Fatalf("version %d of %d, %v", have, want, err)
	}
	if err := s.Ready(ctx); err != nil {
		t.Errorf("migrated: %v", err)
	}
	status, err := postgres.MigrationStatus(ctx, url)
	if err != nil || len(status) == 0 || status[len(status)-1].Version != want || status[0].AppliedAt.IsZero() {
		t.Errorf("status %+v, %v", status, err)
	}

	// A binary refuses another version and names the command (SPEC §3).
	if err := postgres.MigrateDown(ctx, url, want-1); err != nil {
		t.Fatal(err)
	}
	if err := s.Ready(ctx); !errors.Is(err, store.ErrMigration) {
		t.Errorf("one version behind: %v", err)
	}
	if err := postgres.MigrateDown(ctx, url, 0); err != nil {
		t.Fatal(err)
	}
	var left int
	err = testenv.Pool(t, url).QueryRow(ctx, `
		select (select count(*) from pg_class where relnamespace = 'public'::regnamespace and relkind = 'r'
				and relname <> 'goose_db_version')
			+ (select count(*) from pg_proc where pronamespace = 'public'::regnamespace)`).Scan(&left)
	if err != nil || left != 0 {
		t.Errorf("%d tables and functions left after going back, %v", left, err)
	}
	if err := postgres.Migrate(ctx, url); err != nil {
		t.Errorf("forward again: %v", err)
	}
}

// Replicas that start together migrate and provision together.
func TestMigrateAndProvisionAtOnce(t *testing.T) {
	t.Parallel()
	url := testenv.EmptyDatabase(t)
	g, ctx := errgroup.WithContext(t.Context())
	for range 3 {
		g.Go(func() error { return postgres.Migrate(ctx, url) })
	}
	if err := g.Wait(); err != nil {
		t.Fatal(err)
	}
	for range 2 {
		if err := postgres.Provision(t.Context(), url, postgres.DevOptions()); err != nil {
			t.Fatal(err)
		}
	}
	s := pgtest.Connect(t, postgres.Config{URL: url})
	for id, highest := range map[string]memory.Origin{
		"agent": memory.OriginAgent, "human": memory.OriginHuman, "local": memory.OriginHuman,
		"gateway": memory.OriginAgent, memory.VaultPrincipal(memory.DefaultTenant): memory.OriginHuman,
	} {
		if p, err := s.Principal(t.Context(), id); err != nil || p.Highest != highest || p.Tenant != memory.DefaultTenant {
			t.Errorf("%s: %+v, %v", id, p, err)
		}
	}
}

// Provisioning does not change a built-in principal that an operator changed;
// registering the principal does.
func TestProvisionKeepsWhatOperatorsChanged(t *testing.T) {
	t.Parallel()
	ctx := t.Context()
	db := pgtest.New(t)
	gateway, err := db.Store.Principal(ctx, "gateway")
	if err != nil || !slices.Equal(gateway.SpeaksFor, []string{"*"}) {
		t.Fatalf("gateway %+v, %v", gateway, err)
	}
	provision := func(o postgres.Options, want memory.Principal) {
		t.Helper()
		if err := postgres.Provision(ctx, db.URL, o); err != nil {
			t.Fatal(err)
		}
		want.CreatedAt = gateway.CreatedAt
		if got, err := db.Store.Principal(ctx, want.ID); err != nil || !reflect.DeepEqual(got, want) {
			t.Errorf("gateway %+v, %v\nwant %+v", got, err, want)
		}
	}
	changed := gateway
	changed.Name, changed.Highest, changed.SpeaksFor = "Matrix bridge", memory.OriginExternal, []string{"anna"}
	register := func(p memory.Principal) postgres.Options {
		return postgres.Options{Principals: []postgres.Registered{{Principal: p}}}
	}
	provision(register(changed), changed)
	provision(postgres.DevOptions(), changed)
	renamed := changed
	renamed.Name, renamed.SpeaksFor = "Bridge", nil // nil does not change the stored list
	want := renamed
	want.SpeaksFor = changed.SpeaksFor
	provision(register(renamed), want)
	want.SpeaksFor = []string{}
	provision(register(want), want)
}

// Every tenant has a principal for the hand edits of its vault, except the system
// tenant.
func TestEveryTenantHasVaultEditor(t *testing.T) {
	t.Parallel()
	db := pgtest.New(t)
	tenants := []memory.Tenant{memory.DefaultTenant, "acme", "acme.example"}
	if err := postgres.Provision(t.Context(), db.URL, postgres.Options{Tenants: tenants}); err != nil {
		t.Fatal(err)
	}
	for _, tenant := range tenants {
		p, err := db.Store.Principal(t.Context(), memory.VaultPrincipal(tenant))
		if err != nil || p.Tenant != tenant || p.Highest != memory.OriginHuman || len(p.SpeaksFor) != 0 {
			t.Errorf("%s: %+v, %v", tenant, p, err)
		}
	}
	if got, err := db.Store.Tenants(t.Context()); err != nil || !slices.Equal(got, []memory.Tenant{"acme", "acme.example", "default"}) {
		t.Errorf("tenants %v, %v", got, err)
	}
	if _, err := db.Store.Principal(t.Context(), memory.VaultPrincipal(memory.SystemTenant)); !errors.Is(err, store.ErrNotFound) {
		t.Errorf("the system's own tenant: %v", err)
	}
}

// A schema reverted to before the digests keeps its principals, and their newer
// columns have defaults after the next migration.
func TestDigestMigrationKeepsPrincipals(t *testing.T) {
	t.Parallel()
	ctx := t.Context()
	db := pgtest.New(t)
	before, err := db.Store.Principals(ctx, memory.DefaultTenant)
	if err != nil {
		t.Fatal(err)
	}
	if err := postgres.MigrateDown(ctx, db.URL, 5); err != nil {
		t.Fatal(err)
	}
	var id string
	pool := testenv.Pool(t, db.URL)
	err = pool.QueryRow(ctx, `select id from winnow_principal('gateway', null)`).Scan(&id)
	if err != nil || id != "gateway" {
		t.Errorf("at version 5: %q, %v", id, err)
	}
	if err := postgres.Migrate(ctx, db.URL); err != nil {
		t.Fatal(err)
	}
	// Prepared statements of the store's sessions are those of the old schema.
	after, err := pgtest.Connect(t, postgres.Config{URL: db.URL}).Principals(ctx, memory.DefaultTenant)
	for i := range before {
		before[i].SpeaksFor = []string{}
	}
	if err != nil || !reflect.DeepEqual(after, before) {
		t.Errorf("principals %+v, %v\nwant %+v", after, err, before)
	}
}

func TestPrincipalByKey(t *testing.T) {
	t.Parallel()
	db := pgtest.New(t)
	key := make([]byte, 32)
	key[0] = 1
	bot := postgres.Registered{
		Principal: memory.Principal{ID: "bot", Tenant: memory.DefaultTenant, Highest: memory.OriginFirstParty}, KeyHash: key,
	}
	for _, hash := range [][]byte{key, nil} { // without a key the stored one stays
		bot.KeyHash = hash
		err := postgres.Provision(t.Context(), db.URL, postgres.Options{Principals: []postgres.Registered{bot}})
		if err != nil {
			t.Fatal(err)
		}
		if p, err := db.Store.PrincipalByKey(t.Context(), key); err != nil || p.ID != "bot" {
			t.Errorf("by key: %+v, %v", p, err)
		}
	}
}

// The logins of a fleet have one role each and work without a superuser.
func TestSeparateLogins(t *testing.T) {
	t.Parallel()
	ctx := context.WithoutCancel(t.Context())
	url := pgtest.URL(t)
	err := postgres.Provision(ctx, url, postgres.Options{Logins: []postgres.Login{
		{Name: "winnow_test_app", Password: "it's a secret", App: true},
		{Name: "winnow_test_relay", Password: "another", Relay: true},
	}})
	if err != nil {
		t.Fatal(err)
	}
	as := func(user, password string) string {
		return url + "&user=" + user + "&password=" + password
	}
	s := pgtest.Connect(t, postgres.Config{URL: as("winnow_test_app", "it%27s%20a%20secret"), RelayURL: as("winnow_test_relay", "another")})
	if err := s.Ready(ctx); err != nil {
		t.Error(err)
	}
	if _, err := s.OutboxStatus(ctx); err != nil {
		t.Error(err)
	}
	one := pgtest.Connect(t, postgres.Config{URL: as("winnow_test_app", "it%27s%20a%20secret")})
	if _, err := one.OutboxStatus(ctx); err == nil {
		t.Error("the application's login may read the outbox of all tenants")
	}
}

// S0.15: workflows came without a migration of what was stored before: the rows of a
// database of before them are the same to the letter afterwards, and belong to none.
func TestWorkflowsTouchNoOlderRow(t *testing.T) {
	t.Parallel()
	const before = 15 // 00016_workflows.sql
	db := pgtest.New(t)
	writeStory(t, db.Store)
	if err := postgres.MigrateDown(t.Context(), db.URL, before); err != nil {
		t.Fatal(err)
	}
	owner := testenv.Pool(t, db.URL)
	rows := func() (all string) {
		t.Helper()
		err := owner.QueryRow(t.Context(), `select jsonb_build_object('memories', (select jsonb_agg(to_jsonb(m) - 'decided' order by m.id) from memories m), -- which 00024 computes
			'links', (select jsonb_agg(l) from memory_links l), 'evidence', (select jsonb_agg(e order by e.id) from evidence e))::text`).Scan(&all)
		if err != nil {
			t.Fatal(err)
		}
		return all
	}
	old := rows()
	if err := postgres.Migrate(t.Context(), db.URL); err != nil {
		t.Fatal(err)
	}
	if now := rows(); now != old || !strings.Contains(old, "mem_1") {
		t.Errorf("before:\n%s\nafter:\n%s", old, now)
	}
	s := pgtest.Connect(t, postgres.Config{URL: db.URL})
	if list, err := s.Workflows(t.Context(), memory.DefaultTenant, store.WorkflowQuery{}); err != nil || len(list) != 0 {
		t.Errorf("workflows of nobody: %+v, %v", list, err)
	}
}
