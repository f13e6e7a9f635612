package postgres

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
)

// The error is the documentation that people read: three ways out, to be pasted.
func TestNoBinaries(t *testing.T) {
	t.Setenv(binDirVariable, t.TempDir())
	_, err := Start(t.Context(), Options{DataDir: filepath.Join(folder(t), "data")})
	if !errors.Is(err, ErrNoBinaries) {
		t.Fatalf("err %v, want ErrNoBinaries", err)
	}
	for _, want := range []string{
		"apt-get install -y postgresql", "export WINNOW_PG_BINDIR=", "--postgres-url", "--download-postgres", "looked in",
	} {
		if !strings.Contains(err.Error(), want) {
			t.Errorf("error does not mention %q:\n%v", want, err)
		}
	}
}

// A server's last words are worth more than its exit status.
func TestFailedStartShowsLog(t *testing.T) {
	t.Parallel()
	_, err := Start(t.Context(), Options{
		DataDir: filepath.Join(folder(t), "data"), Ephemeral: true,
		Settings: map[string]string{"shared_buffers": "plenty"},
	})
	if errors.Is(err, ErrNoBinaries) {
		withoutPrograms(t, err)
	}
	if err == nil || !strings.Contains(err.Error(), `invalid value for parameter "shared_buffers"`) {
		t.Errorf("err %v, want the server's own message", err)
	}
}

func TestOtherVersion(t *testing.T) {
	t.Parallel()
	dir := filepath.Join(folder(t), "data")
	if err := os.Mkdir(dir, 0o700); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(filepath.Join(dir, "PG_VERSION"), []byte("99\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	_, err := Start(t.Context(), Options{DataDir: dir})
	if errors.Is(err, ErrNoBinaries) {
		withoutPrograms(t, err)
	}
	if !errors.Is(err, ErrVersion) {
		t.Errorf("err %v, want ErrVersion", err)
	}
}

// A folder with something else in it is not ours to replace.
func TestForeignFolderIsKept(t *testing.T) {
	t.Parallel()
	dir := filepath.Join(folder(t), "data")
	if err := os.Mkdir(dir, 0o700); err != nil {
		t.Fatal(err)
	}
	thesis := filepath.Join(dir, "thesis.tex")
	if err := os.WriteFile(thesis, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := Start(t.Context(), Options{DataDir: dir}); err == nil {
		t.Error("started in a folder with foreign files")
	}
	if _, err := os.Stat(thesis); err != nil {
		t.Error(err)
	}
}

func TestLongSocketPath(t *testing.T) {
	t.Parallel()
	home := folder(t)
	_, err := Start(t.Context(), Options{
		DataDir: filepath.Join(home, "data"), SocketDir: filepath.Join(home, strings.Repeat("x", 100)), Ephemeral: true,
	})
	if errors.Is(err, ErrNoBinaries) {
		withoutPrograms(t, err)
	}
	if !errors.Is(err, ErrSocketPath) {
		t.Errorf("err %v, want ErrSocketPath", err)
	}
}

// As root the server is another user, who needs a way to the folder.
func TestClosedFolder(t *testing.T) {
	t.Parallel()
	if os.Geteuid() != 0 {
		t.Skip("needs root: others run the server as themselves")
	}
	_, err := Start(t.Context(), Options{DataDir: filepath.Join(t.TempDir(), "data")})
	if errors.Is(err, ErrNoBinaries) {
		withoutPrograms(t, err)
	}
	if !errors.Is(err, ErrUnreachable) {
		t.Errorf("err %v, want ErrUnreachable", err)
	}
}

func TestParseMajor(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]int{
		"postgres (PostgreSQL) 15.18 (Debian 15.18-0+deb12u1)\n": 15,
		"postgres (PostgreSQL) 18beta1":                          18,
		"postgres (PostgreSQL) 9.6.24":                           9,
		"mysqld 8":                                               0,
	} {
		got, err := parseMajor(text)
		if got != want || (err != nil) != (want == 0) {
			t.Errorf("parseMajor(%q) = %d, %v, want %d", text, got, err, want)
		}
	}
}
