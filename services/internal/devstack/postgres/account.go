package postgres

import (
	"fmt"
	"os"
	"os/exec"
	"os/user"
	"path/filepath"
	"strconv"
	"syscall"
)

// unprivilegedUser runs the server when this process is root. It owns nothing else and
// exists on every Unix system.
const unprivilegedUser = "nobody"

// account is the user that runs the server's programs. The zero account is this process's
// user.
type account struct {
	name       string
	credential *syscall.Credential
}

// serverAccount returns this process's user, or the user nobody for root.
func serverAccount() (account, error) {
	if os.Geteuid() != 0 {
		return account{}, nil
	}
	u, err := user.Lookup(unprivilegedUser)
	if err != nil {
		return account{}, fmt.Errorf("find a user to run PostgreSQL as: %w", err)
	}
	uid, err := strconv.ParseUint(u.Uid, 10, 32)
	if err != nil {
		return account{}, fmt.Errorf("user id of %s: %w", u.Username, err)
	}
	gid, err := strconv.ParseUint(u.Gid, 10, 32)
	if err != nil {
		return account{}, fmt.Errorf("group id of %s: %w", u.Username, err)
	}
	return account{name: u.Username, credential: &syscall.Credential{Uid: uint32(uid), Gid: uint32(gid)}}, nil
}

// apply makes cmd run as the account, from a folder that it can enter.
func (a account) apply(cmd *exec.Cmd) {
	cmd.Dir = "/"
	if a.credential == nil {
		return
	}
	if cmd.SysProcAttr == nil {
		cmd.SysProcAttr = &syscall.SysProcAttr{}
	}
	cmd.SysProcAttr.Credential = a.credential
}

// ownFolder creates dir with mode 0700, owned by the account. Missing folders above it are
// owned by this process's user, and other users may traverse them.
func (a account) ownFolder(dir string) error {
	if err := os.MkdirAll(filepath.Dir(dir), 0o711); err != nil {
		return fmt.Errorf("make folder: %w", err)
	}
	if err := os.Mkdir(dir, 0o700); err != nil && !os.IsExist(err) {
		return fmt.Errorf("make folder: %w", err)
	}
	if a.credential != nil {
		if err := os.Lchown(dir, int(a.credential.Uid), int(a.credential.Gid)); err != nil {
			return fmt.Errorf("give folder to %s: %w", a.name, err)
		}
	}
	return a.reaches(dir)
}

// reaches returns an error when the account cannot traverse every folder above dir. The
// server's own message names neither the folder nor the user.
func (a account) reaches(dir string) error {
	if a.credential == nil {
		return nil
	}
	for parent := filepath.Dir(dir); ; parent = filepath.Dir(parent) {
		info, err := os.Stat(parent)
		if err != nil {
			return fmt.Errorf("look at folder: %w", err)
		}
		stat, ok := info.Sys().(*syscall.Stat_t)
		owned := ok && stat.Uid == a.credential.Uid
		if !owned && info.Mode().Perm()&0o001 == 0 {
			return fmt.Errorf("%w: %s (mode %04o) stops user %s on the way to %s; choose a folder outside it, or chmod o+x %s",
				ErrUnreachable, parent, info.Mode().Perm(), a.name, dir, parent)
		}
		if parent == filepath.Dir(parent) {
			return nil
		}
	}
}
