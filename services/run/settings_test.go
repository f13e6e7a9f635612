package run_test

import (
	"slices"
	"strings"
	"testing"

	"github.com/spf13/pflag"

	"github.com/winnowhq/winnow/services/digest"
	"github.com/winnowhq/winnow/services/distill"
	"github.com/winnowhq/winnow/services/fleet"
	"github.com/winnowhq/winnow/services/index"
	"github.com/winnowhq/winnow/services/ingest"
	"github.com/winnowhq/winnow/services/internal/memoryfile"
	"github.com/winnowhq/winnow/services/internal/session/trace"
	"github.com/winnowhq/winnow/services/internal/session/trust"
	"github.com/winnowhq/winnow/services/run"
)

// The trusted hosts and the limits of a trace are settings, and invalid values are
// named (SPEC §7).
func TestSessionSettings(t *testing.T) {
	t.Parallel()
	c, err := load(t, "--trace-max-bytes=1048576", "--trace-max-turns=10", "--trust-hosts=api.internal,*.acme.dev", "--redact-pii")
	if err != nil {
		t.Fatal(err)
	}
	limits, trusted := ingest.Limits.In(c.Workers), ingest.Trust.In(c.Workers)
	if limits.MaxBytes != 1<<20 || limits.MaxTurns != 10 || !slices.Equal(trusted.Hosts, []string{"api.internal", "*.acme.dev"}) || !c.Redact.PII {
		t.Errorf("loaded %+v, %+v", limits, trusted.Hosts)
	}
	ingest.Limits.Change(&c.Workers, func(l *trace.Limits) { l.MaxText = 1 << 30 })
	ingest.Trust.Change(&c.Workers, func(t *trust.Config) { t.Network = []string{"[a"} })
	text := c.Validate(fleet.All...).Error()
	for _, field := range []string{"trust.network", "max text"} {
		if !strings.Contains(text, field) {
			t.Errorf("%s is not in %q", field, text)
		}
	}
}

func TestDefaultsOfAllWorkersAreValid(t *testing.T) {
	t.Parallel()
	c, err := load(t)
	if err != nil {
		t.Error(err)
	}
	if err := c.Validate(fleet.All...); err != nil {
		t.Error(err)
	}
}

// Every problem of every worker is reported at once under its full key. A problem
// that two workers share is reported once.
func TestProblemsOfAllWorkers(t *testing.T) {
	t.Parallel()
	_, err := load(t, "--digest-schedule=at nine", "--digest-zone=Mars/Olympus", "--vault-lines=3", "--retention-inbox=1h", "--policies=tribe=strict",
		"--reasoning-bank-distillation-worker-count=0", "--reasoning-bank-distillation-prompt-tokens=1", "--tenant=")
	var fields []string
	for _, p := range run.ConfigProblems(err) {
		fields = append(fields, p.Field)
	}
	slices.Sort(fields)
	want := []string{"digest.schedule", "digest.zone", "policies.tribe", "reasoning_bank.distillation.prompt_tokens",
		"reasoning_bank.distillation.worker_count", "retention.inbox", "tenant", "vault.lines"}
	if !slices.Equal(fields, want) {
		t.Errorf("problems of %q, want %q", fields, want)
	}
}

// Changing the settings of one process does not change those of another one that
// started from the same value.
func TestSettingsAreCopied(t *testing.T) {
	t.Parallel()
	first := run.DefaultConfig()
	digest.Settings.Change(&first.Workers, func(c *digest.Config) { c.Schedule = "0 7 * * 5" })
	second := first
	digest.Settings.Change(&second.Workers, func(c *digest.Config) { c.Schedule = "0 8 * * 5" })
	index.Layout.Change(&second.Workers, func(c *memoryfile.Config) { c.Vault.Lines = 30 })
	if got := digest.Settings.In(first.Workers).Schedule; got != "0 7 * * 5" {
		t.Errorf("the first has %q", got)
	}
	if got := index.Layout.In(first.Workers); got.Vault.Lines != memoryfile.DefaultBudget {
		t.Errorf("the first has %+v", got)
	}
	if got := distill.Settings.In(second.Workers); got != distill.DefaultConfig() {
		t.Errorf("what was not set is %+v", got)
	}
}

// load reads flags as a command does.
func load(t *testing.T, args ...string) (run.Config, error) {
	t.Helper()
	set := pflag.NewFlagSet("test", pflag.ContinueOnError)
	flags := run.Bind(set, fleet.All)
	if err := set.Parse(args); err != nil {
		t.Fatal(err)
	}
	cfg, _, err := flags.Load()
	return cfg, err
}
