package command

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
)

// Program returns the command by which other programs start this one: its name
// when it is in PATH, else its path.
func Program() (string, error) {
	self, err := os.Executable()
	if err != nil {
		return "", fmt.Errorf("find this program: %w", err)
	}
	const name = "winnow"
	if found, err := exec.LookPath(name); err == nil && sameFile(found, self) {
		return name, nil
	}
	return self, nil
}

func sameFile(a, b string) bool {
	realA, errA := filepath.EvalSymlinks(a)
	realB, errB := filepath.EvalSymlinks(b)
	return errA == nil && errB == nil && realA == realB
}
