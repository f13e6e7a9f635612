package cli

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
)

// standardInput is what messages call what comes in for "-".
const standardInput = "standard input"

// read is a file's content, or what comes in for "-".
func (a *app) read(name string) ([]byte, error) {
	if name == "-" {
		return io.ReadAll(a.in)
	}
	return os.ReadFile(name)
}

// keepInput puts what came in where it can be read twice: into a folder of its
// own, because what lies beside a session may be taken for a part of it. Whoever
// calls removes the folder.
func keepInput(text []byte) (string, error) {
	dir, err := os.MkdirTemp("", "winnow-publish-*")
	if err != nil {
		return "", fmt.Errorf("%s: %w", standardInput, err)
	}
	name := filepath.Join(dir, "session")
	if err := os.WriteFile(name, text, 0o600); err != nil {
		return "", fmt.Errorf("%s: %w", standardInput, errors.Join(err, os.RemoveAll(dir)))
	}
	return name, nil
}
