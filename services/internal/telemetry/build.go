package telemetry

import (
	"fmt"
	"runtime/debug"
)

// version and revision are set by the linker (-X) for a build without the repository, such
// as that of the image. Nothing else writes them.
var version, revision string

// Build identifies the running build of Winnow.
type Build struct {
	Version  string // of the module, or "devel"
	Revision string // commit, "" when it was not built from a repository
	Modified bool   // the tree had changes
	Go       string
}

// ReadBuild returns the build information in the binary.
func ReadBuild() Build {
	b := Build{Version: "devel"}
	info, ok := debug.ReadBuildInfo()
	if !ok {
		return b
	}
	b.Go = info.GoVersion
	if v := info.Main.Version; v != "" && v != "(devel)" {
		b.Version = v
	}
	for _, s := range info.Settings {
		switch s.Key {
		case "vcs.revision":
			b.Revision = s.Value
		case "vcs.modified":
			b.Modified = s.Value == "true"
		}
	}
	if version != "" {
		b.Version, b.Revision = version, revision
	}
	return b
}

// String returns the text of `winnow --version`.
func (b Build) String() string {
	switch {
	case b.Revision == "":
		return fmt.Sprintf("%s (%s)", b.Version, b.Go)
	case b.Modified:
		return fmt.Sprintf("%s (%.12s, modified, %s)", b.Version, b.Revision, b.Go)
	default:
		return fmt.Sprintf("%s (%.12s, %s)", b.Version, b.Revision, b.Go)
	}
}
