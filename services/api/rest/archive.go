package rest

import (
	"archive/tar"
	"bytes"
	"compress/gzip"
	"fmt"
	"io/fs"
	"net/http"

	winnowv1 "github.com/winnowhq/winnow/proto/winnow/v1"
)

// protoFolder is where the .proto files lie in the archive: as they import each other.
const protoFolder = "winnow/v1/"

// ProtoArchive returns a handler that answers with the .proto files of the events as
// tar.gz. They are no secret, so no credential is asked for.
func ProtoArchive() (http.Handler, error) {
	body, err := protoArchive()
	if err != nil {
		return nil, fmt.Errorf("archive the contract: %w", err)
	}
	return http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", "application/gzip")
		w.Header().Set("Content-Disposition", `attachment; filename="winnow-proto.tar.gz"`)
		w.Header().Set("X-Content-Type-Options", "nosniff")
		_, _ = w.Write(body) // a disconnected client has no reader
	}), nil
}

// protoArchive has the same bytes in every process of a build: no times, no owners.
func protoArchive() ([]byte, error) {
	var out bytes.Buffer
	packed := gzip.NewWriter(&out)
	archive := tar.NewWriter(packed)
	names, err := fs.Glob(winnowv1.Files, "*.proto")
	if err != nil {
		return nil, err
	}
	for _, name := range names {
		text, err := winnowv1.Files.ReadFile(name)
		if err != nil {
			return nil, err
		}
		if err := archive.WriteHeader(&tar.Header{Name: protoFolder + name, Mode: 0o644, Size: int64(len(text)), Format: tar.FormatUSTAR}); err != nil {
			return nil, err
		}
		if _, err := archive.Write(text); err != nil {
			return nil, err
		}
	}
	if err := archive.Close(); err != nil {
		return nil, err
	}
	err = packed.Close()
	return out.Bytes(), err
}
