package git

import (
	"fmt"
	"maps"
	"path"
	"path/filepath"
	"slices"

	"github.com/winnowhq/winnow/services/internal/memory"
)

// Path returns a scope's folder on disk, which may not exist.
func (v *Vault) Path(scope memory.Scope) string {
	return filepath.Join(v.dir, filepath.FromSlash(scopeDir(scope)))
}

// Changed lists, sorted, the vault's files of a scope that differ on disk from
// the committed ones. Changed takes no lock and writes nothing, so the list may
// contain files of a write in progress.
func (v *Vault) Changed(scope memory.Scope) (names []string, err error) {
	err = v.with(func(s *session) error {
		now, err := s.head()
		if err != nil {
			return err
		}
		root, err := s.rootOf(now.commit)
		if err != nil {
			return err
		}
		committed, err := s.filesIn(root, scope)
		if err != nil {
			return err
		}
		there, err := s.onDisk(scopeDir(scope))
		if err != nil {
			return err
		}
		for name := range committed {
			there[name] = true
		}
		for _, name := range slices.Sorted(maps.Keys(there)) {
			hash, err := s.hashOf(path.Join(scopeDir(scope), name))
			if err != nil {
				return err
			}
			if hash != committed[name] {
				names = append(names, name)
			}
		}
		return nil
	})
	if err != nil {
		return nil, fmt.Errorf("look at %s: %w", scope, err)
	}
	return names, nil
}
