package postgres

import (
	"context"
	_ "embed"
	"encoding/hex"
	"errors"
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/winnowhq/winnow/services/internal/memory"
	"github.com/winnowhq/winnow/services/internal/store"
	"github.com/winnowhq/winnow/services/internal/store/postgres/access"
)

// Login is a role that a process connects as.
type Login struct {
	Name     string
	Password string // empty does not change the password: trust, peer or a certificate
	App      bool   // grants reads and writes under row security
	Relay    bool   // grants the relay's outbox and retention
	Operator bool   // grants App, and the registration of principals
	// Worker grants the rights of one worker, such as "triage".
	Worker string
	// Tenants binds a login with a Worker: it may name these tenants and no other. Empty
	// binds it to none. Provisioning again adds tenants and removes none.
	Tenants []memory.Tenant
}

// Registered is a principal with the hash of its API key.
type Registered struct {
	memory.Principal
	KeyHash []byte // SHA-256 of an API key to add; empty adds none
	// BuiltIn does not change a stored principal, because an operator may have
	// changed its rights.
	BuiltIn bool
}

// Options lists the rows that [Provision] creates or updates.
type Options struct {
	Logins     []Login
	Tenants    []memory.Tenant // in addition to the system tenant
	Principals []Registered
	// Retention is what the database enforces from now on, for every tenant: it deletes
	// nothing sooner, whatever the relay asks. Nil leaves what is enforced, at first
	// [store.DefaultRetention].
	Retention *store.Retention
}

// DevOptions returns the options of a laptop: one tenant, an agent, a person, and
// a gateway that forwards a person's chat messages. The private cluster trusts its
// socket, so one login has all roles.
func DevOptions() Options {
	o := Options{
		Logins:  []Login{{Name: "winnow", App: true, Relay: true, Operator: true}},
		Tenants: []memory.Tenant{memory.DefaultTenant},
	}
	for _, p := range []memory.Principal{
		{ID: "agent", Highest: memory.OriginAgent, Name: "Coding agents"},
		{ID: "human", Highest: memory.OriginHuman, Name: "Person"},
		{ID: "local", Highest: memory.OriginHuman, Name: "Person at this machine"},
		{ID: "gateway", Highest: memory.OriginAgent, Name: "Chat gateway", SpeaksFor: []string{"*"}},
	} {
		p.Tenant = memory.DefaultTenant
		o.Principals = append(o.Principals, Registered{Principal: p, BuiltIn: true})
	}
	return o
}

// vaultEditor returns the principal of hand edits in the tenant's vault.
func vaultEditor(t memory.Tenant) Registered {
	return Registered{BuiltIn: true, Principal: memory.Principal{
		ID: memory.VaultPrincipal(t), Tenant: t, Highest: memory.OriginHuman, Name: "Edits of the vault",
	}}
}

// Provision creates or updates logins, tenants and principals in a migrated
// database. Provision never removes a row and is idempotent. It also creates
// [memory.SystemTenant], and for every other tenant a principal for the hand edits
// of its vault.
func Provision(ctx context.Context, ownerURL string, o Options) error {
	conn, err := pgx.Connect(ctx, ownerURL)
	if err != nil {
		return mapError("provision", err)
	}
	defer conn.Close(context.WithoutCancel(ctx))
	for _, l := range o.Logins {
		if err := provisionLogin(ctx, conn, l); err != nil {
			return mapError("provision login "+l.Name, err)
		}
	}
	err = pgx.BeginFunc(ctx, conn, func(tx pgx.Tx) error {
		if _, err := tx.Exec(ctx, "set local role "+roleOwner); err != nil {
			return err
		}
		for _, t := range append(slices.Clone(o.Tenants), memory.SystemTenant) {
			if err := provisionTenant(ctx, tx, t); err != nil {
				return fmt.Errorf("tenant %s: %w", t, err)
			}
		}
		if o.Retention != nil {
			if err := provisionRetention(ctx, tx, *o.Retention); err != nil {
				return fmt.Errorf("retention: %w", err)
			}
		}
		for _, l := range o.Logins {
			if err := bindLogin(ctx, tx, l); err != nil {
				return fmt.Errorf("bind login %s: %w", l.Name, err)
			}
		}
		for _, t := range o.Tenants {
			if t == memory.SystemTenant {
				continue
			}
			if err := provisionPrincipal(ctx, tx, vaultEditor(t)); err != nil {
				return fmt.Errorf("vault of tenant %s: %w", t, err)
			}
		}
		for _, p := range o.Principals {
			if err := provisionPrincipal(ctx, tx, p); err != nil {
				return fmt.Errorf("principal %s: %w", p.ID, err)
			}
		}
		return nil
	})
	return mapError("provision", err)
}

