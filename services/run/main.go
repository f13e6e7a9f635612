package run

import (
	"context"
	"errors"
	"fmt"
	"io"

	"github.com/spf13/pflag"
	"go.uber.org/zap"

	"github.com/winnowhq/winnow/services/internal/telemetry"
	"github.com/winnowhq/winnow/services/internal/worker"
	"github.com/winnowhq/winnow/services/run/memlimit"
)

// Main runs the process of one worker from settings to drain and returns the exit code.
// all lists the workers of the fleet, whose settings are in the same file; args are those
// after the program's name.
func Main(d worker.Definition, all []worker.Definition, args []string, stdout, stderr io.Writer) int {
	err := mainOf(d, all, args, stdout)
	if err != nil {
		fmt.Fprintln(stderr, Explain(err))
	}
	return ExitCode(err)
}

func mainOf(d worker.Definition, all []worker.Definition, args []string, stdout io.Writer) error {
	set := pflag.NewFlagSet("winnow-"+d.Name, pflag.ContinueOnError)
	set.SetOutput(io.Discard)
	flags := Bind(set, all, "postgres-url", "nats-url", "http-addr", "log-level", "drain-timeout")
	version := set.Bool("version", false, "print which build this is")
	err := set.Parse(args)
	switch {
	case errors.Is(err, pflag.ErrHelp):
		fmt.Fprintf(stdout, "winnow-%s: %s\n\nUsage: winnow-%s [healthcheck] [flags]\n\n%s", d.Name, d.Summary, d.Name, set.FlagUsages())
		return nil
	case err != nil:
		return WithCode(ExitUsage, err)
	case *version:
		fmt.Fprintf(stdout, "winnow-%s %s\n", d.Name, telemetry.ReadBuild())
		return nil
	}
	cfg, _, err := flags.Load()
	if err != nil {
		return err
	}
	ctx, stop := Interruptible(context.Background())
	defer stop()
	switch set.Arg(0) {
	case "":
	case "healthcheck":
		return Healthcheck(ctx, cfg)
	default:
		return WithCode(ExitUsage, fmt.Errorf("unknown argument %q; the only subcommand is healthcheck", set.Arg(0)))
	}
	log, err := NewLogger(cfg)
	if err != nil {
		return err
	}
	defer func() { _ = log.Sync() }()
	if m := memlimit.Apply(); m.Waits {
		log.Info("memory is limited, by GOMEMLIMIT or to nine tenths of what the container permits; below the limit the heap may grow to five times what is in use (GOGC 400)", zap.Int64(telemetry.KeyBytes, m.Limit))
	} else if m.Limit > 0 {
		log.Info("memory is limited, by GOMEMLIMIT or to nine tenths of what the container permits; GOGC is as stated", zap.Int64(telemetry.KeyBytes, m.Limit))
	}
	return Fleet(ctx, cfg, log, d)
}

// Explain returns an error's text for a person: each problem of the settings on its own
// line, or else the error's own text.
func Explain(err error) string {
	problems := ConfigProblems(err)
	if len(problems) == 0 {
		return "error: " + err.Error()
	}
	text := fmt.Sprintf("error: %d problem(s) in the settings", len(problems))
	for _, p := range problems {
		text += "\n  " + p.Error()
	}
	return text
}

// Version returns this build's version.
func Version() string { return telemetry.ReadBuild().String() }
