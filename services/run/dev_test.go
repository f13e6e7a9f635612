package run_test

import (
	"context"
	"net/http"
	"testing"
	"time"

	"go.uber.org/zap/zaptest"

	"github.com/winnowhq/winnow/services/fleet"
	"github.com/winnowhq/winnow/services/internal/testenv"
	"github.com/winnowhq/winnow/services/run"
)

func TestMain(m *testing.M) { testenv.Main(m) }

// One call brings up everything, as any user, on free ports (SPEC §15).
func TestDevReady(t *testing.T) {
	t.Parallel()
	testenv.Require(t, testenv.CapabilityPostgres)
	cfg := run.DefaultConfig()
	ctx, cancel := context.WithTimeout(t.Context(), time.Minute)
	defer cancel()
	d, err := run.StartDev(ctx, cfg, run.DevOptions{Ephemeral: true}, zaptest.NewLogger(t), fleet.All...)
	if err != nil {
		t.Fatal(err)
	}
	defer func() {
		if err := d.Stop(); err != nil {
			t.Errorf("stop: %v", err)
		}
	}()
	t.Logf("ready after %s", d.Took)
	for _, path := range []string{"/livez", "/readyz?verbose", "/metrics"} {
		resp, err := http.Get(d.HTTPURL + path)
		if err != nil {
			t.Fatal(err)
		}
		_ = resp.Body.Close()
		if resp.StatusCode != http.StatusOK {
			t.Errorf("%s: %s", path, resp.Status)
		}
	}
}
