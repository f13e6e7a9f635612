package git

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"

	"github.com/go-git/go-billy/v5/osfs"
	"github.com/go-git/go-git/v5"
	"github.com/go-git/go-git/v5/plumbing"
	"github.com/go-git/go-git/v5/plumbing/format/index"

	"github.com/winnowhq/winnow/services/internal/vault"
)

// inspectDir checks that a folder is a repository before any of its content is
// trusted.
func inspectDir(dir string) error {
	own, err := os.Lstat(filepath.Join(dir, gitDir))
	switch {
	case err == nil && own.IsDir():
		return nil
	case err == nil:
		return problem(dir, vault.ErrUnsupported, "its .git is a file or a link; give the vault a folder and a repository of its own")
	case !errors.Is(err, os.ErrNotExist):
		return explain(dir, err)
	}
	// A bare repository has its files in the place of the work tree.
	_, noHead := os.Lstat(filepath.Join(dir, "HEAD"))
	_, noObjects := os.Lstat(filepath.Join(dir, "objects"))
	if noHead == nil && noObjects == nil {
		return problem(dir, vault.ErrBare, "clone it without --bare, and name the clone's parent as the vault")
	}
	return problem(dir, vault.ErrNotRepository, "move the files away, or run `git init` there and commit them")
}

// unfinished lists the files of git operations in progress, during which no
// commit is possible.
var unfinished = []struct{ file, name, remedy string }{
	{"MERGE_HEAD", "merge", "finish it with `git merge --continue` or drop it with `git merge --abort`"},
	{"rebase-merge", "rebase", "finish it with `git rebase --continue` or drop it with `git rebase --abort`"},
	{"rebase-apply", "rebase", "finish it with `git rebase --continue` or drop it with `git rebase --abort`"},
	{"CHERRY_PICK_HEAD", "cherry-pick", "finish it with `git cherry-pick --continue` or drop it with `git cherry-pick --abort`"},
	{"REVERT_HEAD", "revert", "finish it with `git revert --continue` or drop it with `git revert --abort`"},
}

// inspect returns a *Problem when the repository cannot accept a commit.
func (s *session) inspect() error {
	repo, err := git.Open(s.store, osfs.New(s.dir))
	if err != nil {
		return problem(s.dir, fmt.Errorf("%w: %w", vault.ErrUnsupported, err), "the vault wants a plain SHA-1 repository; start it in an empty folder")
	}
	config, err := repo.Config()
	if err != nil {
		return problem(s.dir, fmt.Errorf("%w: %w", vault.ErrUnsupported, err), "mend .git/config")
	}
	if config.Core.IsBare {
		return problem(s.dir, vault.ErrBare, "give it a work tree: `git config core.bare false && git reset`")
	}
	for _, u := range unfinished {
		if _, err := s.root.Lstat(gitDir + "/" + u.file); err == nil {
			return problem(s.dir, fmt.Errorf("%w: %s", vault.ErrUnfinished, u.name), u.remedy)
		}
	}
	if _, err := s.head(); err != nil {
		return err
	}
	return nil
}

// readIndex reads git's index, which must be in a writable format and without
// conflicts. Reading the index is the slowest check of a large vault.
func (s *session) readIndex() (*index.Index, error) {
	files, err := s.store.Index()
	if err != nil {
		return nil, problem(s.dir, fmt.Errorf("%w: index: %w", vault.ErrUnsupported, err), "remove .git/index, then `git config core.splitIndex false && git reset`")
	}
	unmerged := slices.IndexFunc(files.Entries, func(e *index.Entry) bool { return e.Stage != 0 })
	if unmerged >= 0 {
		return nil, problem(filepath.Join(s.dir, files.Entries[unmerged].Name), fmt.Errorf("%w: conflict", vault.ErrUnfinished), "resolve it, then `git add` the file")
	}
	return files, nil
}

// tip is the head commit of the branch that HEAD names.
type tip struct {
	branch plumbing.ReferenceName
	commit plumbing.Hash // zero: the branch has no commit yet
}

// head returns the tip; HEAD must name a branch.
func (s *session) head() (tip, error) {
	head, err := s.store.Reference(plumbing.HEAD)
	if err != nil {
		return tip{}, problem(s.dir, fmt.Errorf("%w: HEAD: %w", vault.ErrUnsupported, err), "`git fsck` tells what is wrong")
	}
	if head.Type() != plumbing.SymbolicReference || !head.Target().IsBranch() {
		return tip{}, problem(s.dir, vault.ErrDetached, "check out a branch: `git switch main`")
	}
	ref, err := s.store.Reference(head.Target())
	if errors.Is(err, plumbing.ErrReferenceNotFound) {
		return tip{branch: head.Target()}, nil
	}
	if err != nil {
		return tip{}, fmt.Errorf("read %s: %w", head.Target(), err)
	}
	if ref.Type() != plumbing.HashReference {
		return tip{}, problem(s.dir, fmt.Errorf("%w: %s is symbolic", vault.ErrUnsupported, head.Target()), "check out the branch it names")
	}
	return tip{branch: head.Target(), commit: ref.Hash()}, nil
}
