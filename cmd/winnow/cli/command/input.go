package command

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
)

// StandardInput is what messages call what comes in for "-".
const StandardInput = "standard input"

// Read is a file's content, or what comes in for "-".
func (a *App) Read(name string) ([]byte, error) {
	if name == "-" {
		return io.ReadAll(a.In)
	}
	return os.ReadFile(name)
}

// KeepInput puts what came in where it can be read twice: into a folder of its
// own, because what lies beside a session may be taken for a part of it. Whoever
// calls removes the folder.
func KeepInput(text []byte) (string, error) {
	dir, err := os.MkdirTemp("", "winnow-publish-*")
	if err != nil {
		return "", fmt.Errorf("%s: %w", StandardInput, err)
	}
	name := filepath.Join(dir, "session")
	if err := os.WriteFile(name, text, 0o600); err != nil {
		return "", fmt.Errorf("%s: %w", StandardInput, errors.Join(err, os.RemoveAll(dir)))
	}
	return name, nil
}
