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

// stat looks at a path without following links. A missing file is nil; links,
// and anything but folders on the way, are errors: what lies behind them is not
// in the vault.
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

// tooLarge is the remedy for a file that is.
const tooLarge = "shorten it, or move what is not memory to another file"

// read returns a file's bytes; ok is false where there is none.
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

// hashOf is the blob that a file would be, or the zero hash where there is none.
func (s *session) hashOf(name string) (plumbing.Hash, error) {
	data, ok, err := s.read(name)
	if !ok || err != nil {
		return plumbing.ZeroHash, err
	}
	return plumbing.ComputeHash(plumbing.BlobObject, data), nil
}

// write makes a new file whose bytes are on their way to the disk when it
// returns. The next barrier makes them, and the file's name, survive a power cut.
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

// barrier waits until a file is on disk, and with it, on file systems that keep
// the order of changes, everything that was written before it. Two in a commit
// take the place of some twenty: one before the first file is exchanged, one
// before the branch moves.
func barrier(file *os.File) error {
	// Some file systems of containers know no fsync; they promise nothing either.
	if err := file.Sync(); !errors.Is(err, syscall.EINVAL) {
		return err
	}
	return nil
}

// remove takes a file away if it is there.
func (s *session) remove(name string) error {
	if err := s.root.Remove(name); !errors.Is(err, os.ErrNotExist) {
		return explain(s.dir, err)
	}
	return nil
}

// list names what is in a folder, in no order.
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

// makeDir makes a folder and those above it.
func (s *session) makeDir(name string) error {
	if info, err := s.stat(name); info != nil || err != nil {
		return err
	}
	return explain(s.dir, s.root.MkdirAll(name, 0o755))
}

// exchange swaps two files in one step, so that neither is ever missing or
// overwritten. Where the file system cannot, b becomes a and a is gone.
func (s *session) exchange(a, b string) error {
	err := s.swap(a, b)
	if errors.Is(err, unix.EINVAL) || errors.Is(err, unix.ENOSYS) || errors.Is(err, unix.ENOTSUP) {
		err = s.root.Rename(a, b)
	}
	return explain(s.dir, err)
}

// swap names both files by their open folders: nobody can turn a folder into a
// link between the look and the swap.
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