// Gateways lists the principals that may forward the answers of reviewers, of all
// tenants, by tenant and id. Gateways needs the owner's rights, because no other
// role reads more than one tenant.
func Gateways(ctx context.Context, ownerURL string) ([]memory.Principal, error) {
	conn, err := pgx.Connect(ctx, ownerURL)
	if err != nil {
		return nil, mapError("list gateways", err)
	}
	defer conn.Close(context.WithoutCancel(ctx))
	var all []memory.Principal
	err = pgx.BeginFunc(ctx, conn, func(tx pgx.Tx) error {
		if _, err := tx.Exec(ctx, "set local role "+roleOwner); err != nil {
			return err
		}
		return eachTenant(ctx, tx, `select winnow_tenants() order by 1`, func(t string) error {
			rows, err := tx.Query(ctx, `select `+registeredColumns+` from principals where tenant = $1 and cardinality(speaks_for) > 0 order by id`, t)
			if err != nil {
				return err
			}
			some, err := pgx.CollectRows(rows, scanPrincipal)
			if err != nil {
				return err
			}
			all = append(all, some...)
			return nil
		})
	})
	return all, mapError("list gateways", err)
}

// eachTenant calls do in the name of each tenant that the query lists.
func eachTenant(ctx context.Context, tx pgx.Tx, query string, do func(tenant string) error) error {
	rows, err := tx.Query(ctx, query)
	if err != nil {
		return err
	}
	tenants, err := pgx.CollectRows(rows, pgx.RowTo[string])
	if err != nil {
		return err
	}
	for _, t := range tenants {
		if _, err := tx.Exec(ctx, setTenant, t); err != nil {
			return err
		}
		if err := do(t); err != nil {
			return err
		}
	}
	return nil
}

func provisionTenant(ctx context.Context, tx pgx.Tx, t memory.Tenant) error {
	if _, err := tx.Exec(ctx, setTenant, string(t)); err != nil {
		return err
	}
	_, err := tx.Exec(ctx, `insert into tenants (tenant) values ($1) on conflict do nothing`, string(t))
	return err
}

// everlasting is longer than any row is old, and short enough for the database's calendar.
const everlasting = 5000 * 365 * 24 // hours

// provisionRetention writes the shortest age of deletable rows for every tenant.
func provisionRetention(ctx context.Context, tx pgx.Tx, r store.Retention) error {
	// The owner's policy shows all tenants.
	return eachTenant(ctx, tx, `select tenant from tenants order by tenant`, func(t string) error {
		for what, keep := range map[string]time.Duration{
			"inbox": r.Inbox, "outbox": r.Outbox, "rejected_proposals": r.RejectedProposals, "traces": r.Traces, "research": r.Research,
		} {
			micros := keep.Microseconds()
			if keep <= 0 {
				micros = everlasting * time.Hour.Microseconds()
			}
			_, err := tx.Exec(ctx, `insert into retention (tenant, what, keep) values ($1, $2, $3 * interval '1 microsecond')
				on conflict (tenant, what) do update set keep = excluded.keep`, t, what, micros)
			if err != nil {
				return err
			}
		}
		return nil
	})
}

const (
	// Null lists do not change the stored ones, nor the form in which a gateway reads.
	registerPrincipal = `
insert into principals as old (tenant, id, highest, name, service, speaks_for, permissions, events_json, scopes)
values ($1, $2, $3, $4, $5, coalesce($6::text[], '{}'), $7::text[], $8, coalesce($9::text[], '{}'))
on conflict (tenant, id) do update set highest = excluded.highest, name = excluded.name, service = excluded.service,
	speaks_for = coalesce($6::text[], old.speaks_for), permissions = coalesce($7::text[], old.permissions),
	events_json = case when $6::text[] is null then old.events_json else excluded.events_json end,
	scopes = coalesce($9::text[], old.scopes)`

	// The conflict target is the key alone, so that the id of another tenant's
	// principal fails.
	addPrincipal = `
insert into principals (tenant, id, highest, name, service, speaks_for, permissions, events_json, scopes)
values ($1, $2, $3, $4, $5, coalesce($6::text[], '{}'), $7::text[], $8, coalesce($9::text[], '{}'))
on conflict (tenant, id) do nothing`

	// A key that is in the database already, of whomever, is not added again; one of
	// another principal fails.
	registerKey = `
insert into api_keys (tenant, id, principal, hash, name, hint, created_by, created_at)
values ($1, $2, $3, $4, '', '', $3, now()) on conflict (tenant, id) do nothing`
)

