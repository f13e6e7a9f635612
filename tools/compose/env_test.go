package compose

import (
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
)

// make fleet-env gives every secret a value of its own that Docker and NATS read
// without quoting. It does not change existing values, and only the owner can read
// the file.
func TestFleetEnvMakesSecretsOnce(t *testing.T) {
	t.Parallel()
	script, err := filepath.Abs(filepath.Join(root, "scripts", "fleet-env.sh"))
	if err != nil {
		t.Fatal(err)
	}
	file := filepath.Join(t.TempDir(), "env")
	const own = "NATS_TRIAGE_PASSWORD=mine\n"
	if err := os.WriteFile(file, []byte(own), 0o644); err != nil {
		t.Fatal(err)
	}
	var texts [2]string
	for i := range texts {
		if said, err := exec.CommandContext(t.Context(), script, file).CombinedOutput(); err != nil {
			t.Fatalf("%v\n%s", err, said)
		}
		text, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		texts[i] = string(text)
	}
	if texts[0] != texts[1] || !strings.HasPrefix(texts[0], own) || strings.Count(texts[0], "NATS_TRIAGE_PASSWORD") != 1 {
		t.Errorf("what was there changed:\n%s", texts[1])
	}
	if info, err := os.Stat(file); err != nil || info.Mode().Perm() != 0o600 {
		t.Errorf("mode %v, %v", info.Mode(), err)
	}

	// A value that began with a digit could be read as a number or a size.
	plain := regexp.MustCompile(`^[a-zA-Z][a-zA-Z0-9]*$`)
	seen := map[string]bool{}
	var env []string
	for line := range strings.Lines(texts[1]) {
		name, value, _ := strings.Cut(strings.TrimSpace(line), "=")
		if !plain.MatchString(value) {
			t.Errorf("%s is %q", name, value)
		}
		if len(value) > 20 && seen[value] {
			t.Errorf("%s has another's value", name)
		}
		seen[value] = true
		env = append(env, name+"="+value)
	}
	if _, err := load(t, env, "fleet", "cli"); err != nil {
		t.Errorf("docker compose would refuse the file: %v", err)
	}
}
