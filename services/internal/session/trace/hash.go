package trace

import (
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"hash"
	"io"
)

// Digest computes the hash of a session: of what was said, called and answered,
// in order. Layout, ids and times are not hashed, because a hook and a folder
// deliver the same session with different ones.
type Digest struct{ h hash.Hash }

// NewDigest returns the digest of a session without turns.
func NewDigest() Digest {
	h := sha256.New()
	_, _ = io.WriteString(h, "winnow/trace/v1\n") // a hash never fails
	return Digest{h: h}
}

// Add adds a turn, with its cleaned text before anything is cut from it.
func (d Digest) Add(t Turn) {
	state := byte('0')
	if t.Error {
		state = '1'
	}
	for _, field := range []string{string(t.Role), t.Tool.Name, t.Text} {
		var size [8]byte
		binary.BigEndian.PutUint64(size[:], uint64(len(field)))
		_, _ = d.h.Write(size[:])
		_, _ = io.WriteString(d.h, field)
	}
	_, _ = d.h.Write([]byte{state})
}

func (d Digest) String() string { return hex.EncodeToString(d.h.Sum(nil)) }
