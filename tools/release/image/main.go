// Command image packs static binaries into an OCI image, without a container engine. It
// writes an OCI layout, which skopeo, podman, crane and docker can read:
//
//	image -binaries dist/bin -version 1.4.0 -revision 423263d -created 2026-11-23T00:11:50Z -out dist/image
//	skopeo copy oci:dist/image:1.4.0 docker://registry.example/winnow:1.4.0
//
// The same input makes the same image to the byte: names are sorted, and the only time in it
// is -created. With -root the files are also laid out as a container sees them.
package main

import (
	"archive/tar"
	"bytes"
	"errors"
	"flag"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path"
	"path/filepath"
	"slices"
	"time"

	v1 "github.com/google/go-containerregistry/pkg/v1"
	"github.com/google/go-containerregistry/pkg/v1/empty"
	"github.com/google/go-containerregistry/pkg/v1/layout"
	"github.com/google/go-containerregistry/pkg/v1/mutate"
	"github.com/google/go-containerregistry/pkg/v1/tarball"
	"github.com/google/go-containerregistry/pkg/v1/types"
)

// nobody is the user of the image, as in deploy/docker/Dockerfile.
const nobody = 65532

// certificates are where Linux distributions keep the roots that TLS trusts.
var certificates = []string{"/etc/ssl/certs/ca-certificates.crt", "/etc/pki/tls/certs/ca-bundle.crt"}

type options struct {
	binaries, version, revision, created, arch, out, root string
}

func main() {
	var o options
	flag.StringVar(&o.binaries, "binaries", "", "folder with static Linux binaries")
	flag.StringVar(&o.version, "version", "devel", "version, and the image's tag")
	flag.StringVar(&o.revision, "revision", "", "commit")
	flag.StringVar(&o.created, "created", "1970-01-01T00:00:00Z", "time of the commit")
	flag.StringVar(&o.arch, "arch", "amd64", "architecture of the binaries")
	flag.StringVar(&o.out, "out", "", "folder of the OCI layout; it must not exist")
	flag.StringVar(&o.root, "root", "", "also unpack the files here")
	flag.Parse()
	digest, err := build(o)
	if err != nil {
		fmt.Fprintln(os.Stderr, "image:", err)
		os.Exit(1)
	}
	fmt.Println(digest)
}

// build writes the layout and returns the image's digest.
func build(o options) (digest v1.Hash, err error) {
	created, err := time.Parse(time.RFC3339, o.created)
	if err != nil {
		return digest, fmt.Errorf("-created: %w", err)
	}
	files, err := contents(o.binaries)
	if err != nil {
		return digest, err
	}
	archive, err := packed(files, created)
	if err != nil {
		return digest, err
	}
	layer, err := tarball.LayerFromOpener(func() (io.ReadCloser, error) { return io.NopCloser(bytes.NewReader(archive)), nil },
		tarball.WithMediaType(types.OCILayer))
	if err != nil {
		return digest, fmt.Errorf("layer: %w", err)
	}
	image, err := described(layer, o, created)
	if err != nil {
		return digest, err
	}
	if _, err := os.Stat(o.out); !errors.Is(err, fs.ErrNotExist) {
		return digest, fmt.Errorf("-out: %s is there already, or cannot be looked at", o.out)
	}
	at, err := layout.Write(o.out, empty.Index)
	if err != nil {
		return digest, fmt.Errorf("layout: %w", err)
	}
	err = at.AppendImage(image,
		layout.WithAnnotations(map[string]string{"org.opencontainers.image.ref.name": o.version}),
		layout.WithPlatform(v1.Platform{OS: "linux", Architecture: o.arch}))
	if err != nil {
		return digest, fmt.Errorf("layout: %w", err)
	}
	if o.root != "" {
		if err := unpack(files, o.root); err != nil {
			return digest, err
		}
	}
	return image.Digest()
}

// file is an entry of the image; without a text it is a folder.
type file struct {
	name string
	mode fs.FileMode
	uid  int
	text []byte
}

