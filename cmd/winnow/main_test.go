package main

import (
	"context"
	"fmt"
	"os"
	"testing"

	"github.com/rogpeppe/go-internal/testscript"
	"go.uber.org/zap"

	"github.com/winnowhq/winnow/cmd/winnow/cli"
	"github.com/winnowhq/winnow/services/digest"
	"github.com/winnowhq/winnow/services/fleet"
	"github.com/winnowhq/winnow/services/run"
)

// instance is what the scripts talk to: one real winnow dev for all of them, in
// scopes of their own.
var instance *run.Dev

// noMonday is a schedule of digests that are never due, so that no test has one in
// its way that it did not send.
const noMonday = "0 0 31 2 *"

func TestMain(m *testing.M) {
	testscript.Main(withInstance{m}, map[string]func(){
		"winnow": func() { os.Exit(cli.Main(os.Args[1:], os.Stdin, os.Stdout, os.Stderr)) },
	})
}

// withInstance runs the tests beside a winnow dev. Commands of scripts are this
// binary again and never get here.
type withInstance struct{ m *testing.M }

func (w withInstance) Run() int {
	ctx, cancel := context.WithTimeout(context.Background(), patience)
	defer cancel()
	cfg := run.DefaultConfig()
	cfg.StartTimeout = patience
	digest.Settings.Change(&cfg.Workers, func(c *digest.Config) { c.Schedule = noMonday })
	d, err := run.StartDev(ctx, cfg, run.DevOptions{Ephemeral: true}, zap.NewNop(), fleet.All...)
	if err != nil {
		fmt.Fprintln(os.Stderr, "start winnow dev:", err)
		return run.ExitCode(err)
	}
	instance = d
	code := w.m.Run()
	if err := d.Stop(); err != nil {
		fmt.Fprintln(os.Stderr, "stop winnow dev:", err)
		code = max(code, run.ExitFailure)
	}
	return code
}

func TestScripts(t *testing.T) {
	t.Parallel()
	models := modelServer(t)
	testscript.Run(t, testscript.Params{
		Dir: "testdata/script",
		Setup: func(env *testscript.Env) error {
			env.Setenv("WINNOW_STATE_DIR", instance.Dir)
			env.Setenv("NO_COLOR", "1")
			env.Setenv("MODEL_URL", models)
			// A script's own folder is closed to the user that root's PostgreSQL
			// runs as.
			env.Setenv("OPEN_TMP", os.TempDir())
			return connect(env)
		},
		Cmds:                map[string]func(*testscript.TestScript, bool, []string){"anothercode": anotherCode, "completed": completed, "expand": expand, "field": field, "awaitverdict": awaitVerdict, "letter": letter, "ran": ran, "repeat": repeat, "shown": shown, "spoil": spoil},
		RequireExplicitExec: true,
		RequireUniqueNames:  true,
	})
}
