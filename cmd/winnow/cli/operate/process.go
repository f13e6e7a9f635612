package operate

import (
	"fmt"
	"io"
	"strconv"
	"time"

	"github.com/spf13/cobra"

	"github.com/winnowhq/winnow/cmd/winnow/cli/command"
	"github.com/winnowhq/winnow/services/fleet"
	"github.com/winnowhq/winnow/services/run"
)

func runCommand(a *command.App) *cobra.Command {
	var targets []string
	cmd := &cobra.Command{
		Use:     "run",
		Short:   "Run some workers in this process",
		Example: "  winnow run --target=triage,relay --postgres-url=… --nats-url=…",
		Args:    cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			defs, err := fleet.Pick(targets...)
			if err != nil {
				return command.Usage(err)
			}
			cfg, err := a.Settings()
			if err != nil {
				return err
			}
			log, err := run.NewLogger(cfg)
			if err != nil {
				return err
			}
			defer func() { _ = log.Sync() }()
			return run.Fleet(cmd.Context(), cfg, log, defs...)
		},
	}
	cmd.Flags().StringSliceVar(&targets, "target", fleet.Names(), "workers to run")
	return cmd
}

func migrateCommand(a *command.App) *cobra.Command {
	located := func() (run.Config, error) {
		cfg, err := a.Settings()
		if err != nil {
			return cfg, err
		}
		cfg, _, err = run.Locate(cfg)
		return cfg, err
	}
	up := func(cmd *cobra.Command, _ []string) error {
		cfg, err := located()
		if err != nil {
			return err
		}
		if err := run.Migrate(cmd.Context(), cfg); err != nil {
			return err
		}
		a.Say("the schema is at this binary's version")
		return nil
	}
	var to int64
	var sure bool
	down := &cobra.Command{
		Use: "down", Short: "Take migrations back; destroys what they hold", Args: cobra.NoArgs,
		Example: "  winnow migrate down --to=4 --yes",
		RunE: func(cmd *cobra.Command, _ []string) error {
			if !sure {
				return command.Usagef("this destroys data; say --yes when that is meant")
			}
			cfg, err := located()
			if err != nil {
				return err
			}
			return run.MigrateDown(cmd.Context(), cfg, to)
		},
	}
	down.Flags().Int64Var(&to, "to", 0, "version to go back to; 0 removes everything")
	down.Flags().BoolVar(&sure, "yes", false, "destroy what the migrations hold")
	status := &cobra.Command{
		Use: "status", Short: "Which migrations are applied", Args: cobra.NoArgs,
		Example: "  winnow migrate status --json",
		RunE: func(cmd *cobra.Command, _ []string) error {
			cfg, err := located()
			if err != nil {
				return err
			}
			steps, err := run.MigrationStatus(cmd.Context(), cfg)
			if err != nil {
				return err
			}
			return a.Show(steps, func(w io.Writer) {
				var rows [][]string
				for _, s := range steps {
					applied := "to do"
					if !s.AppliedAt.IsZero() {
						applied = s.AppliedAt.Format(time.DateTime)
					}
					rows = append(rows, []string{strconv.FormatInt(s.Version, 10), s.Name, applied})
				}
				command.Table(w, []string{"VERSION", "MIGRATION", "APPLIED"}, rows)
			})
		},
	}
	cmd := &cobra.Command{
		Use: "migrate", Short: "Bring the database's schema to this version", Args: cobra.NoArgs,
		Example: "  winnow migrate --postgres-owner-url=…\n  winnow migrate status", RunE: up,
	}
	cmd.AddCommand(&cobra.Command{
		Use: "up", Short: "Apply what is missing", Example: "  winnow migrate up", Args: cobra.NoArgs, RunE: up,
	}, down, status)
	return cmd
}

func provisionCommand(a *command.App) *cobra.Command {
	return &cobra.Command{
		Use: "provision", Short: "Make tenants, principals, streams and durables", Args: cobra.NoArgs,
		Example: "  winnow provision --postgres-owner-url=… --nats-url=…",
		RunE: func(cmd *cobra.Command, _ []string) error {
			cfg, err := a.Settings()
			if err != nil {
				return err
			}
			if cfg, _, err = run.Locate(cfg); err != nil {
				return err
			}
			log, err := run.NewLogger(cfg)
			if err != nil {
				return err
			}
			changes, err := run.Provision(cmd.Context(), cfg, log, fleet.All...)
			if err != nil {
				return err
			}
			return a.Show(changes, func(w io.Writer) {
				for _, c := range changes {
					fmt.Fprintln(w, c)
				}
				a.Say("%d change(s) on the bus; the database is provisioned", len(changes))
			})
		},
	}
}
