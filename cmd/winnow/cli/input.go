package cli

import (
	"errors"
	"fmt"
	"io"
	"os"
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

// keepInput puts what came in where it can be read twice.
func keepInput(text []byte) (string, error) {
	f, err := os.CreateTemp("", "winnow-publish-*")
	if err != nil {
		return "", fmt.Errorf("%s: %w", standardInput, err)
	}
	_, err = f.Write(text)
	if err = errors.Join(err, f.Close()); err != nil {
		return "", fmt.Errorf("%s: %w", standardInput, err)
	}
	return f.Name(), nil
}