func provisionPrincipal(ctx context.Context, tx pgx.Tx, p Registered) error {
	if _, err := tx.Exec(ctx, setTenant, string(p.Tenant)); err != nil {
		return err
	}
	statement := registerPrincipal
	if p.BuiltIn {
		statement = addPrincipal
	}
	_, err := tx.Exec(ctx, statement,
		string(p.Tenant), p.ID, int16(p.Highest), p.Name, p.Service, p.SpeaksFor, p.Permissions, p.EventsJSON, p.Scopes)
	if err == nil && len(p.KeyHash) > 0 {
		_, err = tx.Exec(ctx, registerKey, string(p.Tenant), keyID(p.KeyHash), p.ID, p.KeyHash)
	}
	return err
}

// keyID returns the id of a key that provisioning adds. It follows from the hash, so
// that provisioning again adds nothing, in the form of a ULID, of which hexadecimal
// digits are a part.
func keyID(hash []byte) string {
	return memory.PrefixKey + "0" + strings.ToUpper(hex.EncodeToString(hash))[:25]
}

//go:embed roles.sql
var rolesSQL string

// prepare creates the roles that migrations grant to, and revokes the creation of
// objects in the public schema. Otherwise another role could add functions there
// that ours would call.
func prepare(ctx context.Context, ownerURL string) error {
	conn, err := pgx.Connect(ctx, ownerURL)
	if err != nil {
		return mapError("prepare roles", err)
	}
	defer conn.Close(context.WithoutCancel(ctx))
	_, err = conn.PgConn().Exec(ctx, rolesSQL+access.CreateRoles()).ReadAll()
	if denied(err) {
		return fmt.Errorf("prepare roles: %w; a version with new roles is migrated once by a login that may create roles (postgres.owner_url)", err)
	}
	return mapError("prepare roles", err)
}

// provisionLogin creates the login and grants its roles. Role names and passwords
// cannot be parameters, so the server formats the statements. The server formats
// none for a login or grant that exists.
func provisionLogin(ctx context.Context, conn *pgx.Conn, l Login) error {
	writers := []string{
		`select format('create role %I login noinherit', $1::text) where $2::text is not null
			and not exists (select from pg_roles where rolname = $1)`,
		`select format('alter role %I login password %L', $1::text, $2::text) where $2 <> ''`,
	}
	if l.App {
		writers = append(writers, grantRole(roleApp))
	}
	if l.Relay {
		writers = append(writers, grantRole(roleRelay))
	}
	if l.Operator {
		writers = append(writers, grantRole(roleOperator))
	}
	switch {
	case l.Worker == "":
	case access.Role(l.Worker) == access.App:
		return fmt.Errorf("%w: %q is no worker with a role of its own; there are relay, %s", store.ErrInvalid, l.Worker, strings.Join(access.Workers(), ", "))
	case len(l.Tenants) == 0:
		writers = append(writers, grantRole(access.Role(l.Worker)))
	case l.Worker == "relay":
		return fmt.Errorf("%w: the relay publishes for all tenants", store.ErrInvalid)
	default:
		// Both roles together would be the wider one.
		writers = append(writers, grantRole(access.BoundRole(l.Worker)), revokeRole(access.Role(l.Worker)))
	}
	for _, writer := range writers {
		var statement string
		err := conn.QueryRow(ctx, writer, l.Name, l.Password).Scan(&statement)
		if errors.Is(err, pgx.ErrNoRows) {
			continue
		}
		if err == nil {
			_, err = conn.Exec(ctx, statement)
		}
		if err != nil && !isDuplicateRole(err) {
			return err
		}
	}
	return nil
}

// bindLogin lists the tenants of a bound login.
func bindLogin(ctx context.Context, tx pgx.Tx, l Login) error {
	for _, t := range l.Tenants {
		if _, err := tx.Exec(ctx, setTenant, string(t)); err != nil {
			return err
		}
		_, err := tx.Exec(ctx, `insert into tenant_logins (tenant, login) values ($1, $2) on conflict do nothing`, string(t), l.Name)
		if err != nil {
			return err
		}
	}
	return nil
}

func revokeRole(role string) string {
	return `select format('revoke ` + role + ` from %I', $1::text) where $2::text is not null and exists (select from pg_auth_members m
		where m.roleid = to_regrole('` + role + `') and m.member = to_regrole(quote_ident($1)))`
}

func grantRole(role string) string {
	return `select format('grant ` + role + ` to %I', $1::text) where $2::text is not null
		and not pg_has_role($1, '` + role + `', 'member')`
}
