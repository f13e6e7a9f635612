package run

import (
	"context"
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/winnowhq/winnow/services/internal/bus"
	"github.com/winnowhq/winnow/services/internal/config"
	"github.com/winnowhq/winnow/services/internal/store"
)

// Exit codes are a contract with scripts and supervisors (SPEC §5).
func TestExitCode(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		err  error
		want int
	}{
		{nil, ExitOK},
		{errors.New("anything"), ExitFailure},
		{fmt.Errorf("load: %w", errors.Join(&config.Problem{Field: "x"})), ExitConfig},
		{fmt.Errorf("open: %w", store.ErrUnavailable), ExitDependency},
		{fmt.Errorf("open: %w", bus.ErrUnavailable), ExitDependency},
		{ErrNoInstance, ExitDependency},
		{fmt.Errorf("ready: %w", store.ErrMigration), ExitMigrations},
		{fmt.Errorf("again: %w", WithCode(ExitUsage, errors.New("x"))), ExitUsage},
		{context.Canceled, ExitInterrupted},
	} {
		if got := ExitCode(c.err); got != c.want {
			t.Errorf("ExitCode(%v) = %d, want %d", c.err, got, c.want)
		}
	}
}

// A name that holds a secret is a usage error, before anything is asked or stored.
func TestNameIsNoSecret(t *testing.T) {
	t.Parallel()
	const secret = "AKIAQ3EGRZ7XK5JVN2LM"
	for name, p := range map[string]Principal{
		"id": {ID: secret}, "name": {ID: "bot", Name: "bot with " + secret}, "reviewer": {ID: "bot", SpeaksFor: []string{"anna", secret}},
	} {
		p.Highest = "agent"
		if err := RegisterPrincipal(t.Context(), DefaultConfig(), p); ExitCode(err) != ExitUsage || strings.Contains(err.Error(), secret) {
			t.Errorf("%s: %v", name, err)
		}
	}
}

func TestDefaultsAreValid(t *testing.T) {
	t.Parallel()
	if err := DefaultConfig().Validate(); err != nil {
		t.Error(err)
	}
}

// All problems are reported at once.
func TestValidateNamesEverything(t *testing.T) {
	t.Parallel()
	c := DefaultConfig()
	c.Postgres.MaxConns, c.NATS.Replicas, c.HTTP.Addr, c.DrainTimeout, c.Tenant = 0, 2, "nowhere", 0, ""
	if n := len(config.Problems(c.Validate())); n != 5 {
		t.Errorf("%d problems, want 5: %v", n, c.Validate())
	}
}
