package main

import (
	"encoding/json"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/winnowhq/winnow/services/run"
)

// found is a finding of winnow doctor.
type found struct{ Check, State, Says, Fix string }

// The doctor finds nothing wrong with an installation that works, and says of each that does
// not what is wrong, with a remedy and the exit code of the other commands. Each case is a
// machine of its own: a home, variables and files.
func TestDoctor(t *testing.T) {
	t.Parallel()
	cfg := run.DefaultConfig()
	cfg.StateDir = instance.Dir
	cfg, _, err := run.Locate(cfg)
	if err != nil {
		t.Fatal(err)
	}
	works := "WINNOW_STATE_DIR=" + instance.Dir
	nats := []string{"WINNOW_NATS_URL=" + cfg.NATS.URL, "WINNOW_NATS_USER=" + cfg.NATS.User, "WINNOW_NATS_PASSWORD=" + cfg.NATS.Password}
	other := "WINNOW_POSTGRES_URL=" + strings.Replace(cfg.Postgres.URL, "/postgres?", "/template1?", 1)
	own := "WINNOW_POSTGRES_URL=" + cfg.Postgres.URL
	nowhere := "WINNOW_NATS_URL=nats://winnow:hunter2@127.0.0.1:1"
	for name, c := range map[string]struct {
		env   []string
		files map[string]string // in the home, open to all
		code  int
		check string // of the problem; empty for none
		says  string
		fix   string
	}{
		"works":            {env: []string{works}},
		"none runs":        {env: []string{"WINNOW_STATE_DIR=HOME/none"}, code: run.ExitDependency, check: "installation", says: "no winnow is running", fix: "winnow dev"},
		"unknown setting":  {env: []string{works, "WINNOW_TENNANT=x"}, code: run.ExitConfig, check: "settings", says: "WINNOW_TENNANT", fix: "winnow config check"},
		"no database":      {env: append([]string{"WINNOW_POSTGRES_URL=postgres://anna:hunter2@127.0.0.1:1/winnow"}, nats...), code: run.ExitDependency, check: "postgres", says: "user=anna database=winnow", fix: "WINNOW_POSTGRES_URL"},
		"no bus":           {env: []string{own, nowhere}, code: run.ExitDependency, check: "nats", says: "127.0.0.1:1", fix: "WINNOW_NATS_URL"},
		"no schema":        {env: append([]string{other}, nats...), code: run.ExitMigrations, check: "postgres", says: "schema", fix: "winnow migrate"},
		"readable secrets": {env: []string{works}, files: map[string]string{"state/winnow/dev/nats.json": "{}"}, code: run.ExitFailure, check: "secrets", says: "nats.json", fix: "chmod 600 "},
		"agent's program":  {env: []string{works}, files: map[string]string{".claude.json": `{"mcpServers":{"winnow":{"command":"/gone/winnow","args":["mcp"]}}}`}, code: run.ExitFailure, check: "agent claude", says: "/gone/winnow", fix: "winnow mcp install claude"},
		"hook's program":   {env: []string{works}, files: map[string]string{".claude/settings.json": `{"hooks":{"SessionEnd":[{"hooks":[{"type":"command","command":"/gone/winnow hook session-end"}]}]}}`}, code: run.ExitFailure, check: "hooks", says: "/gone/winnow", fix: "winnow adopt --write"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			home := t.TempDir()
			for path, text := range c.files {
				path = filepath.Join(home, path)
				if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
					t.Fatal(err)
				}
				if err := os.WriteFile(path, []byte(text), 0o644); err != nil {
					t.Fatal(err)
				}
			}
			environment := append(os.Environ(), "HOME="+home, "CLAUDE_CONFIG_DIR=", "WINNOW_STATE_DIR=")
			for _, v := range c.env {
				environment = append(environment, strings.Replace(v, "HOME", home, 1))
			}
			if c.check == "secrets" { // of another folder than the one that runs
				environment = append(environment, "WINNOW_STATE_DIR="+filepath.Join(home, "state/winnow/dev"), own)
				environment = append(environment, nats...)
			}
			cmd := exec.CommandContext(t.Context(), "winnow", "doctor", "--json")
			cmd.Env, cmd.Dir = environment, home
			out, err := cmd.Output()
			code := 0
			var exit *exec.ExitError
			if errors.As(err, &exit) {
				code = exit.ExitCode()
			}
			var list []found
			if err := json.Unmarshal(out, &list); err != nil {
				t.Fatalf("%v\n%s", err, out)
			}
			var problems []found
			spoilt := false // the scope that the script of the vault spoils beside this test
			for _, f := range list {
				spoilt = spoilt || strings.HasPrefix(f.Says, "project:vault: ")
				// Another instance on this machine is no fault of this one either.
				if f.State == "problem" && f.Check != "ports" && !strings.HasPrefix(f.Says, "project:vault: ") {
					problems = append(problems, f)
				}
			}
			if strings.Contains(string(out), "hunter2") {
				t.Errorf("a password is shown: %s", out)
			}
			if c.check == "" {
				if len(problems) > 0 || code != 0 && !spoilt {
					t.Errorf("nothing is wrong, but: exit code %d, %+v", code, problems)
				}
				return
			}
			if code != c.code || len(problems) == 0 {
				t.Fatalf("exit code %d, want %d; %+v", code, c.code, problems)
			}
			if f := problems[0]; f.Check != c.check || !strings.Contains(f.Says, c.says) || !strings.Contains(f.Fix, c.fix) {
				t.Errorf("found %+v, want %s: …%s…, fix: …%s…", f, c.check, c.says, c.fix)
			}
		})
	}
}
