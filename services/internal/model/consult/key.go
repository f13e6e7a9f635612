package consult

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"strings"

	"github.com/winnowhq/winnow/services/internal/memory"
)

// keyOf is what makes a question the same one: who asks which model in which
// words about what. The text is not part of it: what it is made of follows from
// these, and a repeat must find its call whatever its text says of the time.
func keyOf(tenant memory.Tenant, model string, r Request) string {
	h := sha256.New()
	for _, part := range []string{string(tenant), r.Purpose, model, r.Prompt, r.Subject} {
		fmt.Fprintf(h, "%d %s", len(part), part)
	}
	return r.Purpose + "-" + hex.EncodeToString(h.Sum(nil))[:32]
}

// storable is a text that a database takes.
func storable(text string) string {
	return strings.ReplaceAll(strings.ToValidUTF8(text, "�"), "\x00", "")
}
