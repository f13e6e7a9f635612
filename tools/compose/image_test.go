package compose

import (
	"regexp"
	"strings"
	"testing"
)

// The build has every module of the workspace, its context leaves secrets out, and
// the process runs as user nobody, on an image with a fixed version.
func TestImageIsBuiltFromTheWholeWorkspace(t *testing.T) {
	t.Parallel()
	dockerfile, ignore := read(t, "deploy/docker/Dockerfile"), read(t, ".dockerignore")
	modules := regexp.MustCompile(`(?m)^\s+\./(\w+)$`).FindAllStringSubmatch(read(t, "go.work"), -1)
	if len(modules) == 0 {
		t.Fatal("go.work names no module below the root")
	}
	folders := []string{"cmd", "services"}
	for _, m := range modules {
		folders = append(folders, m[1])
		if !strings.Contains(dockerfile, "COPY "+m[1]+"/go.mod ") {
			t.Errorf("the dependencies of %s are not in the first layer", m[1])
		}
	}
	for _, f := range folders {
		if !strings.Contains(dockerfile, "\nCOPY "+f+" "+f+"\n") || !strings.Contains(ignore, "\n!"+f+"\n") {
			t.Errorf("the build does not see %s", f)
		}
	}
	if !strings.Contains(ignore, "\n*\n") {
		t.Error("the build's context is more than what is named")
	}
	stages := regexp.MustCompile(`(?m)^FROM (\S+)`).FindAllStringSubmatch(dockerfile, -1)
	for _, s := range stages {
		if _, tag, _ := strings.Cut(s[1], ":"); tag == "" || tag == "latest" {
			t.Errorf("image %s moves", s[1])
		}
	}
	last := dockerfile[strings.LastIndex(dockerfile, "\nFROM "):]
	if !regexp.MustCompile(`(?m)^USER [1-9]\d*`).MatchString(last) {
		t.Error("the image runs as root")
	}
}
