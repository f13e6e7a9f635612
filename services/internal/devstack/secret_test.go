package devstack_test

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/winnowhq/winnow/services/internal/devstack"
	"github.com/winnowhq/winnow/services/internal/test/testenv"
)

func TestMain(m *testing.M) { testenv.Main(m) }

func mode(t *testing.T, path string) os.FileMode {
	t.Helper()
	info, err := os.Stat(path)
	if err != nil {
		t.Fatal(err)
	}
	return info.Mode().Perm()
}

// Secrets are made once and readable by their owner only.
func TestKeyIsMadeOnce(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "key")
	first, err := devstack.LoadOrCreateKey(path)
	if err != nil || len(first) != 64 {
		t.Fatalf("key of %d characters, err %v, want 64", len(first), err)
	}
	if got := mode(t, path); got != 0o600 {
		t.Errorf("mode %04o, want 0600", got)
	}
	second, err := devstack.LoadOrCreateKey(path)
	if err != nil || second != first {
		t.Errorf("second load differs (err %v)", err)
	}
}

func TestExposedSecretIsRefused(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "secret")
	if _, err := devstack.LoadOrCreateKey(path); err != nil {
		t.Fatal(err)
	}
	if err := os.Chmod(path, 0o640); err != nil {
		t.Fatal(err)
	}
	if _, err := devstack.LoadOrCreateKey(path); !errors.Is(err, devstack.ErrExposed) {
		t.Errorf("key: err %v, want ErrExposed", err)
	}
	if _, err := devstack.LoadOrCreateCredentials(path); !errors.Is(err, devstack.ErrExposed) {
		t.Errorf("credentials: err %v, want ErrExposed", err)
	}
}

func TestShortKeyIsRefused(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "key")
	if err := os.WriteFile(path, []byte("hunter2\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := devstack.LoadOrCreateKey(path); err == nil || strings.Contains(err.Error(), "hunter2") {
		t.Errorf("err %v, want one that does not repeat the key", err)
	}
}

func TestCredentialsAreMadeOnceAndNotPrinted(t *testing.T) {
	t.Parallel()
	path := filepath.Join(t.TempDir(), "nats.json")
	first, err := devstack.LoadOrCreateCredentials(path)
	if err != nil {
		t.Fatal(err)
	}
	if got := mode(t, path); got != 0o600 {
		t.Errorf("mode %04o, want 0600", got)
	}
	second, err := devstack.LoadCredentials(path)
	if err != nil || second != first || first.User != devstack.ServiceUser {
		t.Errorf("second load differs (err %v)", err)
	}
	for _, verb := range []string{"%v", "%+v", "%#v", "%s"} {
		if strings.Contains(fmt.Sprintf(verb, first), first.Password) {
			t.Errorf("%s prints the password", verb)
		}
	}
}
