package vault

import "strings"

const (
	// MemoryFile is the file of a scope that agents read at the start.
	MemoryFile = "MEMORY.md"
	// TopicsDir holds the entries that exceed the budget of MEMORY.md.
	TopicsDir = "topics"
	// MaxFile is the largest file that is read or written, in bytes. Rendered
	// files have a few hundred lines; a larger file does not belong into the
	// vault.
	MaxFile = 4 << 20
	// maxName is the longest name of a topic file, in bytes.
	maxName = 200
)

// Owned reports whether a name inside a scope's folder is one of the vault's
// files: MEMORY.md, or topics/NAME.md. NAME consists of lower-case letters,
// digits and `._-`, begins with a letter or digit and has at most 200 bytes.
func Owned(name string) bool {
	if name == MemoryFile {
		return true
	}
	topic, found := strings.CutPrefix(name, TopicsDir+"/")
	if !found || len(topic) > maxName || len(topic) <= len(".md") || !strings.HasSuffix(topic, ".md") {
		return false
	}
	for i := range len(topic) {
		c := topic[i]
		word := c >= 'a' && c <= 'z' || c >= '0' && c <= '9'
		if !word && (i == 0 || c != '.' && c != '_' && c != '-') {
			return false
		}
	}
	return true
}
