package config

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
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
	values, err := Load([]Section{{Into: got}}, Options{
		File:    path,
		Environ: []string{"WINNOW_POSTGRES_POOL=5", "WINNOW_POSTGRES_URL=from-env", "HOME=/"},
		Flags:   map[string]string{"postgres.url": "from-flag", "policies": "org=strict"},
	})
	if err != nil {
		t.Fatal(err)
	}
	if got.Postgres.URL != "from-flag" || got.Postgres.Pool != 5 || got.Drain != 9*time.Second {
		t.Errorf("got %+v", got)
	}
	if got.Policies["team"] != "strict" || got.Policies["org"] != "strict" || got.Policies["user"] != "personal" {
		t.Errorf("policies %v: want the default's entry beside the file's", got.Policies)
	}
	want := map[string]string{"postgres.url": "flag", "postgres.pool": "WINNOW_POSTGRES_POOL", "drain_timeout": path, "policies": "flag"}
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
	_, err := Load([]Section{{Into: defaults()}}, Options{
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

// S4.68: a setting may have a second variable, of the program that it comes from. The
// one with our prefix wins, whatever their order.
func TestAlias(t *testing.T) {
	t.Parallel()
	type scheduler struct {
		Interval time.Duration `koanf:"interval" env:"SCHEDULER_INTERVAL"`
		Enabled  bool          `koanf:"enabled" env:"SCHEDULER_ENABLED"`
	}
	got := scheduler{Interval: 24 * time.Hour, Enabled: true}
	values, err := Load([]Section{{Key: "scheduler", Into: &got}}, Options{Environ: []string{
		"WINNOW_SCHEDULER_ENABLED=true", "SCHEDULER_INTERVAL=12h", "SCHEDULER_ENABLED=false", "SCHEDULER_COLOUR=red",
	}})
	if err != nil || got.Interval != 12*time.Hour || !got.Enabled {
		t.Errorf("got %+v, %v", got, err)
	}
	if s := bySource(values); s["scheduler.interval"] != "SCHEDULER_INTERVAL" || s["scheduler.enabled"] != "WINNOW_SCHEDULER_ENABLED" {
		t.Errorf("sources %v", s)
	}
	if _, err := Load([]Section{{Key: "scheduler", Into: &got}}, Options{Environ: []string{"SCHEDULER_INTERVAL=often"}}); len(Problems(err)) != 1 {
		t.Errorf("a wrong value: %v", err)
	}
	table := Reference(Fields(Section{Key: "scheduler", Into: &got}))
	if !strings.Contains(table, "`WINNOW_SCHEDULER_INTERVAL`, `SCHEDULER_INTERVAL`") {
		t.Errorf("the reference does not name it: %s", table)
	}
}

// A secret is read from a file that a variable names, and never shown.
func TestSecretFile(t *testing.T) {
	t.Parallel()
	secret := write(t, "url", "postgres://u:geheim@h/db\n")
	got := defaults()
	values, err := Load([]Section{{Into: got}}, Options{Environ: []string{"WINNOW_POSTGRES_URL_FILE=" + secret}})
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
	_, err := Load([]Section{{Into: got}}, Options{Flags: map[string]string{"postgres.url_file": write(t, "url", "postgres://u:geheim@h/db\n")}})
	if err != nil || got.Postgres.URL != "postgres://u:geheim@h/db" {
		t.Errorf("url %q, %v", got.Postgres.URL, err)
	}
	if _, err := Load([]Section{{Into: defaults()}}, Options{Flags: map[string]string{"postgres.url_file": "/nowhere"}}); len(Problems(err)) != 1 {
		t.Errorf("a file that is not there: %v", err)
	}
}

func TestMissingFile(t *testing.T) {
	t.Parallel()
	missing := filepath.Join(t.TempDir(), "none.yaml")
	if _, err := Load([]Section{{Into: defaults()}}, Options{File: missing}); err != nil {
		t.Errorf("an optional file: %v", err)
	}
	if _, err := Load([]Section{{Into: defaults()}}, Options{File: missing, Required: true}); err == nil {
		t.Error("a file that was asked for is missing, and nobody said so")
	}
}

func TestReferenceNamesEveryField(t *testing.T) {
	t.Parallel()
	text := Reference(Fields(Section{Into: defaults()}))
	for _, want := range []string{"`postgres.url`", "WINNOW_DRAIN_TIMEOUT", "`25s`", "WINNOW_POSTGRES_URL_FILE", "user=personal"} {
		if !strings.Contains(text, want) {
			t.Errorf("reference lacks %s:\n%s", want, text)
		}
	}
}

// nested is a group of a worker, with what it takes from a room that it shares.
type nested struct {
	shared
	Batch int `koanf:"batch" help:"how many"`
}

type shared struct {
	Zone string `koanf:"zone"`
}

// Each worker's group stands at its own path; what two workers read is decoded
// into both, and told once.
func TestSectionsOfWorkers(t *testing.T) {
	t.Parallel()
	top, own, other := defaults(), &nested{shared{"UTC"}, 10}, &shared{"UTC"}
	sections := []Section{{Into: top}, {Key: "house.digest", Into: own}, {Key: "house.digest", Into: other}}
	path := write(t, "w.yaml", "house:\n  digest:\n    zone: Europe/Berlin\n    zne: x\ndrain_timeout: 9s\n")
	values, err := Load(sections, Options{File: path, Environ: []string{"WINNOW_HOUSE_DIGEST_BATCH=many"}})
	if own.Zone != "Europe/Berlin" || other.Zone != own.Zone || own.Batch != 10 || top.Drain != 9*time.Second {
		t.Errorf("got %+v, %+v, %+v", own, other, top)
	}
	var fields []string
	for _, p := range Problems(err) {
		fields = append(fields, p.Field)
	}
	if got := strings.Join(fields, " "); got != "house.digest.zne house.digest.batch" {
		t.Errorf("problems about %s", got)
	}
	if source := bySource(values); source["house.digest.zone"] != path || len(values) != 6 {
		t.Errorf("%d values, sources %v", len(values), source)
	}
}

// What a group finds wrong is told under the whole key.
func TestProblemsOfAGroup(t *testing.T) {
	t.Parallel()
	found := errors.Join(errors.New("zone: is empty; write UTC"), errors.Join(errors.New("policies.team: is no kind"), errors.New("drain_timeout and pool: are odd")))
	fields := Fields(Section{Key: "a", Into: &nested{}}, Section{Key: "a", Into: defaults()})
	var got []string
	for _, p := range Problems(Within("a", fields, found)) {
		got = append(got, p.Field+"|"+p.What)
	}
	want := []string{"a.zone|is empty; write UTC", "a.policies.team|is no kind", "a|drain_timeout and pool: are odd"}
	if !slices.Equal(got, want) {
		t.Errorf("%q, want %q", got, want)
	}
	if Within("a", fields, nil) != nil {
		t.Error("nothing was wrong")
	}
}
