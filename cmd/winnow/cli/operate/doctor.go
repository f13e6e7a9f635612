package operate

import (
	"context"
	"fmt"
	"io"
	"strings"

	"github.com/spf13/cobra"

	"github.com/winnowhq/winnow/cmd/winnow/cli/command"
	"github.com/winnowhq/winnow/services/run"
)

// The weights of a finding.
const (
	right   = "ok"
	note    = "note"    // worth knowing; nothing is wrong
	problem = "problem" // something does not work, or will not for long
)

// finding is the result of one check.
type finding struct {
	Check string `json:"check"`
	State string `json:"state"`
	Says  string `json:"says"`
	Fix   string `json:"fix,omitempty"` // a command to copy, or what to do

	code int // exit code of a problem
}

// examination collects findings, in the order in which a person would look.
type examination struct{ findings []finding }

func (x *examination) ok(check, format string, args ...any) {
	x.findings = append(x.findings, finding{Check: check, State: right, Says: fmt.Sprintf(format, args...)})
}

func (x *examination) note(check, fix, format string, args ...any) {
	x.findings = append(x.findings, finding{Check: check, State: note, Says: fmt.Sprintf(format, args...), Fix: fix})
}

func (x *examination) problem(code int, check, fix, format string, args ...any) {
	x.findings = append(x.findings, finding{Check: check, State: problem, Says: fmt.Sprintf(format, args...), Fix: fix, code: code})
}

// failed adds an error as a problem, with the exit code that other commands would end with.
func (x *examination) failed(check, fix string, err error) {
	x.problem(run.ExitCode(err), check, fix, "%s", strings.TrimPrefix(run.Explain(err), "error: "))
}

// problems returns how many problems there are.
func (x *examination) problems() (n int) {
	for _, f := range x.findings {
		if f.State == problem {
			n++
		}
	}
	return n
}

// err returns nil without a problem, else an error with the code of the first.
func (x *examination) err() error {
	for _, f := range x.findings {
		if f.State == problem {
			return run.WithCode(f.code, fmt.Errorf("%s found, see above", command.Plural(x.problems(), "problem")))
		}
	}
	return nil
}

func doctorCommand(a *command.App) *cobra.Command {
	var all bool
	cmd := &cobra.Command{
		Use: "doctor", Short: "Say what is wrong with this installation, and what to do", Args: cobra.NoArgs,
		Long: "Looks at the settings, at Postgres, NATS, the workers, the index and the vault, at what\n" +
			"waits or failed, at keys and logins, at the agents and hooks of this person, at disks\n" +
			"and clocks. It changes nothing. Each finding has a command to copy. The exit code is 0\n" +
			"without a problem, else that of the first one: winnow exit-codes.",
		Example: "  winnow doctor\n  winnow doctor --all       # also what is right\n  winnow doctor --json | jq -r '.[] | select(.state == \"problem\").fix'",
		RunE: func(cmd *cobra.Command, _ []string) error {
			x := &examination{}
			examine(cmd.Context(), a, x)
			if cmd.Context().Err() != nil {
				return cmd.Context().Err()
			}
			if err := a.Show(x.findings, func(w io.Writer) { printFindings(w, x.findings, all) }); err != nil {
				return err
			}
			return x.err()
		},
	}
	cmd.Flags().BoolVar(&all, "all", false, "also what is right")
	return cmd
}

// examine makes all checks. What cannot be looked at because an earlier part failed is left
// out: its cause is said already.
func examine(ctx context.Context, a *command.App, x *examination) {
	x.ok("version", "winnow %s", run.Version())
	cfg, err := a.Settings()
	if err != nil {
		x.failed("settings", "winnow config check", err)
		cfg = run.DefaultConfig()
	} else {
		x.ok("settings", "every key is known")
		examineInstallation(ctx, cfg, x)
	}
	examineMachine(ctx, cfg, x)
}

func printFindings(w io.Writer, findings []finding, all bool) {
	counts := map[string]int{}
	for _, f := range findings {
		counts[f.State]++
		if f.State == right && !all {
			continue
		}
		fmt.Fprintf(w, "%-8s %s: %s\n", f.State, f.Check, strings.ReplaceAll(f.Says, "\n", "\n         "))
		if f.Fix != "" {
			fmt.Fprintf(w, "         fix: %s\n", f.Fix)
		}
	}
	fmt.Fprintf(w, "%s, %s, %d right\n", command.Plural(counts[problem], "problem"), command.Plural(counts[note], "note"), counts[right])
}
