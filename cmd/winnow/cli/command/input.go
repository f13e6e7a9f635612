package command

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
)

// StandardInput is the name of standard input in messages.
const StandardInput = "standard input"

// Read returns a file's content, or standard input for "-".
func (a *App) Read(name string) ([]byte, error) {
	if name == "-" {
		return io.ReadAll(a.In)
	}
	return os.ReadFile(name)
}

// SaveInput writes standard input to a file in a new folder, so that it can be
// read twice. The folder is new because files beside a session may count as
// parts of it. The caller removes the folder.
func SaveInput(text []byte) (string, error) {
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
