package postgres

import (
	"archive/tar"
	"archive/zip"
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"net/http"
	"net/http/httptest"
	"path/filepath"
	"strings"
	"testing"

	"github.com/ulikunitz/xz"
	"go.uber.org/zap"
)

// archive is what the repository publishes: a jar around a .txz around programs
// (here scripts, of which only the version is ever asked).
func archive(t *testing.T) []byte {
	t.Helper()
	var packed bytes.Buffer
	compress, err := xz.NewWriter(&packed)
	if err != nil {
		t.Fatal(err)
	}
	files := tar.NewWriter(compress)
	for name, script := range map[string]string{
		"bin/postgres": "#!/bin/sh\necho 'postgres (PostgreSQL) 17.5'\n",
		"bin/initdb":   "#!/bin/sh\nexit 1\n",
		"bin/pg_ctl":   "#!/bin/sh\nexit 1\n",
	} {
		header := &tar.Header{Name: name, Mode: 0o755, Size: int64(len(script)), Typeflag: tar.TypeReg}
		if err := files.WriteHeader(header); err != nil {
			t.Fatal(err)
		}
		files.Write([]byte(script))
	}
	if err := errors.Join(files.Close(), compress.Close()); err != nil {
		t.Fatal(err)
	}
	var jar bytes.Buffer
	outer := zip.NewWriter(&jar)
	entry, err := outer.Create("postgres.txz")
	if err != nil {
		t.Fatal(err)
	}
	entry.Write(packed.Bytes())
	if err := outer.Close(); err != nil {
		t.Fatal(err)
	}
	return jar.Bytes()
}

// repository serves the archive with a checksum.
func repository(t *testing.T, jar []byte, checksum string) string {
	t.Helper()
	server := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		switch {
		case !strings.Contains(r.URL.Path, string(downloadVersion)):
			http.NotFound(w, r)
		case strings.HasSuffix(r.URL.Path, ".sha256"):
			w.Write([]byte(checksum))
		default:
			w.Write(jar)
		}
	}))
	t.Cleanup(func() {
		server.Close()
		// The library fetches with the default client, which keeps connections.
		http.DefaultClient.CloseIdleConnections()
	})
	return server.URL
}

// Nothing is installed; the pinned version is fetched once, checked and used.
func TestDownload(t *testing.T) {
	t.Setenv(binDirVariable, t.TempDir())
	jar := archive(t)
	sum := sha256.Sum256(jar)
	home := folder(t)
	opts := Options{
		DataDir: filepath.Join(home, "data"), Download: true, Logger: zap.NewNop(),
		DownloadURL: repository(t, jar, hex.EncodeToString(sum[:])),
	}.withDefaults()
	bin, err := choosePrograms(t.Context(), opts, account{})
	if err != nil || bin.major != downloadMajor {
		t.Fatalf("programs %+v, err %v, want version %d", bin, err, downloadMajor)
	}
	opts.DownloadURL = "http://127.0.0.1:1"
	if again, err := choosePrograms(t.Context(), opts, account{}); err != nil || again != bin {
		t.Errorf("second time: %+v, err %v, want the kept programs", again, err)
	}
}

// A changed archive is not unpacked, and without a network the ways out are
// still printed.
func TestDownloadRefused(t *testing.T) {
	t.Setenv(binDirVariable, t.TempDir())
	for name, url := range map[string]string{
		"checksum": repository(t, archive(t), strings.Repeat("0", 64)),
		"offline":  "http://127.0.0.1:1",
	} {
		t.Run(name, func(t *testing.T) {
			opts := Options{DataDir: filepath.Join(folder(t), "data"), Download: true, DownloadURL: url}.withDefaults()
			_, err := choosePrograms(t.Context(), opts, account{})
			if !errors.Is(err, ErrNoBinaries) || !strings.Contains(err.Error(), "apt-get install") {
				t.Errorf("err %v, want ErrNoBinaries with the ways out", err)
			}
		})
	}
}
