package git

import (
	"errors"
	"fmt"
	"syscall"

	"github.com/winnowhq/winnow/services/internal/vault"
)

// problem returns a condition that a person can repair.
func problem(path string, err error, remedy string) *vault.Problem {
	return &vault.Problem{Path: path, Err: err, Remedy: remedy}
}

// explain maps a system error of a write in a folder to a Problem.
func explain(path string, err error) error {
	switch {
	case err == nil:
		return nil
	case errors.Is(err, syscall.EROFS):
		return problem(path, fmt.Errorf("%w: %w", vault.ErrReadOnly, err), "mount it writable, or choose another folder for the vault")
	case errors.Is(err, syscall.EACCES), errors.Is(err, syscall.EPERM):
		return problem(path, fmt.Errorf("%w: %w", vault.ErrReadOnly, err), "give the user that runs Winnow write access")
	case errors.Is(err, syscall.ENOTDIR):
		return problem(path, fmt.Errorf("%w: %w", vault.ErrReadOnly, err), "a file stands where a folder belongs; move it away")
	case errors.Is(err, syscall.ENOSPC), errors.Is(err, syscall.EDQUOT):
		return problem(path, err, "make room; the vault goes on where it stopped")
	}
	return err
}
