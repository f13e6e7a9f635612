package config

import (
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"
)

type sample struct {
	Postgres struct {
		URL  string `koanf:"url" secret:"true" help:"where it is"`
		Pool int    `koanf:"pool"`
	} `koanf:"postgres"`
	Drain    time.Duration     `koanf:"drain_timeout"`
	Policies map[string]string `koanf:"policies"`
}

func defaults() *sample {
	s := &sample{Drain: 25 * time.Second, Policies: map[string]string{"user": "personal"}}
	s.Postgres.Pool = 8
	return s
}

func write(t *testing.T, name, text string) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), name)
	if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
		t.Fatal(err)
	}
	return path
}

func bySource(values []Value) map[string]string {
	m := map[string]string{}
	for _, v := range values {
		m[v.Key] = v.Source
	}
	return m
}

// Later sources win: defaults, YAML, environment, flags (SPEC §15).
func TestOrderOfSources(t *testing.T) {
	t.Parallel()
	path := write(t, "w.yaml", "postgres:\n  url: from-file\n  pool: 4\ndrain_timeout: 9s\npolicies:\n  team: strict\n")
	got := defaults()
	values, err := Load(got, Options{
		File:    path,
		Environ: []string{"WINNOW_POSTGRES_POOL=5", "WINNOW_POSTGRES_URL=from-env", "HOME=/"},
		Flags:   map[string]string{"postgres.url": "from-flag"},
	})
	if err != nil {
		t.Fatal(err)
	}
	if got.Postgres.URL != "from-flag" || got.Postgres.Pool != 5 || got.Drain != 9*time.Second {
		t.Errorf("got %+v", got)
	}
	if got.Policies["team"] != "strict" || got.Policies["user"] != "personal" {
		t.Errorf("policies %v: want the default's entry beside the file's", got.Policies)
	}
	want := map[string]string{"postgres.url": "flag", "postgres.pool": "WINNOW_POSTGRES_POOL", "drain_timeout": path, "policies": path}
	for key, source := range want {
		if s := bySource(values)[key]; s != source {
			t.Errorf("source of %s is %q, want %q", key, s, source)
		}
	}
}

// Everything that is wrong is said at once, with its field and a remedy.
func TestAllProblemsAtOnce(t *testing.T) {
	t.Parallel()
	path := write(t, "w.yaml", "postgres:\n  urll: x\ndrain_timeout: soon\n")
	_, err := Load(defaults(), Options{
		File:    path,
		Environ: []string{"WINNOW_POSTGRES_POL=5", "WINNOW_TEST_X=1", "WINNOW_POSTGRES_POOL=many"},
		Known:   []string{"WINNOW_TEST_"},
	})
	var fields []string
	for _, p := range Problems(err) {
		fields = append(fields, p.Field)
	}
	for _, want := range []string{"postgres.urll", "drain_timeout", "WINNOW_POSTGRES_POL", "postgres.pool"} {
		if !strings.Contains(strings.Join(fields, " "), want) {
			t.Errorf("no problem about %s in %v", want, fields)
		}
	}
	if len(fields) != 4 {
		t.Errorf("problems about %v, want four", fields)
	}
}

// A secret is read from a file that a variable names, and never shown.
func TestSecretFile(t *testing.T) {
	t.Parallel()
	secret := write(t, "url", "postgres://u:geheim@h/db\n")
	got := defaults()
	values, err := Load(got, Options{Environ: []string{"WINNOW_POSTGRES_URL_FILE=" + secret}})
	if err != nil {
		t.Fatal(err)
	}
	if got.Postgres.URL != "postgres://u:geheim@h/db" {
		t.Errorf("url %q", got.Postgres.URL)
	}
	for _, v := range values {
		if strings.Contains(v.Shown(), "geheim") {
			t.Errorf("%s shows its secret", v.Key)
		}
	}
}

// So is one whose file a flag names.
func TestSecretFileByFlag(t *testing.T) {
	t.Parallel()
	got := defaults()
	_, err := Load(got, Options{Flags: map[string]string{"postgres.url_file": write(t, "url", "postgres://u:geheim@h/db\n")}})
	if err != nil || got.Postgres.URL != "postgres://u:geheim@h/db" {
		t.Errorf("url %q, %v", got.Postgres.URL, err)
	}
	if _, err := Load(defaults(), Options{Flags: map[string]string{"postgres.url_file": "/nowhere"}}); len(Problems(err)) != 1 {
		t.Errorf("a file that is not there: %v", err)
	}
}

func TestMissingFile(t *testing.T) {
	t.Parallel()
	missing := filepath.Join(t.TempDir(), "none.yaml")
	if _, err := Load(defaults(), Options{File: missing}); err != nil {
		t.Errorf("an optional file: %v", err)
	}
	if _, err := Load(defaults(), Options{File: missing, Required: true}); err == nil {
		t.Error("a file that was asked for is missing, and nobody said so")
	}
}

func TestReferenceNamesEveryField(t *testing.T) {
	t.Parallel()
	text := Reference(defaults())
	for _, want := range []string{"`postgres.url`", "WINNOW_DRAIN_TIMEOUT", "`25s`", "WINNOW_POSTGRES_URL_FILE", "user=personal"} {
		if !strings.Contains(text, want) {
			t.Errorf("reference lacks %s:\n%s", want, text)
		}
	}
}
