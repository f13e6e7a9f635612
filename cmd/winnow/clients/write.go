package clients

import (
	"bytes"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
)

// backupEnding is added to the name of a file for its copy from before an installation.
const backupEnding = ".before-winnow"

// ErrChanged says that another program wrote the file meanwhile.
var ErrChanged = errors.New("the file has just been changed by another program; run it again")

// Write executes the plan, and does nothing when the entry exists. A copy of the
// previous file stays beside it. The file is replaced atomically, so that no
// reader sees a partial file. Write follows a link, because many people store
// such files in a repository of their own.
func (p *Plan) Write() error {
	if p.Diff == "" {
		return nil
	}
	if err := p.write(); err != nil {
		return fmt.Errorf("write the client's configuration: %w", err)
	}
	return nil
}

func (p *Plan) write() error {
	file, mode := p.File, fs.FileMode(0o600)
	if real, err := filepath.EvalSymlinks(file); err == nil {
		file = real
		if info, err := os.Stat(file); err == nil {
			mode = info.Mode().Perm()
		}
	}
	if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
		return err
	}
	now, err := os.ReadFile(file)
	if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return err
	}
	if !bytes.Equal(now, p.before) {
		return ErrChanged
	}
	if p.delete {
		return os.Remove(p.File) // a link itself, and not what it points to
	}
	if err == nil && !p.removal {
		backup := file + backupEnding
		if err := os.WriteFile(backup, now, mode); err != nil {
			return err
		}
		p.Backup = backup
	}
	f, err := os.CreateTemp(filepath.Dir(file), ".winnow-*")
	if err != nil {
		return err
	}
	defer os.Remove(f.Name()) // already renamed on success
	_, err = f.Write(p.after)
	if err = errors.Join(err, f.Chmod(mode), f.Sync(), f.Close()); err != nil {
		return err
	}
	if err := os.Rename(f.Name(), file); err != nil || p.restored == "" {
		return err
	}
	return os.Remove(p.restored)
}
