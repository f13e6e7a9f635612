package local

import (
	"cmp"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/winnowhq/winnow/services/internal/memory"
	"github.com/winnowhq/winnow/services/internal/session/trace"
)

// ProjectFile names a folder's project where git does not, or names another one.
const ProjectFile = ".winnow.yaml"

// projectFile is the content of a ProjectFile. Other keys are for other tools
// and later versions.
type projectFile struct {
	Project string `yaml:"project"`
	Scope   string `yaml:"scope"` // where its memories belong; the project's own when empty
}

// Place is the project and scope that a folder belongs to.
type Place struct {
	Project string // see FindProject
	Scope   string // as a ProjectFile names it; mostly empty
	// Stated: a ProjectFile or a git remote says so, and not just a folder's name.
	Stated bool
}

// FindProject returns the project that a folder belongs to, such as
// github.com/acme/api: as the nearest ProjectFile above says, else by the git
// remote, else by the name of the repository's folder or of the folder itself.
// The result is empty for a folder without a project, such as a home. Only
// files are read; no program is run. The error is a ProjectFile that cannot be
// used.
func FindProject(dir string) (string, error) {
	place, err := FindPlace(dir)
	return place.Project, err
}

// DefaultScope is the scope of what is remembered in a folder without a project, such as a
// home.
const DefaultScope = "project:default"

// FindScope returns the scope that a folder's memories belong to: as the nearest ProjectFile
// says, else that of its project, else [DefaultScope].
func FindScope(dir string) (string, error) {
	place, err := FindPlace(dir)
	if err != nil {
		return "", err
	}
	return cmp.Or(place.Scope, scopeOfProject(place.Project), DefaultScope), nil
}

// FindPlace is [FindProject] with the scope, and whether the project is stated.
func FindPlace(dir string) (Place, error) {
	dir, err := filepath.Abs(dir)
	if err != nil {
		return Place{}, fmt.Errorf("find project: %w", err)
	}
	repository := ""
	var said projectFile
	for at := dir; ; at = filepath.Dir(at) {
		if said, err = readProjectFile(filepath.Join(at, ProjectFile)); err != nil {
			return Place{}, err
		}
		if said.Project != "" {
			return Place{Project: said.Project, Scope: said.Scope, Stated: true}, nil
		}
		if _, err := os.Stat(filepath.Join(at, ".git")); err == nil && repository == "" {
			repository = at
		}
		if said.Scope != "" || at == filepath.Dir(at) {
			break
		}
	}
	place := Place{Project: trace.ProjectOfDir(dir), Scope: said.Scope, Stated: said.Scope != ""}
	if repository == "" {
		return place, nil
	}
	place.Project = trace.ProjectOfDir(repository)
	if project, err := trace.ProjectOfRemote(gitRemote(repository)); err == nil {
		place.Project, place.Stated = project, true
	}
	return place, nil
}

func readProjectFile(path string) (projectFile, error) {
	text, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) || errors.Is(err, fs.ErrPermission) {
		return projectFile{}, nil
	}
	var f projectFile
	if err == nil {
		err = yaml.Unmarshal(text, &f)
	}
	if err == nil && f.Project != "" {
		_, err = memory.ParseScope("project:" + f.Project)
	}
	if err == nil && f.Scope != "" {
		_, err = memory.ParseScope(f.Scope)
	}
	if err != nil {
		return projectFile{}, fmt.Errorf("%s: %w", path, err)
	}
	return f, nil
}

// gitRemote returns the address of a repository's origin, else of its first
// remote; empty when it has none.
func gitRemote(repository string) string {
	config, err := os.ReadFile(filepath.Join(gitDir(repository), "config"))
	if err != nil {
		return ""
	}
	section, first := "", ""
	for line := range strings.Lines(string(config)) {
		line = strings.TrimSpace(line)
		if strings.HasPrefix(line, "[") {
			section = line
			continue
		}
		key, value, _ := strings.Cut(line, "=")
		if strings.TrimSpace(key) != "url" || !strings.HasPrefix(section, `[remote "`) {
			continue
		}
		url := strings.Trim(strings.TrimSpace(value), `"`)
		if section == `[remote "origin"]` {
			return url
		}
		if first == "" {
			first = url
		}
	}
	return first
}

// gitDir returns the folder of a repository's configuration. In a worktree and
// a submodule .git is a file that names it.
func gitDir(repository string) string {
	dir := filepath.Join(repository, ".git")
	text, err := os.ReadFile(dir)
	if err != nil {
		return dir // a folder
	}
	lead, ok := strings.CutPrefix(strings.TrimSpace(string(text)), "gitdir:")
	if !ok {
		return dir
	}
	dir = resolved(repository, strings.TrimSpace(lead))
	if common, err := os.ReadFile(filepath.Join(dir, "commondir")); err == nil {
		dir = resolved(dir, strings.TrimSpace(string(common)))
	}
	return dir
}

func resolved(base, path string) string {
	if filepath.IsAbs(path) {
		return path
	}
	return filepath.Join(base, path)
}
