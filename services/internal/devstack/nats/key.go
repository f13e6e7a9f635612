package nats

import (
	"crypto/hmac"
	"crypto/sha256"
	"crypto/subtle"
	"encoding/hex"
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"github.com/winnowhq/winnow/services/internal/devstack"
)

// keyMark is the file that identifies the key with which a store was written.
const keyMark = "key.mark"

// checkKey returns ErrWrongKey when the store was written with another key. The server
// would log an error for each stream and start without them. New streams could then
// overwrite the old ones.
func checkKey(storeDir, key string) error {
	path := filepath.Join(storeDir, keyMark)
	want, err := os.ReadFile(path)
	if errors.Is(err, os.ErrNotExist) {
		if _, err := os.Stat(filepath.Join(storeDir, "jetstream")); err == nil && key != "" {
			return fmt.Errorf("%w: %s was written without one", ErrWrongKey, storeDir)
		}
		if key == "" {
			return nil
		}
		if err := devstack.WriteFile(path, []byte(mark(key))); err != nil {
			return fmt.Errorf("remember key: %w", err)
		}
		return nil
	}
	if err != nil {
		return fmt.Errorf("compare key: %w", err)
	}
	if subtle.ConstantTimeCompare(want, []byte(mark(key))) != 1 {
		return fmt.Errorf("%w: %s; put the old key back, or reset", ErrWrongKey, storeDir)
	}
	return nil
}

// mark returns an identifier of a key that does not help to find the key: a keyed hash
// of a constant, under a key of 256 random bits.
func mark(key string) string {
	mac := hmac.New(sha256.New, []byte(key))
	mac.Write([]byte("winnow jetstream key"))
	return hex.EncodeToString(mac.Sum(nil))
}
