package api_test

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"errors"
	"io"
	"net/http"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// SPEC §6: a service in another language gets the .proto files from the server, at the
// paths by which they import each other, equal to those of the repository.
func TestProtoArchive(t *testing.T) {
	t.Parallel()
	b := setup(t)
	status, text, _ := b.send(http.MethodGet, "/api/proto.tar.gz", "nobody's key", "")
	packed, err := gzip.NewReader(strings.NewReader(text))
	if err != nil || status != http.StatusOK {
		t.Fatalf("%d, %v", status, err)
	}
	files := map[string]string{}
	for archive := tar.NewReader(packed); ; {
		h, err := archive.Next()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			t.Fatal(err)
		}
		body, err := io.ReadAll(archive)
		if err != nil {
			t.Fatal(err)
		}
		files[h.Name] = string(body)
		here, err := os.ReadFile(filepath.Join("../../proto", h.Name))
		if err != nil || !bytes.Equal(here, body) {
			t.Errorf("%s is not that of the repository: %v", h.Name, err)
		}
	}
	all, err := filepath.Glob("../../proto/winnow/v1/*.proto")
	if err != nil || len(files) != len(all) || len(files) == 0 {
		t.Errorf("%d of %d files, %v", len(files), len(all), err)
	}
	for name, body := range files {
		for _, m := range regexp.MustCompile(`(?m)^import "([^"]+)"`).FindAllStringSubmatch(body, -1) {
			if _, there := files[m[1]]; !there && !strings.HasPrefix(m[1], "google/protobuf/") {
				t.Errorf("%s imports %s, which is not in the archive", name, m[1])
			}
		}
	}
}
