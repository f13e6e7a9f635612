package postgres

import (
	"encoding/json"
	"fmt"
	"strings"

	"github.com/winnowhq/winnow/services/internal/store"
)

// arrayLiteral returns items as a text[] literal. unnest flattens arrays of
// arrays, so a column of arrays is sent as text and cast row by row.
func arrayLiteral[S ~string](items []S) string {
	if len(items) == 0 {
		return "{}"
	}
	var b strings.Builder
	b.WriteByte('{')
	for i, item := range items {
		if i > 0 {
			b.WriteByte(',')
		}
		b.WriteByte('"')
		for j := range len(item) {
			if c := item[j]; c == '"' || c == '\\' {
				b.WriteByte('\\')
			}
			b.WriteByte(item[j])
		}
		b.WriteByte('"')
	}
	b.WriteByte('}')
	return b.String()
}

// encoder marshals JSON columns and records the first error, so that columns can
// be built in one expression.
type encoder struct{ err error }

// text returns v as JSON.
func (e *encoder) text(v any) string {
	data, err := json.Marshal(v)
	if err != nil && e.err == nil {
		e.err = fmt.Errorf("%w: %w", store.ErrInvalid, err)
	}
	return string(data)
}

// orEmpty returns an empty list for nil, because JSON writes nil as null.
func orEmpty[T any](list []T) []T {
	if list == nil {
		return []T{}
	}
	return list
}

// raw returns JSON unchanged; empty becomes an empty object.
func (e *encoder) raw(data json.RawMessage) string {
	if len(data) == 0 {
		return "{}"
	}
	return string(data)
}
