//go:build unix && !linux

package postgres

import (
	"errors"
	"os/exec"
	"strconv"
	"strings"
)

// serversIn returns pid when ps shows that the process is a server of this folder.
// launch passes the folder with -D, so the command line contains it.
func serversIn(dataDir string, pid int) ([]int, error) {
	if pid == 0 {
		return nil, nil
	}
	out, err := exec.Command("ps", "-o", "command=", "-p", strconv.Itoa(pid)).Output()
	var status *exec.ExitError
	if errors.As(err, &status) {
		return nil, nil
	}
	if err != nil {
		return nil, err
	}
	if strings.Contains(string(out), "-D "+dataDir) {
		return []int{pid}, nil
	}
	return nil, nil
}
