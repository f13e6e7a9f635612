package postgres

import (
	"fmt"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgtype"

	"github.com/winnowhq/winnow/services/internal/memory"
)

// table describes the columns of a table, each named once. The insert, the select
// list and the scan targets follow from the description, in one order.
type table[R any] struct {
	// insert adds rows by unnest with a parameter for each column, so a batch of
	// any size is one statement for each table. PostgreSQL refuses COPY under row
	// security. $1 is the tenant; see [table.values].
	insert string
	// columns is the select list, under the table's alias.
	columns string
	fields  []field[R]
}

// field is a column of a table.
type field[R any] struct {
	name  string
	array string // type of the parameter, such as int2[]
	cast  string // from an element to the column, such as ::json; empty for none
	// write returns the parameter; nil for a column without a parameter.
	write func(w *writer, rows []R) any
	// read returns the scan target; nil for a column that rows do not have.
	read func(*R) any
}

func newTable[R any](name, alias string, fields []field[R]) table[R] {
	var names, values, elements, parameters, columns []string
	for _, f := range fields {
		if f.write != nil {
			names, values = append(names, f.name), append(values, f.name+f.cast)
			elements = append(elements, f.name)
			parameters = append(parameters, fmt.Sprintf("$%d::%s", len(parameters)+2, f.array))
		}
		if f.read != nil {
			columns = append(columns, alias+"."+f.name)
		}
	}
	list := func(of []string) string { return strings.Join(of, ", ") }
	return table[R]{
		insert: fmt.Sprintf("\ninsert into %s (tenant, %s)\nselect $1, %s\nfrom unnest(%s)\nas r (%s)",
			name, list(names), list(values), list(parameters), list(elements)),
		columns: list(columns),
		fields:  fields,
	}
}

// values returns the parameters of the insert.
func (t table[R]) values(w *writer, rows []R) []any {
	values := []any{string(w.tenant)}
	for _, f := range t.fields {
		if f.write != nil {
			values = append(values, f.write(w, rows))
		}
	}
	return values
}

// targets returns the scan targets of the select list.
func (t table[R]) targets(r *R) []any {
	targets := make([]any, 0, len(t.fields))
	for _, f := range t.fields {
		if f.read != nil {
			targets = append(targets, f.read(r))
		}
	}
	return targets
}

func (t table[R]) scan(row pgx.CollectableRow) (r R, err error) {
	err = row.Scan(t.targets(&r)...)
	return r, err
}

// stored returns a column with a value that is part of the row.
func stored[R, V, P any](name, array, cast string, at func(*R) *V, parameter func(V) P, target func(*V) any) field[R] {
	return field[R]{
		name: name, array: array, cast: cast,
		write: func(_ *writer, rows []R) any { return column(rows, func(r *R) P { return parameter(*at(r)) }) },
		read:  func(r *R) any { return target(at(r)) },
	}
}

func itself[V any](v *V) any { return v }

// tenantOf returns the tenant's column. The insert writes the tenant by the
// statement's first parameter.
func tenantOf[R any](at func(*R) *memory.Tenant) field[R] {
	return field[R]{name: "tenant", read: func(r *R) any { return at(r) }}
}

// versionOf returns the column of the version that the commit gives the row's
// scope. at is nil for rows without a version.
func versionOf[R any](scope func(*R) memory.Scope, at func(*R) *int64) field[R] {
	f := field[R]{name: "version", array: "int8[]", write: func(w *writer, rows []R) any {
		return column(rows, func(r *R) int64 { return w.versions[scope(r)] })
	}}
	if at != nil {
		f.read = func(r *R) any { return at(r) }
	}
	return f
}

func textOf[R any, S ~string](name string, at func(*R) *S) field[R] {
	return stored(name, "text[]", "", at, func(s S) string { return string(s) }, itself[S])
}

func wordsOf[R any](name string, at func(*R) *[]string) field[R] {
	return stored(name, "text[]", "::text[]", at, arrayLiteral, itself[[]string])
}

func timeOf[R any](name string, at func(*R) *time.Time) field[R] {
	return stored(name, "timestamptz[]", "", at, stamp, func(t *time.Time) any { return nullable(t) })
}

func originOf[R any](name string, at func(*R) *memory.Origin) field[R] {
	return stored(name, "int2[]", "", at, func(o memory.Origin) int16 { return int16(o) }, func(o *memory.Origin) any { return (*origin)(o) })
}

func int2Of[R any](name string, at func(*R) *int) field[R] {
	return stored(name, "int2[]", "", at, func(n int) int16 { return int16(n) }, itself[int])
}

func int4Of[R any](name string, at func(*R) *int) field[R] {
	return stored(name, "int4[]", "", at, func(n int) int32 { return int32(n) }, itself[int])
}

func int8Of[R any](name string, at func(*R) *int64) field[R] {
	return stored(name, "int8[]", "", at, func(n int64) int64 { return n }, itself[int64])
}

func floatOf[R any](name string, at func(*R) *float64) field[R] {
	return stored(name, "float8[]", "", at, func(x float64) float64 { return x }, itself[float64])
}

func boolOf[R any](name string, at func(*R) *bool) field[R] {
	return stored(name, "bool[]", "", at, func(b bool) bool { return b }, itself[bool])
}

// jsonOf returns a column of JSON. text returns the JSON of a row, read the scan
// target.
func jsonOf[R any](name string, text func(*writer, *R) string, read func(*R) any) field[R] {
	return field[R]{name: name, array: "text[]", cast: "::json", read: read, write: func(w *writer, rows []R) any {
		return column(rows, func(r *R) string { return text(w, r) })
	}}
}

// origin scans the stored number of a memory.Origin. pgx would otherwise use the
// text form of memory.Origin.
type origin memory.Origin

// ScanInt64 implements [pgtype.Int64Scanner].
func (o *origin) ScanInt64(v pgtype.Int8) error {
	*o = origin(v.Int64)
	return nil
}

// nullTime scans null as the zero time, and any other time in UTC.
type nullTime struct{ at *time.Time }

func nullable(at *time.Time) *nullTime { return &nullTime{at} }

// ScanTimestamptz implements [pgtype.TimestamptzScanner].
func (n *nullTime) ScanTimestamptz(v pgtype.Timestamptz) error {
	*n.at = time.Time{}
	if v.Valid {
		*n.at = v.Time.UTC()
	}
	return nil
}
