package devstack

import (
	"crypto/rand"
	"encoding/hex"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
)

// ErrExposed means that other users can read a secret's file.
var ErrExposed = errors.New("secret file is open to other users")

// secretBytes is the entropy of a generated secret: a 256-bit key.
const secretBytes = 32

// LoadOrCreateKey returns the key in a file. When the file is missing it creates a random
// key (64 hex digits) and writes it with mode 0600. A file that others may read is an error,
// ErrExposed, and is not repaired: the secret may be known already.
//
// Without the file, data encrypted with the key is lost.
func LoadOrCreateKey(path string) (string, error) {
	text, err := readSecret(path)
	if errors.Is(err, os.ErrNotExist) {
		key := newSecret()
		if err := WriteFile(path, []byte(key+"\n")); err != nil {
			return "", fmt.Errorf("keep key: %w", err)
		}
		return key, nil
	}
	if err != nil {
		return "", fmt.Errorf("load key: %w", err)
	}
	key := strings.TrimSpace(string(text))
	if len(key) < secretBytes {
		return "", fmt.Errorf("load key: %s holds %d characters, at least %d are needed", path, len(key), secretBytes)
	}
	return key, nil
}

// WriteFile writes a file of mode 0600 atomically: it appears whole or not at all, also
// when the machine stops meanwhile.
func WriteFile(path string, content []byte) error {
	file, err := os.CreateTemp(filepath.Dir(path), "."+filepath.Base(path)+"-*") // mode 0600
	if err != nil {
		return err
	}
	defer os.Remove(file.Name()) // fails, as it should, after the rename
	_, err = file.Write(content)
	if err := errors.Join(err, file.Sync(), file.Close()); err != nil {
		return err
	}
	return os.Rename(file.Name(), path)
}

// readSecret reads a file that only its owner may open.
func readSecret(path string) ([]byte, error) {
	info, err := os.Stat(path)
	if err != nil {
		return nil, err
	}
	if mode := info.Mode().Perm(); mode&0o077 != 0 {
		return nil, fmt.Errorf("%w: %s has mode %04o, want 0600", ErrExposed, path, mode)
	}
	return os.ReadFile(path)
}

func newSecret() string {
	secret := make([]byte, secretBytes)
	rand.Read(secret) // never fails: the runtime ends the program first
	return hex.EncodeToString(secret)
}
