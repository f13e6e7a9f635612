package git

import (
	"encoding/hex"
	"fmt"
	"path"
	"slices"
	"strings"

	"github.com/winnowhq/winnow/services/internal/memory"
	"github.com/winnowhq/winnow/services/internal/vault"
)

// maxName is the longest name of one folder. File systems allow 255 bytes.
const maxName = 200

// EncodeID writes an id as a relative path that is safe on every file system.
//
// Lower-case letters, digits and `_@+-.` are unchanged. Every other byte becomes
// %xx with lower-case digits. Capitals are escaped because some file systems
// ignore case, and slashes because a scope's folder must not be inside
// another's. Also escaped are a leading dot or dash (`..`, `.git`, `-rf`), a
// trailing dot, and the first letter of names that Windows reserves. A name
// longer than 200 bytes continues in a folder inside, which a trailing % marks.
func EncodeID(id string) string {
	var name strings.Builder
	reserved := isReserved(id)
	for i := range len(id) {
		c := id[i]
		edge := i == 0 && (c == '.' || c == '-' || reserved) || i == len(id)-1 && c == '.'
		if plainByte(c) && !edge {
			name.WriteByte(c)
		} else {
			fmt.Fprintf(&name, "%%%02x", c)
		}
	}
	return split(name.String())
}

// split divides a long name into folders. Each folder except the first begins
// with an escape, and therefore never with a dot, a dash or a reserved name. Ids
// are short enough for every 200 bytes to contain an escape.
func split(name string) string {
	var parts []string
	for len(name) > maxName {
		cut := strings.LastIndexByte(name[:maxName], '%')
		if cut <= 0 {
			cut = maxName
		}
		parts = append(parts, name[:cut]+"%")
		name = name[cut:]
	}
	return path.Join(append(parts, name)...)
}

// DecodeID is the reverse of EncodeID. A path that EncodeID does not create is
// an error, so that a person's folder is never mistaken for a scope.
func DecodeID(name string) (string, error) {
	var id []byte
	joined := strings.ReplaceAll(name, "%/", "")
	for i := 0; i < len(joined); i++ {
		if joined[i] != '%' {
			id = append(id, joined[i])
			continue
		}
		if i+3 > len(joined) {
			return "", fmt.Errorf("folder %q: %w", name, vault.ErrPath)
		}
		b, err := hex.DecodeString(joined[i+1 : i+3])
		if err != nil {
			return "", fmt.Errorf("folder %q: %w", name, vault.ErrPath)
		}
		id, i = append(id, b...), i+2
	}
	if len(id) == 0 || EncodeID(string(id)) != name {
		return "", fmt.Errorf("folder %q: %w", name, vault.ErrPath)
	}
	return string(id), nil
}

func plainByte(c byte) bool {
	return c >= 'a' && c <= 'z' || c >= '0' && c <= '9' || strings.IndexByte("._@+-", c) >= 0
}

// isReserved reports whether Windows reserves the name for a device, with any
// extension. Capitals are escaped anyway.
func isReserved(id string) bool {
	base, _, _ := strings.Cut(id, ".")
	if slices.Contains([]string{"con", "prn", "aux", "nul"}, base) {
		return true
	}
	return len(base) == 4 && (base[:3] == "com" || base[:3] == "lpt") && base[3] >= '0' && base[3] <= '9'
}

// scopeDir returns a scope's folder, relative to the vault's.
func scopeDir(scope memory.Scope) string {
	return path.Join(string(scope.Kind()), EncodeID(scope.ID()))
}

// scopeOf is the reverse of scopeDir.
func scopeOf(dir string) (memory.Scope, error) {
	kind, name, _ := strings.Cut(dir, "/")
	id, err := DecodeID(name)
	if err != nil {
		return "", err
	}
	return memory.ParseScope(kind + ":" + id)
}

// scopeKinds lists the top-level folders of a vault.
var scopeKinds = []string{
	string(memory.ScopeUser), string(memory.ScopeProject), string(memory.ScopeTeam), string(memory.ScopeOrg),
}
