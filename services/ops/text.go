package ops

import (
	"io"

	"github.com/winnowhq/winnow/services/internal/memory"
)

// Plain returns a writer to w that removes what a terminal would obey or hide: escape
// sequences and other control characters, marks that turn the direction of reading,
// and characters that carry hidden messages. Texts of strangers are printed through
// it. Each write must hold whole characters.
func Plain(w io.Writer) io.Writer { return plain{w} }

// PlainText returns a text as [Plain] would write it.
func PlainText(text string) string { return memory.Visible(text) }

type plain struct{ to io.Writer }

// Write implements [io.Writer].
func (p plain) Write(b []byte) (int, error) {
	if _, err := io.WriteString(p.to, memory.Visible(string(b))); err != nil {
		return 0, err
	}
	return len(b), nil
}
