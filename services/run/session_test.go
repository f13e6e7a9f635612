package run

import (
	"slices"
	"strings"
	"testing"

	"github.com/winnowhq/winnow/services/internal/config"
)

// What is trusted and what a trace may cost can be set, and what cannot be used
// is named (SPEC §7).
func TestSessionSettings(t *testing.T) {
	t.Parallel()
	c := DefaultConfig()
	_, err := config.Load(&c, config.Options{Environ: []string{
		"WINNOW_TRACE_MAX_BYTES=1048576", "WINNOW_TRACE_MAX_TURNS=10", "WINNOW_TRUST_HOSTS=api.internal,*.acme.dev", "WINNOW_REDACT_PII=true",
	}})
	if err != nil {
		t.Fatal(err)
	}
	if c.Trace.MaxBytes != 1<<20 || c.Trace.MaxTurns != 10 || !slices.Equal(c.Trust.Hosts, []string{"api.internal", "*.acme.dev"}) || !c.Redact.PII {
		t.Errorf("loaded %+v, %+v", c.Trace, c.Trust.Hosts)
	}
	if err := c.Validate(); err != nil {
		t.Error(err)
	}
	c.Trace.MaxText, c.Trust.Network = 1<<30, []string{"[a"}
	text := c.Validate().Error()
	for _, field := range []string{"trust.network", "max text"} {
		if !strings.Contains(text, field) {
			t.Errorf("%s is not in %q", field, text)
		}
	}
}
