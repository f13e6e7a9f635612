package wire

import (
	"bytes"
	"strings"
	"testing"

	"github.com/jackc/pgx/v5/pgtype"
)

// What the codecs write is what the driver writes.
func TestArraysAreTheDriversBytes(t *testing.T) {
	t.Parallel()
	ours, drivers := pgtype.NewMap(), pgtype.NewMap()
	Register(ours)
	for oid, values := range map[uint32][]any{
		pgtype.TextArrayOID: {
			[]string{"a", "", "zwölf", strings.Repeat("x", 5000)}, []string{}, []string(nil), []*string{nil}, [][]byte{[]byte("x")},
		},
		pgtype.ByteaArrayOID: {[][]byte{{1, 2}, {}, nil, {3}}, [][]byte{}, [][]byte(nil)},
		pgtype.TextOID:       {"text", []byte("bytes")},
	} {
		for _, v := range values {
			for _, format := range []int16{pgtype.BinaryFormatCode, pgtype.TextFormatCode} {
				got, err := ours.Encode(oid, format, v, []byte("before"))
				want, wantErr := drivers.Encode(oid, format, v, []byte("before"))
				if !bytes.Equal(got, want) || (got == nil) != (want == nil) || (err == nil) != (wantErr == nil) {
					t.Errorf("%d %v of %T: %q %v, want %q %v", oid, v, v, got, err, want, wantErr)
				}
			}
		}
	}
	got, err := ours.Encode(pgtype.TextOID, pgtype.TextFormatCode, reserving{"tenant", 9000}, nil)
	if err != nil || string(got) != "tenant" || cap(got) < 9000 {
		t.Errorf("%q of capacity %d, %v", got, cap(got), err)
	}
}
