package operate

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/spf13/cobra"

	"github.com/winnowhq/winnow/cmd/winnow/cli/command"
	"github.com/winnowhq/winnow/services/ops"
	"github.com/winnowhq/winnow/services/triage"
)

func policyCommand(a *command.App) *cobra.Command {
	return command.Sub(&cobra.Command{Use: "policy", Short: "See and choose the rules that triage follows", Example: "  winnow policy list"},
		policyList(a), policyShow(a), policyDiff(a), policyActivate(a))
}

func policyList(a *command.App) *cobra.Command {
	return &cobra.Command{
		Use: "list", Short: "List policies with where they are in force", Args: cobra.NoArgs, Example: "  winnow policy list --json",
		RunE: func(cmd *cobra.Command, _ []string) error {
			return withPolicies(a, cmd, func(_ context.Context, _ *command.Session, list []ops.PolicyVersion) error {
				for i := range list {
					list[i].Text = "" // show prints the text
				}
				return a.Show(list, func(w io.Writer) {
					var rows [][]string
					for _, p := range list {
						rows = append(rows, []string{p.Name, p.Version, origin(p), strings.Join(p.InForce, ", "), command.Short(p.Description, 70)})
					}
					command.Table(w, []string{"NAME", "VERSION", "FROM", "IN FORCE FOR", "DESCRIPTION"}, rows)
				})
			})
		},
	}
}

// origin returns where a version's text comes from.
func origin(p ops.PolicyVersion) string {
	switch {
	case p.Shipped && p.Stored:
		return "shipped, stored"
	case p.Shipped:
		return "shipped"
	default:
		return "stored"
	}
}

func policyShow(a *command.App) *cobra.Command {
	return &cobra.Command{
		Use: "show NAME[@VERSION]", Short: "Print a policy as it was written", Args: command.Exact("NAME[@VERSION]"),
		Example: "  winnow policy show standard > own.yaml",
		RunE: func(cmd *cobra.Command, args []string) error {
			return withPolicies(a, cmd, func(_ context.Context, _ *command.Session, list []ops.PolicyVersion) error {
				p, err := ops.FindPolicy(list, args[0])
				if err != nil {
					return err
				}
				return a.ShowWhole(p, func(w io.Writer) { fmt.Fprintln(w, strings.TrimRight(p.Text, "\n")) })
			})
		},
	}
}

func policyDiff(a *command.App) *cobra.Command {
	return &cobra.Command{
		Use: "diff A B", Short: "Compare what two policies say", Args: command.Exact("A", "B"),
		Long:    "Compare what two policies say. Each is NAME, NAME@VERSION or a file. Comments and the\norder of rules mean nothing and are left out.",
		Example: "  winnow policy diff standard own.yaml",
		RunE: func(cmd *cobra.Command, args []string) error {
			return withPolicies(a, cmd, func(_ context.Context, _ *command.Session, list []ops.PolicyVersion) error {
				var texts [2]string
				for i, arg := range args {
					text, err := policyText(a, list, arg)
					if err != nil {
						return err
					}
					texts[i] = string(text)
				}
				lines, err := ops.DiffPolicies(texts[0], texts[1])
				if err != nil {
					return err
				}
				return a.Show(lines, func(w io.Writer) { printDiff(a, w, lines) })
			})
		},
	}
}

// diffContext is the number of unchanged lines around a difference.
const diffContext = 2

// printDiff prints the differences with diffContext lines around each.
func printDiff(a *command.App, w io.Writer, lines []ops.DiffLine) {
	near := make([]bool, len(lines))
	same := true
	for i, l := range lines {
		if l.Op == " " {
			continue
		}
		same = false
		for n := max(0, i-diffContext); n <= min(len(lines)-1, i+diffContext); n++ {
			near[n] = true
		}
	}
	if same {
		a.Say("they say the same")
		return
	}
	skipped := false
	for i, l := range lines {
		if !near[i] {
			skipped = true
			continue
		}
		if skipped {
			fmt.Fprintln(w, "…")
			skipped = false
		}
		fmt.Fprintln(w, l.Op, l.Text)
	}
}

func policyActivate(a *command.App) *cobra.Command {
	var kind string
	cmd := &cobra.Command{
		Use: "activate FILE|NAME[@VERSION]", Short: "Put a policy in force for a kind of scope", Args: command.Exact("FILE|NAME[@VERSION]"),
		Long: "Put a policy in force for a kind of scope. Its text is stored as a version, so that every\n" +
			"decision can be derived again. Triage follows it from its next batch on; what was decided\n" +
			"stays. It goes before the setting policies.*.",
		Example: "  winnow policy activate strict --for team\n  winnow policy activate own.yaml --for project",
		RunE: func(cmd *cobra.Command, args []string) error {
			if kind == "" {
				return command.Usagef("for which kind of scope? --for user, project, team or org")
			}
			return withPolicies(a, cmd, func(ctx context.Context, s *command.Session, list []ops.PolicyVersion) error {
				text, err := policyText(a, list, args[0])
				if err != nil {
					return err
				}
				done, err := s.Ops.ActivatePolicy(ctx, text, kind, triage.Settings.In(s.Config.Workers).Policies)
				if errors.Is(err, ops.ErrPolicy) {
					return command.Usage(err)
				}
				if err != nil {
					return err
				}
				return a.Show(done, func(w io.Writer) {
					said := "is in force for %s scopes"
					if !done.Changed {
						said = "was in force for %s scopes already"
					}
					fmt.Fprintf(w, "%s@%s "+said+"\n", done.Name, done.Version, done.For)
					if done.Changed && done.Before != "" {
						a.Say("before: %s; to go back: winnow policy activate %s --for %s", done.Before, done.Before, done.For)
					}
				})
			})
		},
	}
	cmd.Flags().StringVar(&kind, "for", "", "kind of scope: user, project, team or org")
	return cmd
}

// policyText returns the text of the named file, if it exists, else of the named
// policy.
func policyText(a *command.App, list []ops.PolicyVersion, arg string) ([]byte, error) {
	if _, err := os.Stat(arg); err == nil || arg == "-" || strings.ContainsAny(arg, `/\`) || strings.HasSuffix(arg, ".yaml") {
		return a.Read(arg)
	}
	p, err := ops.FindPolicy(list, arg)
	return []byte(p.Text), err
}

// withPolicies opens a session and reads the list of policies, for every
// subcommand.
func withPolicies(a *command.App, cmd *cobra.Command, fn func(context.Context, *command.Session, []ops.PolicyVersion) error) error {
	return a.With(cmd, func(ctx context.Context, s *command.Session) error {
		list, err := s.Ops.Policies(ctx, triage.Settings.In(s.Config.Workers).Policies)
		if err != nil {
			return err
		}
		return fn(ctx, s, list)
	})
}
