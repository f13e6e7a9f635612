package transcript

import (
	"crypto/sha256"
	"encoding/binary"
	"encoding/hex"
	"hash"
	"io"

	"github.com/winnowhq/winnow/services/internal/guard/redact"
)

// digest hashes what makes two sessions the same: who said, called and answered
// what, in order. Times, ids and origins are not hashed. Neither is which
// secret a placeholder stands for, so that the hash cannot be used to test
// candidates for a secret.
type digest struct{ h hash.Hash }

func newDigest() digest {
	h := sha256.New()
	_, _ = io.WriteString(h, "winnow/session/v1\n") // a hash never fails
	return digest{h: h}
}

func (d digest) add(l Line) {
	for _, field := range []string{string(l.Role), redact.Untagged(l.Tool.Name), redact.Untagged(l.Text)} {
		var size [8]byte
		binary.BigEndian.PutUint64(size[:], uint64(len(field)))
		_, _ = d.h.Write(size[:])
		_, _ = io.WriteString(d.h, field)
	}
	failed := byte(0)
	if l.Error {
		failed = 1
	}
	_, _ = d.h.Write([]byte{failed})
}

func (d digest) String() string { return hex.EncodeToString(d.h.Sum(nil)) }
