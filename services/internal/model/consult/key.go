package consult

import (
	"crypto/sha256"
	"encoding/hex"
	"fmt"
	"strings"

	"github.com/winnowhq/winnow/services/internal/memory"
)

// keyOf returns the key that identifies a question: tenant, model, prompt and subject.
// The text is not part of it: it follows from these, and a repeat must find its call
// although the text may contain the time.
func keyOf(tenant memory.Tenant, model string, r Request) string {
	h := sha256.New()
	for _, part := range []string{string(tenant), r.Purpose, model, r.Prompt, r.Subject} {
		fmt.Fprintf(h, "%d %s", len(part), part)
	}
	return r.Purpose + "-" + hex.EncodeToString(h.Sum(nil))[:32]
}

// storable returns a text in a form that Postgres accepts.
func storable(text string) string {
	return strings.ReplaceAll(strings.ToValidUTF8(text, "�"), "\x00", "")
}
