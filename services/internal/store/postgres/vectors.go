package postgres

import (
	"context"
	"encoding/binary"
	"fmt"
	"maps"
	"math"
	"slices"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgtype"

	"github.com/winnowhq/winnow/services/internal/memory"
	"github.com/winnowhq/winnow/services/internal/store"
)

// The join skips unknown memories, and row security those of another tenant.
var insertVectors = `
insert into memory_vectors (tenant, memory_id, model, vector)
select $1, r.id, $2, r.vector
from unnest($3::text[], $4::bytea[]) as r (id, vector) ` + byID("memories", "$1", "r.id") + ` m
on conflict do nothing`

// PutVectors implements [store.Vectors].
func (s *Store) PutVectors(ctx context.Context, tenant memory.Tenant, model string, vectors map[string][]float32) error {
	ids := make([]string, 0, len(vectors))
	for id := range vectors {
		ids = append(ids, id)
	}
	slices.Sort(ids)
	packed := column(ids, func(id *string) []byte { return packVector(vectors[*id]) })
	return s.write(ctx, tenant, "put vectors", insertVectors, string(tenant), model, ids, packed)
}

// The select list looks up a vector for each row of the page only. A join would
// read vectors for rows that are only sorted.
var (
	vectorOf = `(select x.vector from memory_vectors x where x.tenant = m.tenant and x.model = $1 and x.memory_id = m.id)`
	// Two publishers may use one session id. The length prefix separates the
	// publisher's name, which may contain any character.
	sessionOf = `case when m.proposal_id = '' then '' else coalesce((
		select case when p.session_id = '' then '' else length(p.principal) || ':' || p.principal || p.session_id end
		from proposals p where p.tenant = m.tenant and p.id = m.proposal_id), '') end`
	indexColumns = memoryColumns + `, ` + sessionOf + `, ` + vectorOf + `, greatest(m.created_at, m.last_confirmed, m.archived_at)`
)

// IndexRows implements [store.Vectors].
func (s *Store) IndexRows(ctx context.Context, tenant memory.Tenant, q store.IndexQuery) ([]store.IndexRow, error) {
	if len(q.IDs) > 0 && len(q.Changed) > 0 {
		return nil, fmt.Errorf("read index rows: %w: by id and by change at once", store.ErrInvalid)
	}
	f := filter{args: []any{q.Model}}
	table, limit := f.from("memories", "m", tenant, q.IDs, q.Limit)
	if q.Lacking {
		f.conditions = append(f.conditions, vectorOf+" is null")
	}
	if len(q.Changed) > 0 {
		table = f.changed(q.Changed)
	}
	query := f.query(`select `+indexColumns+` from `+table, "m.id", q.After, q.Newest, limit)
	var found []store.IndexRow
	err := s.read(ctx, tenant, func(b *pgx.Batch) {
		if len(q.IDs) == 0 && len(q.Changed) == 0 {
			b.Queue(readInOrder)
		}
		b.Queue(query, f.args...).Query(func(rows pgx.Rows) error {
			var target indexTarget
			found = make([]store.IndexRow, 0, min(max(limit, 0), 10_000))
			for rows.Next() {
				if err := target.scan(rows); err != nil {
					return err
				}
				found = append(found, target.row)
			}
			return rows.Err()
		})
	})
	return found, mapError("read index rows", err)
}

// readInOrder makes a page read the index in its order. A plan made for few rows,
// or without statistics, sorts all following rows for each page; by the thousandth
// page the sort is most of the work.
const readInOrder = `set local enable_sort = off`

// changed returns the relation of memories that changed in lanes after the given
// versions. The tenant is the last argument of f. Each lane is one range of the
// only index in the order of versions; [byID] explains the inner order.
func (f *filter) changed(since map[memory.Scope]int64) (relation string) {
	scopes := slices.Sorted(maps.Keys(since))
	versions := column(scopes, func(s *memory.Scope) int64 { return since[*s] })
	at := len(f.args)
	f.args = append(f.args, column(scopes, func(s *memory.Scope) string { return string(*s) }), versions)
	return fmt.Sprintf(`unnest($%d::text[], $%d::int8[]) as l (scope, since) cross join lateral (select * from memories t
where t.tenant = $%d and t.scope = l.scope and t.version > l.since order by t.version) m`, at+1, at+2, at)
}

// indexTarget is the scan target of a page, reused for each row.
type indexTarget struct {
	row     store.IndexRow
	packed  pgtype.DriverBytes // not copied: unpacked before the next row
	columns []any
}

func (t *indexTarget) scan(rows pgx.Rows) error {
	if t.columns == nil {
		m := &t.row.Memory
		t.columns = append(memoryTargets(m), &t.row.Session, &t.packed, nullable(&t.row.UpdatedAt))
	}
	err := rows.Scan(t.columns...)
	if err == nil {
		t.row.Vector, err = unpackVector(t.packed)
	}
	return err
}

const insertCalibration = `
insert into calibrations (tenant, model, id, duplicate, cluster, loose, source, report, derived_at)
values ($1, $2, $3, $4, $5, $6, $7, $8::text::json, $9)
on conflict do nothing`

// PutCalibration implements [store.Vectors].
func (s *Store) PutCalibration(ctx context.Context, tenant memory.Tenant, c store.Calibration) error {
	report := "{}"
	if len(c.Report) > 0 {
		report = string(c.Report)
	}
	return s.write(ctx, tenant, "put calibration", insertCalibration,
		string(tenant), c.Model, c.ID, c.Duplicate, c.Cluster, c.Loose, c.Source, report, stamp(c.At))
}

// Calibration implements [store.Vectors].
func (s *Store) Calibration(ctx context.Context, tenant memory.Tenant, model string) (store.Calibration, error) {
	const query = `
select id, model, duplicate, cluster, loose, source, report::text, derived_at
from calibrations where tenant = $1 and model = $2 order by derived_at desc, id desc limit 1`
	rows, err := list(ctx, s, tenant, "read calibration", func(row pgx.CollectableRow) (c store.Calibration, err error) {
		var report string
		err = row.Scan(&c.ID, &c.Model, &c.Duplicate, &c.Cluster, &c.Loose, &c.Source, &report, nullable(&c.At))
		c.Report = []byte(report)
		return c, err
	}, query, string(tenant), model)
	if err == nil && len(rows) == 0 {
		err = fmt.Errorf("%w: calibration of %s", store.ErrNotFound, model)
	}
	return first(rows), err
}

// write runs one statement in a transaction of the tenant.
func (s *Store) write(ctx context.Context, tenant memory.Tenant, op, statement string, args ...any) error {
	tx, err := s.begin(ctx, tenant, func(b *pgx.Batch) {
		b.Queue(statement, args...)
		b.Queue("commit")
	})
	if err != nil {
		return mapError(op, err)
	}
	tx.end()
	return nil
}

func packVector(v []float32) []byte {
	b := make([]byte, 0, 4*len(v))
	for _, x := range v {
		b = binary.LittleEndian.AppendUint32(b, math.Float32bits(x))
	}
	return b
}

func unpackVector(b []byte) ([]float32, error) {
	if len(b) == 0 {
		return nil, nil
	}
	if len(b)%4 != 0 {
		return nil, fmt.Errorf("%w: a vector of %d bytes", store.ErrInvalid, len(b))
	}
	v := make([]float32, len(b)/4)
	for i := range v {
		v[i] = math.Float32frombits(binary.LittleEndian.Uint32(b[4*i:]))
	}
	return v, nil
}
