package wire

import (
	"encoding/binary"
	"slices"

	"github.com/jackc/pgx/v5"
	"github.com/jackc/pgx/v5/pgtype"
)

// Register makes a connection encode []string and [][]byte by [arrayCodec].
func Register(m *pgtype.Map) {
	for oid, element := range map[uint32]uint32{pgtype.TextArrayOID: pgtype.TextOID, pgtype.ByteaArrayOID: pgtype.ByteaOID} {
		if t, ok := m.TypeForOID(oid); ok {
			if codec, ok := t.Codec.(*pgtype.ArrayCodec); ok {
				m.RegisterType(&pgtype.Type{Name: t.Name, OID: oid, Codec: arrayCodec{codec, element}})
			}
		}
	}
	if t, ok := m.TypeForOID(pgtype.TextOID); ok {
		m.RegisterType(&pgtype.Type{Name: t.Name, OID: pgtype.TextOID, Codec: textCodec{t.Codec}})
	}
}

// arrayCodec encodes arrays of strings in the binary format; all else is the driver's.
type arrayCodec struct {
	*pgtype.ArrayCodec
	element uint32 // OID
}

// PlanEncode implements [pgtype.Codec].
func (c arrayCodec) PlanEncode(m *pgtype.Map, oid uint32, format int16, value any) pgtype.EncodePlan {
	if format == pgtype.BinaryFormatCode {
		switch value.(type) {
		case []string:
			return arrayPlan[string]{c.element}
		case [][]byte:
			if c.element == pgtype.ByteaOID { // in an array of text, the driver decides
				return arrayPlan[[]byte]{c.element}
			}
		}
	}
	return c.ArrayCodec.PlanEncode(m, oid, format, value)
}

type arrayPlan[T string | []byte] struct{ element uint32 }

// Encode implements [pgtype.EncodePlan]: the header of one dimension, then each element
// with its length before it. A nil array is null.
func (p arrayPlan[T]) Encode(value any, buf []byte) ([]byte, error) {
	list, _ := value.([]T)
	if list == nil {
		return nil, nil
	}
	buf = slices.Grow(buf, arrayBytes(list))
	buf = append(buf, 0, 0, 0, 1, 0, 0, 0, 0) // one dimension
	nulls := len(buf) - 1
	buf = binary.BigEndian.AppendUint32(buf, p.element)
	buf = binary.BigEndian.AppendUint32(buf, uint32(len(list)))
	buf = append(buf, 0, 0, 0, 1) // the first index
	for _, v := range list {
		if isNull(v) {
			buf[nulls] = 1
			buf = append(buf, 0xff, 0xff, 0xff, 0xff)
			continue
		}
		buf = binary.BigEndian.AppendUint32(buf, uint32(len(v)))
		buf = append(buf, v...)
	}
	return buf, nil
}

// isNull reports whether an element is a nil slice of bytes.
func isNull[T string | []byte](v T) bool {
	b, ok := any(v).([]byte)
	return ok && b == nil
}

// arrayBytes returns the length of an encoded array.
func arrayBytes[T string | []byte](list []T) int {
	n := 20
	for _, v := range list {
		n += 4 + len(v)
	}
	return n
}

// reserving is a text parameter that makes room in the driver's buffer for all
// parameters of its statement.
type reserving struct {
	text  string
	bytes int
}

// textCodec encodes [reserving]; all else is the driver's.
type textCodec struct{ pgtype.Codec }

// PlanEncode implements [pgtype.Codec]. Text has one form in both formats.
func (c textCodec) PlanEncode(m *pgtype.Map, oid uint32, format int16, value any) pgtype.EncodePlan {
	if _, ok := value.(reserving); ok {
		return reservingPlan{}
	}
	return c.Codec.PlanEncode(m, oid, format, value)
}

type reservingPlan struct{}

// Encode implements [pgtype.EncodePlan].
func (reservingPlan) Encode(value any, buf []byte) ([]byte, error) {
	r, _ := value.(reserving)
	return append(slices.Grow(buf, r.bytes), r.text...), nil
}

// room is a message to the server of no bytes that makes room for those that follow.
type room int

// Frontend implements pgproto3.FrontendMessage.
func (room) Frontend() {}

// Decode implements pgproto3.FrontendMessage.
func (room) Decode([]byte) error { return nil }

// Encode implements pgproto3.FrontendMessage.
func (r room) Encode(buf []byte) ([]byte, error) { return slices.Grow(buf, int(r)), nil }

// smallest is the size of a statement's parameters from which room is made for them.
const smallest = 4096

// MakeRoom prepares a batch and its connection for the batch's parameters.
func MakeRoom(conn *pgx.Conn, b *pgx.Batch) {
	all := 0
	for _, q := range b.QueuedQueries {
		n := 0
		for _, a := range q.Arguments {
			n += argumentBytes(a)
		}
		all += n + 64
		if n < smallest {
			continue
		}
		if first, ok := q.Arguments[0].(string); ok {
			q.Arguments[0] = reserving{first, n}
		}
	}
	if all >= smallest {
		conn.PgConn().Frontend().Send(room(all))
	}
}

// argumentBytes estimates the length of an encoded parameter.
func argumentBytes(a any) int {
	switch a := a.(type) {
	case string:
		return len(a) + 8
	case []string:
		return arrayBytes(a)
	case [][]byte:
		return arrayBytes(a)
	case []int16:
		return 20 + 6*len(a)
	case []int32:
		return 20 + 8*len(a)
	case []int64:
		return 20 + 12*len(a)
	case []float64:
		return 20 + 12*len(a)
	case []pgtype.Timestamptz:
		return 20 + 12*len(a)
	}
	return 32
}