// contents returns all that is in the image, by name: the binaries, the roots of TLS, a
// user, a temporary folder, and a folder that only that user may write.
func contents(binaries string) ([]file, error) {
	files := []file{
		{name: "etc/", mode: 0o755},
		{name: "etc/passwd", mode: 0o644, text: fmt.Appendf(nil, "root:x:0:0:root:/:/sbin/nologin\nnonroot:x:%d:%d:nonroot:/var/lib/winnow:/sbin/nologin\n", nobody, nobody)},
		{name: "etc/group", mode: 0o644, text: fmt.Appendf(nil, "root:x:0:\nnonroot:x:%d:\n", nobody)},
		{name: "etc/ssl/", mode: 0o755}, {name: "etc/ssl/certs/", mode: 0o755},
		{name: "tmp/", mode: 0o777 | fs.ModeSticky},
		{name: "usr/", mode: 0o755}, {name: "usr/local/", mode: 0o755}, {name: "usr/local/bin/", mode: 0o755},
		{name: "var/", mode: 0o755}, {name: "var/lib/", mode: 0o755}, {name: "var/lib/winnow/", mode: 0o700, uid: nobody},
	}
	for _, c := range certificates {
		text, err := os.ReadFile(c)
		if errors.Is(err, fs.ErrNotExist) {
			continue
		}
		if err != nil {
			return nil, err
		}
		files = append(files, file{name: "etc/ssl/certs/ca-certificates.crt", mode: 0o644, text: text})
		break
	}
	entries, err := os.ReadDir(binaries)
	if err != nil {
		return nil, fmt.Errorf("-binaries: %w", err)
	}
	for _, e := range entries {
		text, err := os.ReadFile(filepath.Join(binaries, e.Name()))
		if err != nil {
			return nil, err
		}
		if !bytes.HasPrefix(text, []byte("\x7fELF")) {
			return nil, fmt.Errorf("-binaries: %s is no Linux binary", e.Name())
		}
		files = append(files, file{name: path.Join("usr/local/bin", e.Name()), mode: 0o755, text: text})
	}
	slices.SortFunc(files, func(a, b file) int { return bytes.Compare([]byte(a.name), []byte(b.name)) })
	return files, nil
}

// packed returns the files as an archive whose bytes depend on nothing else.
func packed(files []file, at time.Time) ([]byte, error) {
	var out bytes.Buffer
	w := tar.NewWriter(&out)
	for _, f := range files {
		h := &tar.Header{Name: f.name, Mode: int64(f.mode.Perm()), Uid: f.uid, Gid: f.uid, ModTime: at, Format: tar.FormatPAX, Typeflag: tar.TypeReg, Size: int64(len(f.text))}
		if f.mode&fs.ModeSticky != 0 {
			h.Mode |= 0o1000
		}
		if f.text == nil {
			h.Typeflag = tar.TypeDir
		}
		if err := w.WriteHeader(h); err != nil {
			return nil, fmt.Errorf("%s: %w", f.name, err)
		}
		if _, err := w.Write(f.text); err != nil {
			return nil, fmt.Errorf("%s: %w", f.name, err)
		}
	}
	if err := w.Close(); err != nil {
		return nil, err
	}
	return out.Bytes(), nil
}

// described returns the image of a layer with the configuration that the Dockerfile gives.
func described(layer v1.Layer, o options, created time.Time) (v1.Image, error) {
	base := mutate.ConfigMediaType(mutate.MediaType(empty.Image, types.OCIManifestSchema1), types.OCIConfigJSON)
	image, err := mutate.Append(base, mutate.Addendum{
		Layer: layer, History: v1.History{Created: v1.Time{Time: created}, CreatedBy: "tools/release/image"},
	})
	if err != nil {
		return nil, fmt.Errorf("layer: %w", err)
	}
	config, err := image.ConfigFile()
	if err != nil {
		return nil, err
	}
	config = config.DeepCopy()
	config.OS, config.Architecture, config.Created = "linux", o.arch, v1.Time{Time: created}
	config.Config = v1.Config{
		User: fmt.Sprint(nobody, ":", nobody), WorkingDir: "/",
		Env:          []string{"PATH=/usr/local/bin", "SSL_CERT_FILE=/etc/ssl/certs/ca-certificates.crt", "HOME=/var/lib/winnow"},
		Cmd:          []string{"winnow", "run"},
		ExposedPorts: map[string]struct{}{"9090/tcp": {}},
		Healthcheck: &v1.HealthConfig{
			Test: []string{"CMD", "winnow", "healthcheck"}, Interval: 5 * time.Second, Timeout: 4 * time.Second, StartPeriod: time.Minute, Retries: 3,
		},
		Labels: map[string]string{
			"org.opencontainers.image.title":       "Winnow",
			"org.opencontainers.image.description": "The judgement between your agents and their memory",
			"org.opencontainers.image.version":     o.version,
			"org.opencontainers.image.revision":    o.revision,
			"org.opencontainers.image.licenses":    "Apache-2.0",
		},
	}
	return mutate.ConfigFile(image, config)
}

// unpack lays the files out below a folder, as the user who calls.
func unpack(files []file, root string) error {
	for _, f := range files {
		at := filepath.Join(root, filepath.FromSlash(f.name))
		var err error
		if f.text == nil {
			err = os.MkdirAll(at, 0o755)
		} else {
			err = os.WriteFile(at, f.text, f.mode.Perm())
		}
		if err != nil {
			return fmt.Errorf("-root: %w", err)
		}
	}
	return nil
}
