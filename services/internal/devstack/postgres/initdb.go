package postgres

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"

	"go.uber.org/zap"

	"github.com/winnowhq/winnow/services/internal/filelock"
)

// ensureData creates the cluster's files when there are none. They appear in the data
// folder completely or not at all: a start that is killed leaves only a draft folder,
// which the next start removes.
func ensureData(ctx context.Context, bin programs, who account, opts Options) error {
	major, err := dataVersion(opts.DataDir)
	if err != nil || major != 0 {
		return err
	}
	if opts.Ephemeral && opts.Seed != "" {
		seed, err := ensureSeed(ctx, bin, who, opts)
		if err != nil {
			return err
		}
		return fill(who, opts.DataDir, func(dir string) error {
			return runAs(ctx, who, "cp", "-R", seed+"/.", dir)
		})
	}
	opts.Logger.Info("making a database cluster", zap.String("data", opts.DataDir))
	return fill(who, opts.DataDir, func(dir string) error { return initdb(ctx, bin, who, dir, !opts.Ephemeral) })
}

// ensureSeed creates the cluster that ephemeral ones are copied from, once for all
// processes of this user.
func ensureSeed(ctx context.Context, bin programs, who account, opts Options) (string, error) {
	seed := filepath.Join(opts.Seed, "pg"+strconv.Itoa(bin.major))
	if err := os.MkdirAll(opts.Seed, 0o711); err != nil {
		return "", fmt.Errorf("make seed folder: %w", err)
	}
	lock, err := filelock.Acquire(ctx, seed+".lock")
	if err != nil {
		return "", fmt.Errorf("wait for seed: %w", err)
	}
	defer lock.Release()
	if major, err := dataVersion(seed); err != nil || major != 0 {
		return seed, err
	}
	return seed, fill(who, seed, func(dir string) error { return initdb(ctx, bin, who, dir, false) })
}

// fill creates target: build writes a draft folder next to it, which is then renamed.
func fill(who account, target string, build func(dir string) error) error {
	draft := target + ".new"
	if err := os.RemoveAll(draft); err != nil {
		return fmt.Errorf("clear draft: %w", err)
	}
	if err := who.ownFolder(draft); err != nil {
		return err
	}
	if err := build(draft); err != nil {
		return errors.Join(err, os.RemoveAll(draft))
	}
	// Rename replaces an empty folder that the caller created. It refuses a folder
	// with files, which may be the user's.
	if err := os.Rename(draft, target); err != nil {
		return errors.Join(fmt.Errorf("put data in place: %w", err), os.RemoveAll(draft))
	}
	return nil
}

// initdb creates the cluster. A durable one is synced at the end, about 0.15 s,
// because no later checkpoint syncs files that it does not change. The locale is C,
// so that order and case do not depend on the machine.
func initdb(ctx context.Context, bin programs, who account, dir string, durable bool) error {
	args := []string{"--pgdata", dir, "--username", superuser, "--auth", "trust",
		"--encoding", "UTF8", "--locale", "C", "--no-instructions"}
	if !durable {
		args = append(args, "--no-sync")
	}
	return runAs(ctx, who, bin.path("initdb"), args...)
}

// runAs runs a program to completion. An error contains the last lines of its output.
func runAs(ctx context.Context, who account, name string, args ...string) error {
	cmd := exec.CommandContext(ctx, name, args...)
	cmd.Env = serverEnvironment()
	who.apply(cmd)
	out, err := cmd.CombinedOutput()
	if err != nil {
		return fmt.Errorf("%s: %w\n%s", filepath.Base(name), err, lastLines(string(out), tailLines))
	}
	return nil
}

// dataVersion returns the major version that wrote a data folder, 0 for a folder
// without a cluster.
func dataVersion(dir string) (int, error) {
	text, err := os.ReadFile(filepath.Join(dir, "PG_VERSION"))
	if errors.Is(err, os.ErrNotExist) {
		return 0, nil
	}
	if err != nil {
		return 0, fmt.Errorf("read cluster version: %w", err)
	}
	major, err := strconv.Atoi(strings.TrimSpace(string(text)))
	if err != nil {
		return 0, fmt.Errorf("read cluster version: %w", err)
	}
	return major, nil
}
