package postgres

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"os"
	"path/filepath"

	embedded "github.com/fergusstrange/embedded-postgres"
)

// downloadVersion is the PostgreSQL that Options.Download fetches. It is pinned, so
// that data folders stay readable and the tested version is the one that runs.
const (
	downloadVersion = embedded.V17
	downloadMajor   = 17
)

// choosePrograms returns the programs for the data folder. It downloads them when
// that is allowed, none is installed, and the downloaded version can read the folder.
func choosePrograms(ctx context.Context, opts Options, who account) (programs, error) {
	major, err := dataVersion(opts.DataDir)
	if err != nil {
		return programs{}, err
	}
	bin, err := findPrograms(ctx, major)
	if err == nil || !opts.Download || major != 0 && major != downloadMajor {
		return bin, err
	}
	dir := filepath.Join(opts.DownloadDir, string(downloadVersion))
	if bin, err := inspect(ctx, filepath.Join(dir, "bin")); err == nil {
		return bin, nil
	}
	opts.Notice(fmt.Sprintf("no PostgreSQL here: fetching %s (about 30 MB, once) into %s", downloadVersion, dir))
	if fetchErr := fetch(dir, opts.DownloadURL); fetchErr != nil {
		return programs{}, fmt.Errorf("fetch PostgreSQL %s: %w\n\n%w", downloadVersion, fetchErr, err)
	}
	if err := who.reaches(filepath.Join(dir, "bin", "postgres")); err != nil {
		return programs{}, err
	}
	return inspect(ctx, filepath.Join(dir, "bin"))
}

// fetch downloads the archive into dir, verifies the SHA-256 that the repository
// publishes, and unpacks it. The library accepts a repository without a checksum. The
// library unpacks only while it starts a server. That start fails for root, so
// success means that the programs are in dir afterwards.
func fetch(dir, repository string) error {
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return err
	}
	port, err := freePort()
	if err != nil {
		return err
	}
	trial, archive := dir+"-trial", dir+"-archive"
	config := embedded.DefaultConfig().Version(downloadVersion).Port(port).Logger(io.Discard).
		CachePath(archive).BinariesPath(dir).RuntimePath(trial)
	if repository != "" {
		config = config.BinaryRepositoryURL(repository)
	}
	server := embedded.NewDatabase(config)
	startErr := server.Start()
	if startErr == nil {
		if err := server.Stop(); err != nil {
			return err
		}
	}
	if err := errors.Join(os.RemoveAll(trial), os.RemoveAll(archive)); err != nil {
		return err
	}
	if _, err := os.Stat(filepath.Join(dir, "bin", "postgres")); err != nil {
		return errors.Join(startErr, err)
	}
	return nil
}

// freePort returns a port that is free now.
func freePort() (uint32, error) {
	listener, err := net.Listen("tcp", "127.0.0.1:0") //nolint:noctx // it does not block
	if err != nil {
		return 0, err
	}
	defer listener.Close()
	return uint32(listener.Addr().(*net.TCPAddr).Port), nil
}
