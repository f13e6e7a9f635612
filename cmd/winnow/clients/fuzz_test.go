package clients

import (
	"bytes"
	"errors"
	"testing"
)

// For any file, an edit is refused or adds the entry, is idempotent, and removes
// no text.
func FuzzEdit(f *testing.F) {
	for _, text := range []string{
		"", "{}", "{,}", `{"a":[1,{"b":"}"},],}`, "{\"mcpServers\":{\"x\":1 // c\n}}", `{"mcpServers":{"winnow":{"command":"x","env":{}}}}`,
		"\uFEFF{ /* a */ }", `{"mcpServers":null}`, "a = 1\n[mcp_servers.winnow]\nargs = [\n]\n", "[mcp_servers]\n", "[[a]]\nb = '''\n[mcp_servers.winnow]\n'''\n",
	} {
		f.Add([]byte(text))
	}
	server := Server{Command: "C:\\a&b \"c\"/winnow", Args: []string{"mcp", "--url", "https://x"}}
	f.Fuzz(func(t *testing.T, text []byte) {
		for _, c := range clients {
			once, err := c.edit(text, server)
			if err != nil {
				continue
			}
			twice, err := c.edit(once, server)
			if err != nil || !bytes.Equal(once, twice) {
				t.Errorf("%s: %q, then %q, %v", c.name, once, twice, err)
			}
			if bare, err := c.without(once, nil); err == nil {
				if e, err := c.entry(bare); !errors.Is(err, ErrNone) {
					t.Errorf("%s: %q without the entry is %q, which has %+v, %v", c.name, once, bare, e, err)
				}
			}
			for _, comment := range bytes.SplitAfter(text, []byte("\n")) {
				if i := bytes.Index(comment, []byte("// keep")); i >= 0 && !bytes.Contains(once, comment[i:]) {
					t.Errorf("%s: %q lost %q", c.name, once, comment[i:])
				}
			}
		}
	})
}
