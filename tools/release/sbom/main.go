// Command sbom writes what is in a Go binary as a CycloneDX document: the modules that the
// linker recorded, with their versions and checksums. It reads the binary and nothing else,
// so that it says what was linked and not what a go.mod allows.
//
//	sbom dist/bin/winnow winnow.cdx.json 1.4.0
package main

import (
	"debug/buildinfo"
	"errors"
	"fmt"
	"io"
	"os"
	"runtime/debug"
	"strings"

	"github.com/CycloneDX/cyclonedx-go"
)

func main() {
	if len(os.Args) != 4 {
		fmt.Fprintln(os.Stderr, "usage: sbom BINARY FILE VERSION")
		os.Exit(2)
	}
	f, err := os.Create(os.Args[2])
	if err == nil {
		err = errors.Join(write(f, os.Args[1], os.Args[3]), f.Close())
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, "sbom:", err)
		os.Exit(1)
	}
}

func write(w io.Writer, binary, version string) error {
	info, err := buildinfo.ReadFile(binary)
	if err != nil {
		return err
	}
	// A build that is told its version by the linker has none of a module.
	info.Main.Version = version
	bom := cyclonedx.NewBOM()
	own := component(&info.Main)
	own.Type, own.Licenses = cyclonedx.ComponentTypeApplication, &cyclonedx.Licenses{{License: &cyclonedx.License{ID: "Apache-2.0"}}}
	bom.Metadata = &cyclonedx.Metadata{Component: &own}
	list := []cyclonedx.Component{{
		BOMRef: "pkg:golang/std@" + info.GoVersion, Type: cyclonedx.ComponentTypeLibrary, Name: "std",
		Version: info.GoVersion, PackageURL: "pkg:golang/std@" + strings.TrimPrefix(info.GoVersion, "go"),
	}}
	for _, m := range info.Deps {
		if m.Replace != nil {
			m = m.Replace
		}
		list = append(list, component(m))
	}
	bom.Components = &list
	return cyclonedx.NewBOMEncoder(w, cyclonedx.BOMFileFormatJSON).SetPretty(true).Encode(bom)
}

// component describes a module. Its checksum is the line of go.sum, which is no hash of one
// file.
func component(m *debug.Module) cyclonedx.Component {
	url := "pkg:golang/" + m.Path + "@" + m.Version
	c := cyclonedx.Component{BOMRef: url, Type: cyclonedx.ComponentTypeLibrary, Name: m.Path, Version: m.Version, PackageURL: url}
	if m.Sum != "" {
		c.Properties = &[]cyclonedx.Property{{Name: "go:sum", Value: m.Sum}}
	}
	return c
}
