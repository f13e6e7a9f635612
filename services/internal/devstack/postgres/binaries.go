package postgres

import (
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
)

// oldestMajor is the oldest PostgreSQL that the store's SQL runs on.
const oldestMajor = 14

// binDirVariable names the folder to use before any other.
const binDirVariable = "WINNOW_PG_BINDIR"

// programFolders are the folders in which distributions install the server's
// programs. They are often not on the PATH.
var programFolders = []string{
	"/usr/lib/postgresql/*/bin",
	"/usr/pgsql-*/bin",
	"/usr/libexec/postgresql*",
	"/opt/homebrew/opt/postgresql@*/bin",
	"/usr/local/opt/postgresql@*/bin",
	"/Applications/Postgres.app/Contents/Versions/*/bin",
}

// programs is one installation.
type programs struct {
	dir   string
	major int
}

func (p programs) path(name string) string { return filepath.Join(p.dir, name) }

// Installed returns the folder and the version of the programs that a new data folder would
// use. The error is ErrNoBinaries, with remedies, when nothing usable is installed.
func Installed(ctx context.Context) (dir string, major int, err error) {
	p, err := findPrograms(ctx, 0)
	return p.dir, p.major, err
}

// findPrograms returns the installation for a data folder: the first of version
// wantMajor (0: any), in the order that doc.go states. The error is ErrNoBinaries
// when nothing usable is installed, and ErrVersion when only other versions are.
func findPrograms(ctx context.Context, wantMajor int) (programs, error) {
	dirs, searched := candidates(ctx)
	var found []programs
	for _, dir := range dirs {
		p, err := inspect(ctx, dir)
		if err != nil || p.major < oldestMajor {
			continue
		}
		if wantMajor == 0 || p.major == wantMajor {
			return p, nil
		}
		found = append(found, p)
	}
	if len(found) > 0 {
		return programs{}, fmt.Errorf("%w: it needs %d, installed is %d (%s)", ErrVersion, wantMajor, found[0].major, found[0].dir)
	}
	return programs{}, &missingError{searched: searched}
}

// candidates lists folders that may contain the programs, best first, and the
// searched places for the error message.
func candidates(ctx context.Context) (dirs, searched []string) {
	if dir := os.Getenv(binDirVariable); dir != "" {
		// No fallback to another installation: it would hide a mistyped path.
		return []string{dir}, []string{"$" + binDirVariable + "=" + dir}
	}
	searched = []string{"$" + binDirVariable, "PATH", "pg_config --bindir"}
	if path, err := exec.LookPath("postgres"); err == nil {
		// initdb and the shared files are in the folder that a link on the PATH
		// points to.
		if real, err := filepath.EvalSymlinks(path); err == nil {
			dirs = append(dirs, filepath.Dir(real))
		}
	}
	if out, err := exec.CommandContext(ctx, "pg_config", "--bindir").Output(); err == nil {
		dirs = append(dirs, strings.TrimSpace(string(out)))
	}
	for _, pattern := range programFolders {
		searched = append(searched, pattern)
		matches, _ := filepath.Glob(pattern)
		slices.SortFunc(matches, func(a, b string) int { return folderVersion(b) - folderVersion(a) })
		dirs = append(dirs, matches...)
	}
	return dirs, searched
}

// folderVersion returns the first number in a path, so that 15 sorts above 9.
func folderVersion(path string) int {
	digits := strings.FieldsFunc(path, func(r rune) bool { return r < '0' || r > '9' })
	if len(digits) == 0 {
		return 0
	}
	n, _ := strconv.Atoi(digits[0])
	return n
}

// inspect returns the installation in a folder, with the version that its server
// reports. A folder without initdb is an error, because client packages install some
// programs without it.
func inspect(ctx context.Context, dir string) (programs, error) {
	if _, err := os.Stat(filepath.Join(dir, "initdb")); err != nil {
		return programs{}, err
	}
	out, err := exec.CommandContext(ctx, filepath.Join(dir, "postgres"), "--version").Output()
	if err != nil {
		return programs{}, fmt.Errorf("ask for version: %w", err)
	}
	major, err := parseMajor(string(out))
	if err != nil {
		return programs{}, err
	}
	return programs{dir: dir, major: major}, nil
}

// parseMajor returns the major version in "postgres (PostgreSQL) 15.18 (Debian …)" or
// "18beta1".
func parseMajor(version string) (int, error) {
	_, rest, ok := strings.Cut(version, "(PostgreSQL) ")
	if !ok {
		return 0, errors.New("not a PostgreSQL version: " + strconv.Quote(version))
	}
	end := strings.IndexFunc(rest, func(r rune) bool { return r < '0' || r > '9' })
	if end < 0 {
		end = len(rest)
	}
	return strconv.Atoi(rest[:end])
}
