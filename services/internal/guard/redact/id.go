package redact

import (
	"crypto/sha256"
	"encoding/hex"
)

// ID returns an id that a publisher chose, such as an event's or a request's, in the form
// that may be stored, logged and told: itself, or a hash where it holds a secret. Equal
// ids stay equal in every process, whatever its key, so that a repeat is still known; the
// same rule cannot be a keyed tag, since without a common key each process has its own.
func (r *Redactor) ID(id string) string {
	if _, found := r.Text("", id); len(found) == 0 {
		return id
	}
	sum := sha256.Sum256([]byte("winnow/id/v1\x00" + id))
	return "hidden-" + hex.EncodeToString(sum[:16])
}
