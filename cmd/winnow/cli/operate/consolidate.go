package operate

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strconv"
	"time"

	"github.com/spf13/cobra"

	"github.com/winnowhq/winnow/cmd/winnow/cli/command"
	"github.com/winnowhq/winnow/services/ops"
)

// consolidateFlags are the arguments of winnow consolidate.
type consolidateFlags struct {
	ops.ConsolidationOf
	wait time.Duration
}

func consolidateCommand(a *command.App) *cobra.Command {
	var f consolidateFlags
	cmd := &cobra.Command{
		Use: "consolidate", Short: "Merge memories that say the same",
		Long: "Asks the consolidation worker for a run of a project, of a user or of every\n" +
			"project, waits for its end, and shows what merged into what, what was kept word\n" +
			"for word, and what was refused and why. Nothing is deleted: winnow runs undo takes\n" +
			"a run back. Within a window after the last run (a day) only --force begins another.\n\n" +
			"How well it finds what belongs together depends on the embedding model; winnow\n" +
			"consolidate status names it.",
		Example: "  winnow consolidate --project github.com/acme/api --dry-run\n  winnow consolidate --project github.com/acme/api\n" +
			"  winnow consolidate --force               # every project\n  winnow consolidate status --project shop\n  winnow consolidate history",
		Args: func(cmd *cobra.Command, args []string) error {
			switch {
			case len(args) > 0:
				return command.Usagef("unknown command %q for %q", args[0], cmd.CommandPath())
			case f.Project != "" && f.User != "":
				return command.Usagef("--project and --user are two scopes; name one")
			case f.Threshold < 0 || f.Threshold >= 1:
				return command.Usagef("--threshold %v: give a cosine from 0 to below 1; 0 is the calibrated point", f.Threshold)
			case f.MaxClusters < 0 || f.MaxMemories < 0:
				return command.Usagef("--max-clusters and --max-memories are 0 for no limit, or a number")
			}
			return nil
		},
		RunE: func(cmd *cobra.Command, _ []string) error {
			return a.With(cmd, func(ctx context.Context, s *command.Session) error { return consolidate(ctx, a, s, f) })
		},
	}
	scopeFlags(cmd, &f.ConsolidationOf)
	cmd.Flags().BoolVar(&f.DryRun, "dry-run", false, "only say what would be merged")
	cmd.Flags().BoolVar(&f.Force, "force", false, "begin a run although the last one is recent")
	cmd.Flags().Float64Var(&f.Threshold, "threshold", 0, "cosine above which memories are similar (default: the calibrated point)")
	cmd.Flags().IntVar(&f.MaxClusters, "max-clusters", 0, "merge at most so many groups")
	cmd.Flags().IntVar(&f.MaxMemories, "max-memories", 0, "compare at most so many memories, the newest")
	cmd.Flags().DurationVar(&f.wait, "wait", 15*time.Minute, "how long to wait for the end; the run goes on after it")
	cmd.AddCommand(consolidateStatus(a), consolidateHistory(a))
	return cmd
}

func scopeFlags(cmd *cobra.Command, of *ops.ConsolidationOf) {
	cmd.Flags().StringVar(&of.Project, "project", "", "only this project, such as github.com/acme/api")
	cmd.Flags().StringVar(&of.User, "user", "", "only this user")
}

// notTaken is after how long a run that nobody plans is worth a word.
const notTaken = 10 * time.Second

// consolidate asks for a run of each scope and shows what came of it. A scope that fails
// does not stop the others.
func consolidate(ctx context.Context, a *command.App, s *command.Session, f consolidateFlags) error {
	scopes, err := s.Ops.ConsolidationScopes(ctx, f.ConsolidationOf)
	if err != nil {
		return err
	}
	if len(scopes) == 0 {
		a.Say("there are no projects with memories")
		return a.Show(nil, func(io.Writer) {})
	}
	var stories []ops.RunStory
	var failed []error
	for _, scope := range scopes {
		run, err := s.Ops.Consolidate(ctx, scope, f.ConsolidationOf)
		if errors.Is(err, ops.ErrNotNeeded) {
			a.Say("%s: %v", scope, err)
			continue
		}
		if err == nil {
			err = awaitRun(ctx, a, s, string(scope), run.ID, f.wait)
		}
		var story ops.RunStory
		if err == nil {
			story, err = s.Ops.Run(ctx, run.ID, 0)
		}
		if err != nil {
			failed = append(failed, fmt.Errorf("%s: %w", scope, err))
			continue
		}
		stories = append(stories, story)
		switch {
		case story.State == "failed":
			failed = append(failed, fmt.Errorf("%s: %s", scope, story.Reason))
		case story.State == "partial":
			failed = append(failed, fmt.Errorf("%w: %s: %s", ops.ErrPartial, scope, story.Reason))
		case story.EndedAt.IsZero():
			failed = append(failed, fmt.Errorf("%w: %s: the run has not ended; look again: winnow runs show %s", ops.ErrPartial, scope, story.ID))
		}
	}
	if err := a.Show(stories, func(w io.Writer) {
		for _, story := range stories {
			printRun(w, story)
		}
		if len(stories) > 1 {
			printTotal(w, stories)
		}
	}); err != nil {
		return err
	}
	return errors.Join(failed...)
}

