package git

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path"
	"syscall"

	"github.com/go-git/go-git/v5/plumbing"
	"golang.org/x/sys/unix"

	"github.com/winnowhq/winnow/services/internal/vault"
)

// stat returns the file info of a path without following links. A missing file
// is nil. Links, and anything but folders in the path, are errors: their targets
// are not in the vault.
func (s *session) stat(name string) (os.FileInfo, error) {
	for i := range len(name) {
		if name[i] != '/' {
			continue
		}
		if info, err := s.lstat(name[:i]); info == nil || err != nil {
			return nil, err
		} else if !info.IsDir() {
			return nil, s.problem(name[:i], vault.ErrNotFile, "a file stands where a folder belongs; move it away")
		}
	}
	return s.lstat(name)
}

func (s *session) lstat(name string) (os.FileInfo, error) {
	info, err := s.root.Lstat(name)
	if errors.Is(err, os.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, explain(s.dir, err)
	}
	if info.Mode()&os.ModeSymlink != 0 {
		return nil, s.problem(name, vault.ErrSymlink, "replace the link by what it points to")
	}
	return info, nil
}

func (s *session) problem(name string, err error, remedy string) error {
	return problem(path.Join(s.dir, name), err, remedy)
}

// tooLarge is the remedy for a file that is too large.
const tooLarge = "shorten it, or move what is not memory to another file"

// read returns a file's bytes; ok is false for a missing file.
func (s *session) read(name string) (data []byte, ok bool, err error) {
	info, err := s.stat(name)
	if info == nil || err != nil {
		return nil, false, err
	}
	if !info.Mode().IsRegular() {
		return nil, false, s.problem(name, vault.ErrNotFile, "move it away")
	}
	file, err := s.root.OpenFile(name, os.O_RDONLY|syscall.O_NONBLOCK, 0)
	if errors.Is(err, os.ErrNotExist) {
		return nil, false, nil
	}
	if err != nil {
		return nil, false, fmt.Errorf("read %s: %w", name, err)
	}
	defer file.Close()
	data, err = io.ReadAll(io.LimitReader(file, vault.MaxFile+1))
	if err != nil {
		return nil, false, fmt.Errorf("read %s: %w", name, err)
	}
	if len(data) > vault.MaxFile {
		return nil, false, s.problem(name, vault.ErrTooLarge, tooLarge)
	}
	return data, true, nil
}

// hashOf returns the blob hash of a file, or the zero hash for a missing file.
func (s *session) hashOf(name string) (plumbing.Hash, error) {
	data, ok, err := s.read(name)
	if !ok || err != nil {
		return plumbing.ZeroHash, err
	}
	return plumbing.ComputeHash(plumbing.BlobObject, data), nil
}

// write creates a new file and starts writing its bytes to disk. After the next
// barrier the file and its name survive a power cut.
func (s *session) write(name string, data []byte, mode os.FileMode) error {
	if err := s.remove(name); err != nil {
		return err
	}
	file, err := s.root.OpenFile(name, os.O_WRONLY|os.O_CREATE|os.O_EXCL, mode)
	if err != nil {
		return explain(s.dir, err)
	}
	_, err = file.Write(data)
	return explain(s.dir, errors.Join(err, writeOut(file), file.Close()))
}

// barrier waits until a file is on disk. On file systems that preserve the order
// of changes, everything written before is then on disk too. Two barriers in a
// commit replace about twenty: one before the first file is exchanged, one
// before the branch moves.
func barrier(file *os.File) error {
	// Some file systems of containers do not support fsync and give no guarantee
	// anyway.
	if err := file.Sync(); !errors.Is(err, syscall.EINVAL) {
		return err
	}
	return nil
}

// remove deletes a file if it exists.
func (s *session) remove(name string) error {
	if err := s.root.Remove(name); !errors.Is(err, os.ErrNotExist) {
		return explain(s.dir, err)
	}
	return nil
}

// list returns the names in a folder, in no order.
func (s *session) list(name string) ([]string, error) {
	dir, err := s.root.Open(name)
	if err != nil {
		return nil, explain(s.dir, err)
	}
	defer dir.Close()
	names, err := dir.Readdirnames(-1)
	if err != nil {
		return nil, fmt.Errorf("list %s: %w", name, err)
	}
	return names, nil
}

// makeDir creates a folder and its parents.
func (s *session) makeDir(name string) error {
	if info, err := s.stat(name); info != nil || err != nil {
		return err
	}
	return explain(s.dir, s.root.MkdirAll(name, 0o755))
}

// exchange swaps two files atomically, so that neither is ever missing or
// overwritten. On a file system without support, a is renamed over b.
func (s *session) exchange(a, b string) error {
	err := s.swap(a, b)
	if errors.Is(err, unix.EINVAL) || errors.Is(err, unix.ENOSYS) || errors.Is(err, unix.ENOTSUP) {
		err = s.root.Rename(a, b)
	}
	return explain(s.dir, err)
}

// swap names both files relative to their open folders. A person can therefore
// not replace a folder by a link between the check and the swap.
func (s *session) swap(a, b string) error {
	from, err := s.root.Open(path.Dir(a))
	if err != nil {
		return err
	}
	defer from.Close()
	to, err := s.root.Open(path.Dir(b))
	if err != nil {
		return err
	}
	defer to.Close()
	return swapAt(int(from.Fd()), path.Base(a), int(to.Fd()), path.Base(b))
}
