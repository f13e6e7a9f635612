package cli

import (
	"fmt"
	"io"
	"strconv"
	"time"

	"github.com/spf13/cobra"

	"github.com/winnowhq/winnow/services/fleet"
	"github.com/winnowhq/winnow/services/run"
)

func (a *app) runWorkers() *cobra.Command {
	var targets []string
	cmd := &cobra.Command{
		Use:     "run",
		Short:   "Run some workers in this process",
		Example: "  winnow run --target=triage,relay --postgres-url=… --nats-url=…",
		Args:    cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			defs, err := fleet.Pick(targets...)
			if err != nil {
				return usageError{err}
			}
			cfg, err := a.settings()
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

func (a *app) migrate() *cobra.Command {
	located := func() (run.Config, error) {
		cfg, err := a.settings()
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
		a.say("the schema is at this binary's version")
		return nil
	}
	var to int64
	var sure bool
	down := &cobra.Command{
		Use: "down", Short: "Take migrations back; destroys what they hold", Args: cobra.NoArgs,
		Example: "  winnow migrate down --to=4 --yes",
		RunE: func(cmd *cobra.Command, _ []string) error {
			if !sure {
				return usagef("this destroys data; say --yes when that is meant")
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
			return a.show(steps, func(w io.Writer) {
				var rows [][]string
				for _, s := range steps {
					applied := "to do"
					if !s.AppliedAt.IsZero() {
						applied = s.AppliedAt.Format(time.DateTime)
					}
					rows = append(rows, []string{strconv.FormatInt(s.Version, 10), s.Name, applied})
				}
				table(w, []string{"VERSION", "MIGRATION", "APPLIED"}, rows)
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

func (a *app) provision() *cobra.Command {
	return &cobra.Command{
		Use: "provision", Short: "Make tenants, principals, streams and durables", Args: cobra.NoArgs,
		Example: "  winnow provision --postgres-owner-url=… --nats-url=…",
		RunE: func(cmd *cobra.Command, _ []string) error {
			cfg, err := a.settings()
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
			return a.show(changes, func(w io.Writer) {
				for _, c := range changes {
					fmt.Fprintln(w, c)
				}
				a.say("%d change(s) on the bus; the database is provisioned", len(changes))
			})
		},
	}
}

func (a *app) healthcheck() *cobra.Command {
	return &cobra.Command{
		Use: "healthcheck", Short: "Is the process here ready? Silent when it is", Args: cobra.NoArgs,
		Example: "  winnow healthcheck --http-addr=127.0.0.1:9090",
		RunE: func(cmd *cobra.Command, _ []string) error {
			cfg, err := a.settings()
			if err != nil {
				return err
			}
			if located, found, err := run.Locate(cfg); err == nil && found {
				cfg = located
			}
			return run.Healthcheck(cmd.Context(), cfg)
		},
	}
}
