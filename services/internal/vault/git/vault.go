package git

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"sync"
	"time"

	"github.com/go-git/go-billy/v5/osfs"
	"github.com/go-git/go-git/v5"
	"github.com/go-git/go-git/v5/plumbing"
	"github.com/go-git/go-git/v5/plumbing/cache"
	"github.com/go-git/go-git/v5/plumbing/object"
	"github.com/go-git/go-git/v5/storage/filesystem"
	"github.com/hashicorp/golang-lru/v2/simplelru"

	"github.com/winnowhq/winnow/services/internal/filelock"
	"github.com/winnowhq/winnow/services/internal/memory"
	"github.com/winnowhq/winnow/services/internal/vault"
)

const (
	gitDir = ".git"
	// ownDir contains the journal, the lock and temporary files. The folder is
	// inside the repository's own folder: on the same file system, and invisible
	// to git.
	ownDir   = ".git/winnow"
	lockName = ownDir + "/lock"
	// lockTimeout bounds the time for which Open waits for an active writer.
	// After the timeout that writer does the recovery. The timeout exceeds the
	// time for which a starting child process still has this process's lock.
	lockTimeout = 250 * time.Millisecond
	// objectCache bounds the cached objects, in bytes.
	objectCache = 16 << 20
)

// Options configures a new vault. The zero value is the default.
type Options struct {
	// Branch of a new repository; "main" when empty. An existing repository
	// stays on the branch of its HEAD.
	Branch string
}

var _ vault.Vault = (*Vault)(nil)

// Vault is a tenant's repository. Its methods read committed files and take no
// lock. They may be called from several goroutines and concurrently with a
// writer of any process.
type Vault struct {
	dir   string
	cache cache.Object // objects never change, so all sessions share the cache

	owned ownedFiles

	mu      sync.Mutex
	history *history

	// step is called between the steps of a write; tests stop the write there.
	step func(name string) error
}

// Open opens a tenant's vault below root, and creates the vault when its folder
// is missing or empty. Open recovers an unfinished write unless another writer
// is active. Errors that a person can repair are *Problem.
func Open(root string, tenant memory.Tenant, options Options) (*Vault, error) {
	if tenant == "" || len(tenant) > memory.MaxScopeID {
		return nil, fmt.Errorf("open vault: tenant has %d bytes, want 1 to %d", len(tenant), memory.MaxScopeID)
	}
	root, err := filepath.Abs(root)
	if err != nil {
		return nil, fmt.Errorf("open vault: %w", err)
	}
	v := &Vault{
		dir:   filepath.Join(root, filepath.FromSlash(EncodeID(string(tenant)))),
		cache: cache.NewObjectLRU(objectCache),
		owned: newOwnedFiles(),
		step:  func(string) error { return nil },
	}
	if err := v.prepare(root, options); err != nil {
		return nil, fmt.Errorf("open vault: %w", err)
	}
	waiting, cancel := context.WithTimeout(context.Background(), lockTimeout)
	defer cancel()
	lock, err := filelock.Acquire(waiting, filepath.Join(v.dir, lockName))
	if errors.Is(err, filelock.ErrHeld) {
		return v, nil // the lock holder recovers the write
	}
	if err != nil {
		return nil, fmt.Errorf("open vault: %w", explain(v.dir, err))
	}
	defer lock.Release()
	if err := v.with((*session).recover); err != nil {
		return nil, fmt.Errorf("open vault: %w", err)
	}
	return v, nil
}

// Dir returns the vault's folder, for messages and for people's own git.
func (v *Vault) Dir() string { return v.dir }

// prepare ensures that a writable repository exists.
func (v *Vault) prepare(root string, options Options) error {
	if err := os.MkdirAll(v.dir, 0o700); err != nil {
		return explain(v.dir, err)
	}
	entries, err := os.ReadDir(v.dir)
	if err != nil {
		return explain(v.dir, err)
	}
	if len(entries) == 0 {
		if err := create(root, v.dir, options.Branch); err != nil {
			return explain(v.dir, err)
		}
	}
	if err := inspectDir(v.dir); err != nil {
		return err
	}
	// Checked before anything is written into an unsuitable repository.
	err = v.with(func(s *session) error {
		if err := s.inspect(); err != nil {
			return err
		}
		_, err := s.readIndex()
		return err
	})
	if err != nil {
		return err
	}
	return explain(v.dir, os.MkdirAll(filepath.Join(v.dir, ownDir), 0o700))
}

// create creates the repository in a temporary folder and renames that folder.
// An interrupted creation is therefore never visible, and one of two concurrent
// creations succeeds.
func create(root, dir, branch string) error {
	if branch == "" {
		branch = "main"
	}
	draft, err := os.MkdirTemp(root, ".new-*")
	if err != nil {
		return err
	}
	defer os.RemoveAll(draft)
	repo, err := git.PlainInitWithOptions(draft, &git.PlainInitOptions{
		InitOptions: git.InitOptions{DefaultBranch: plumbing.NewBranchReferenceName(branch)},
	})
	if err != nil {
		return fmt.Errorf("create repository: %w", err)
	}
	config, err := repo.Config()
	if err != nil {
		return fmt.Errorf("create repository: %w", err)
	}
	// Files are stored byte for byte without translating line endings, and a
	// changed mode is not an edit.
	core := config.Raw.Section("core")
	core.SetOption("autocrlf", "false")
	core.SetOption("filemode", "false")
	if err := repo.Storer.SetConfig(config); err != nil {
		return fmt.Errorf("create repository: %w", err)
	}
	err = os.Rename(filepath.Join(draft, gitDir), filepath.Join(dir, gitDir))
	if _, there := os.Lstat(filepath.Join(dir, gitDir)); there == nil {
		return nil
	}
	return err
}

// session is one operation's view of the repository. Each operation opens a new
// session, because people may pack, switch or replace the files below.
type session struct {
	dir   string
	root  *os.Root
	store *filesystem.Storage
	trees *simplelru.LRU[plumbing.Hash, []object.TreeEntry] // cached trees
	roots map[plumbing.Hash]plumbing.Hash                   // cached root trees of commits
	known ownedFiles
	step  func(name string) error
}

func (v *Vault) open() (*session, error) {
	root, err := os.OpenRoot(v.dir)
	if err != nil {
		return nil, explain(v.dir, err)
	}
	store := filesystem.NewStorage(osfs.New(filepath.Join(v.dir, gitDir)), v.cache)
	trees, _ := simplelru.NewLRU[plumbing.Hash, []object.TreeEntry](maxTrees, nil) // fails only for a size below one
	return &session{dir: v.dir, root: root, store: store, trees: trees, roots: map[plumbing.Hash]plumbing.Hash{}, known: v.owned, step: v.step}, nil
}

// with runs f in a session of its own.
func (v *Vault) with(f func(*session) error) error {
	s, err := v.open()
	if err != nil {
		return err
	}
	defer s.root.Close()
	return f(s)
}