// awaitRun waits for the end of a run, with a bar of its steps.
func awaitRun(ctx context.Context, a *command.App, s *command.Session, scope, run string, wait time.Duration) error {
	ctx, cancel := context.WithTimeout(ctx, wait)
	defer cancel()
	began, told := time.Now(), false
	bar := a.Bar(1, scope)
	steps := 1
	_, err := s.Ops.AwaitRun(ctx, run, func(done, of int) {
		if of > 0 && of != steps {
			steps = of
			bar.ChangeMax(of)
		}
		_ = bar.Set(done)
		if of == 0 && !told && time.Since(began) > notTaken {
			told = true
			a.Say("%s waits for a consolidation worker: winnow dev runs one, and so does winnow-consolidate", run)
		}
	})
	return errors.Join(err, bar.Finish())
}

// printTotal sums up the runs of several scopes (S4.75).
func printTotal(w io.Writer, stories []ops.RunStory) {
	var examined, archived, created, offered int
	for _, r := range stories {
		examined, archived, created, offered = examined+r.Examined, archived+r.Archived, created+r.Created, offered+r.Offered
	}
	fmt.Fprintf(w, "\n%s: %d looked at, %d merged into %d, %d offered\n", command.Plural(len(stories), "scope"), examined, archived, created, offered)
}

func consolidateStatus(a *command.App) *cobra.Command {
	var of ops.ConsolidationOf
	cmd := &cobra.Command{
		Use: "status", Short: "How many memories, when they were last merged, and whether a run is due", Args: cobra.NoArgs,
		Example: "  winnow consolidate status\n  winnow consolidate status --project shop --json",
		RunE: func(cmd *cobra.Command, _ []string) error {
			return a.With(cmd, func(ctx context.Context, s *command.Session) error {
				list, err := s.Ops.ConsolidationStatus(ctx, of)
				if err != nil {
					return err
				}
				return a.Show(list, func(w io.Writer) {
					for _, st := range list {
						last := "never"
						if !st.LastRun.IsZero() {
							last = st.LastRun.Local().Format(command.DateTime)
						}
						fmt.Fprintf(w, "%s  %s (a run begins by itself above %d), last run %s\n  %s\n", st.Scope, command.Plural(st.Memories, "memory"), st.Threshold, last, st.Recommendation)
					}
					if len(list) > 0 {
						fmt.Fprintf(w, "similarity by %s\n", list[0].Provider)
						if list[0].Warning != "" {
							fmt.Fprintf(w, "  %s\n", list[0].Warning)
						}
					}
				})
			})
		},
	}
	scopeFlags(cmd, &of)
	return cmd
}

func consolidateHistory(a *command.App) *cobra.Command {
	var of ops.ConsolidationOf
	var limit int
	cmd := &cobra.Command{
		Use: "history", Short: "Past runs, the newest first", Args: cobra.NoArgs,
		Example: "  winnow consolidate history\n  winnow consolidate history --project shop --limit 5",
		RunE: func(cmd *cobra.Command, _ []string) error {
			return a.With(cmd, func(ctx context.Context, s *command.Session) error {
				list, err := s.Ops.ConsolidationHistory(ctx, of, limit)
				if err != nil {
					return err
				}
				return a.Show(list, func(w io.Writer) {
					var rows [][]string
					for _, r := range list {
						rows = append(rows, []string{
							r.RequestedAt.Local().Format(command.DateTime), r.ID, string(r.Scope), string(r.Trigger), string(r.State),
							strconv.Itoa(r.Examined), strconv.Itoa(r.Archived), strconv.Itoa(r.Created), strconv.Itoa(r.Offered),
						})
					}
					command.Table(w, []string{"ASKED", "ID", "SCOPE", "BY", "STATE", "EXAMINED", "MERGED", "INTO", "OFFERED"}, rows)
				})
			})
		},
	}
	scopeFlags(cmd, &of)
	cmd.Flags().IntVar(&limit, "limit", 20, "at most so many")
	return cmd
}
