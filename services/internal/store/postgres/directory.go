package postgres

import (
	"context"
	"slices"

	"github.com/jackc/pgx/v5"

	"github.com/winnowhq/winnow/services/internal/change"
	"github.com/winnowhq/winnow/services/internal/memory"
)

// Principal implements [store.Directory].
func (s *Store) Principal(ctx context.Context, id string) (memory.Principal, error) {
	return s.findPrincipal(ctx, callerKey{id: id})
}

// PrincipalByKey implements [store.Directory].
func (s *Store) PrincipalByKey(ctx context.Context, keyHash []byte) (memory.Principal, error) {
	return s.findPrincipal(ctx, callerKey{key: string(keyHash), byKey: true})
}

// callerKey names a caller by its id, or by the digest of its API key.
type callerKey struct {
	id, key string
	byKey   bool
}

func (s *Store) findPrincipal(ctx context.Context, who callerKey) (memory.Principal, error) {
	found, err := s.callers.Get(who, func() (caller, error) { return s.readCaller(ctx, who) })
	if err != nil {
		return memory.Principal{}, err
	}
	return found.own(), nil
}

// readCaller calls winnow_principal, the only function that reads the principals of all
// tenants.
func (s *Store) readCaller(ctx context.Context, who callerKey) (caller, error) {
	var id *string
	var key []byte
	if who.byKey {
		key = []byte(who.key)
	} else {
		id = &who.id
	}
	rows, err := s.app.Query(ctx, `select `+principalColumns+`, acts, reads, key_id, key_permissions, key_used from winnow_principal($1, $2)`, id, key)
	if err != nil {
		return caller{}, mapError("find principal", err)
	}
	found, err := pgx.CollectExactlyOneRow(rows, scanCaller)
	if err != nil {
		return caller{}, mapError("find principal", err)
	}
	if found.keyID != "" && !found.usedToday {
		// A day that is not recorded is recorded by the next look.
		if err := s.write(ctx, found.Tenant, "record a key's use", touchKey, string(found.Tenant), found.keyID); err != nil {
			return caller{}, err
		}
	}
	return found, nil
}

const touchKey = `
update api_keys set last_used = (now() at time zone 'utc')::date
where tenant = $1 and id = $2 and last_used is distinct from (now() at time zone 'utc')::date`

// caller is a principal with the key that it was found by.
type caller struct {
	memory.Principal
	keyID       string
	permissions []memory.Permission
	usedToday   bool
}

// own returns the principal with what its key allows, in lists of the receiver's own.
func (c *caller) own() memory.Principal {
	p := c.Principal
	p.SpeaksFor, p.Permissions, p.Scopes = slices.Clone(p.SpeaksFor), slices.Clone(p.Permissions), slices.Clone(p.Scopes)
	p.Acts, p.Reads = slices.Clone(p.Acts), slices.Clone(p.Reads)
	return p.Limited(c.permissions)
}

func scanCaller(row pgx.CollectableRow) (c caller, err error) {
	err = row.Scan(&c.Tenant, &c.ID, (*origin)(&c.Highest), &c.Name, &c.Service, &c.SpeaksFor, &c.Permissions, &c.Scopes, nullable(&c.CreatedAt),
		&c.Acts, &c.Reads, &c.keyID, &c.permissions, &c.usedToday)
	return c, err
}

// Tenants implements [store.Directory].
func (s *Store) Tenants(ctx context.Context) ([]memory.Tenant, error) {
	rows, err := s.app.Query(ctx, `select winnow_tenants()`)
	if err != nil {
		return nil, mapError("list tenants", err)
	}
	tenants, err := pgx.CollectRows(rows, pgx.RowTo[memory.Tenant])
	return tenants, mapError("list tenants", err)
}

const principalColumns = `tenant, id, highest, name, service, speaks_for, permissions, scopes, created_at`

// registeredColumns are what scanPrincipal scans: also what no request asks.
const registeredColumns = principalColumns + `, events_json`

func scanPrincipal(row pgx.CollectableRow) (p memory.Principal, err error) {
	err = row.Scan(&p.Tenant, &p.ID, (*origin)(&p.Highest), &p.Name, &p.Service, &p.SpeaksFor, &p.Permissions, &p.Scopes, nullable(&p.CreatedAt), &p.EventsJSON)
	return p, err
}

// forget drops the recent answers that a change may have made wrong, also when it may have
// failed.
func (s *Store) forget(set *change.Set) {
	if len(set.Principals)+len(set.Keys)+len(set.KeysRevoked)+len(set.ScopeLinks)+len(set.ScopesUnlinked)+len(set.ScopesKnown) > 0 {
		s.callers.Forget() // what a bound principal reaches follows the links
		s.around.Forget()
	}
}
