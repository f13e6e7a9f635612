package ops

import (
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/winnowhq/winnow/services/internal/memory"
	"github.com/winnowhq/winnow/services/internal/trace"
)

// ProjectFile names a folder's project where git does not, or names another one.
const ProjectFile = ".winnow.yaml"

// projectFile is what a ProjectFile says. Other keys are for other tools and
// later versions.
type projectFile struct {
	Project string `yaml:"project"`
}

// FindProject tells which project a folder belongs to, such as
// github.com/acme/api: what the nearest ProjectFile above says, else the git
// remote, else the name of the repository's folder or of the folder itself.
// Empty means that the folder tells none, as a home does. Only files are read; no
// program is run. The error is a ProjectFile that cannot be used.
func FindProject(dir string) (string, error) {
	dir, err := filepath.Abs(dir)
	if err != nil {
		return "", fmt.Errorf("find project: %w", err)
	}
	repository := ""
	for at := dir; ; at = filepath.Dir(at) {
		project, err := readProjectFile(filepath.Join(at, ProjectFile))
		if err != nil || project != "" {
			return project, err
		}
		if _, err := os.Stat(filepath.Join(at, ".git")); err == nil && repository == "" {
			repository = at
		}
		if at == filepath.Dir(at) {
			break
		}
	}
	if repository == "" {
		return trace.ProjectOfDir(dir), nil
	}
	if project, err := trace.ProjectOfRemote(gitRemote(repository)); err == nil {
		return project, nil
	}
	return trace.ProjectOfDir(repository), nil
}

func readProjectFile(path string) (string, error) {
	text, err := os.ReadFile(path)
	if errors.Is(err, fs.ErrNotExist) || errors.Is(err, fs.ErrPermission) {
		return "", nil
	}
	var f projectFile
	if err == nil {
		err = yaml.Unmarshal(text, &f)
	}
	if err == nil && f.Project != "" {
		_, err = memory.ParseScope("project:" + f.Project)
	}
	if err != nil {
		return "", fmt.Errorf("%s: %w", path, err)
	}
	return f.Project, nil
}

// gitRemote is the address of a repository's origin, else of its first remote;
// empty when it has none.
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

// gitDir is where a repository keeps its configuration: in a worktree and a
// submodule .git is a file that leads there.
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
