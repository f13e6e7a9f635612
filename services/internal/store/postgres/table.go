package postgres

import (
	"fmt"
	"strings"
	"time"

	"github.com/jackc/pgx/v5"

	"github.com/winnowhq/winnow/services/internal/memory"
)

// table says how the rows of a table are written and read. Each column is named
// once; the insert, the select list and what it is scanned into follow, in one
// order.
type table[R any] struct {
	// insert adds rows by unnest, a parameter for each column: one statement for
	// each table and batch whatever its size, and COPY is refused under row
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
	cast  string // from its elements to the column, such as ::json; empty for none
	// write makes the parameter; nil for a column that is not inserted by rows.
	write func(w *writer, rows []R) any
	// read is what the column is scanned into; nil for a column that no row has.
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

// values are the parameters of the insert.
func (t table[R]) values(w *writer, rows []R) []any {
	values := []any{string(w.tenant)}
	for _, f := range t.fields {
		if f.write != nil {
			values = append(values, f.write(w, rows))
		}
	}
	return values
}

// targets are what the select list is scanned into.
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

// stored is a column whose value is a part of the row.
func stored[R, V, P any](name, array, cast string, at func(*R) *V, parameter func(V) P, target func(*V) any) field[R] {
	return field[R]{
		name: name, array: array, cast: cast,
		write: func(_ *writer, rows []R) any { return column(rows, func(r *R) P { return parameter(*at(r)) }) },
		read:  func(r *R) any { return target(at(r)) },
	}
}

func itself[V any](v *V) any { return v }

// tenantOf is read, and written as the statement's first parameter.
func tenantOf[R any](at func(*R) *memory.Tenant) field[R] {
	return field[R]{name: "tenant", read: func(r *R) any { return at(r) }}
}

// versionOf is the version that the commit gives the row's scope. at is nil where
// no row has it.
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

// jsonOf is a column of JSON; text makes it, read says what it is scanned into.
func jsonOf[R any](name string, text func(*writer, *R) string, read func(*R) any) field[R] {
	return field[R]{name: name, array: "text[]", cast: "::json", read: read, write: func(w *writer, rows []R) any {
		return column(rows, func(r *R) string { return text(w, r) })
	}}
}
