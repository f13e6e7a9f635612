package use

import (
	"fmt"
	"io"
	"os"
	"strings"

	"github.com/spf13/cobra"

	"github.com/winnowhq/winnow/cmd/winnow/cli/command"
	"github.com/winnowhq/winnow/services/fleet"
	"github.com/winnowhq/winnow/services/run"
)

func devCommand(a *command.App) *cobra.Command {
	o := run.DevOptions{}
	cmd := &cobra.Command{
		Use:   "dev",
		Short: "Run everything on this machine, in one process",
		Example: "  winnow dev                                          # data stays in the state folder\n" +
			"  winnow dev --ephemeral                              # nothing stays\n" +
			"  winnow dev --llm-url=http://localhost:11434/v1 --llm-model=llama3.2   # a model distils, not rules\n" +
			"  winnow dev --postgres-url=postgres://me@db/winnow   # replace one part",
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			cfg, err := a.Settings()
			if err != nil {
				return err
			}
			if !cmd.Flags().Changed("log-level") && os.Getenv("WINNOW_LOG_LEVEL") == "" {
				cfg.Log.Level = "warn" // the banner has the information for a person
			}
			log, err := run.NewLogger(cfg)
			if err != nil {
				return err
			}
			o.Notice = func(text string) { a.Say("%s", text) }
			d, err := run.StartDev(cmd.Context(), cfg, o, log, fleet.All...)
			if err != nil {
				return err
			}
			banner(a.Out, d)
			spooled := make(chan struct{})
			go func() {
				defer close(spooled)
				publishWaiting(cmd.Context(), a, d.Config)
			}()
			err = d.Wait(cmd.Context())
			<-spooled
			a.Say("stopping: finishing what is in hand; Ctrl-C again stops now")
			if stopErr := d.Stop(); err == nil {
				err = stopErr
			}
			return err
		},
	}
	cmd.Flags().IntVar(&o.HTTPPort, "port", run.DevHTTPPort, "HTTP port on loopback; 0 takes a free one")
	cmd.Flags().IntVar(&o.NATSPort, "nats-port", run.DevNATSPort, "NATS port on loopback; 0 takes a free one")
	cmd.Flags().BoolVar(&o.Ephemeral, "ephemeral", false, "keep nothing, and trade durability for speed")
	cmd.Flags().BoolVar(&o.Download, "download-postgres", true, "fetch PostgreSQL if none is installed")
	cmd.AddCommand(devReset(a))
	return cmd
}

// banner prints the running parts and their addresses, and no part that does not
// run.
func banner(w io.Writer, d *run.Dev) {
	data := d.Dir
	if d.Ephemeral {
		data = "temporary, gone at the end"
	}
	postgres, nats := "private, socket only          winnow psql", "yours, at "+d.NATSURL
	if !d.OwnPostgres {
		postgres = "yours, as configured          winnow psql"
	}
	if d.OwnNATS {
		nats = d.NATSURL + "         nats --server " + d.NATSURL + " sub 'memory.>'"
	}
	triage := "compares words and a static table of meanings (mix-5); asks no model"
	if d.Config.Embed.Model == "none" {
		triage = "compares words (lex-5); asks no model"
	}
	fmt.Fprintf(w, `winnow dev %s
  data        %s

  HTTP        %s         /api/docs  /readyz?verbose  /metrics
  NATS        %s
  Postgres    %s
  Distil      %s
  Triage      %s
  Search      by words and meaning; %s

  ✓ %s        ready in %.1f s   Ctrl-C to stop

Next
  winnow demo        publish a sample week and watch it sort
  winnow adopt       see what this machine's own history would teach
  winnow mcp install claude|cursor|codex
                     let an agent search and record
  winnow review      decide what is left
  winnow digest      the same on one page; winnow review --reply "ok" answers it
  winnow search …    find what is remembered
  winnow status      what is stored, what waits; winnow doctor: what is wrong
`, run.Version(), data, d.HTTPURL, nats, postgres, d.Distiller, triage, d.Similarity, strings.Join(d.Workers, "  ✓ "), d.Took.Seconds())
	if d.GatewayFile != "" {
		fmt.Fprintf(w, "\nA chat gateway gets the digest and brings the answers (here: your terminal):\n"+
			"  WINNOW_GATEWAY_URL=$(cat %s) go run ./examples/gateway\n", d.GatewayFile)
	}
	if d.Ephemeral {
		fmt.Fprintf(w, "\nOther shells find it with: export WINNOW_STATE_DIR=%s\n", d.Dir)
	}
}
