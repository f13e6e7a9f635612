package operate

import (
	"context"
	"crypto/rand"
	"crypto/sha256"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strings"

	"github.com/spf13/cobra"
	"go.uber.org/zap"

	"github.com/winnowhq/winnow/cmd/winnow/cli/command"
	"github.com/winnowhq/winnow/pkg/event"
	"github.com/winnowhq/winnow/services/ops"
	"github.com/winnowhq/winnow/services/run"
)

func retiredCommand(a *command.App) *cobra.Command {
	var term ops.RetiredTerm
	add := &cobra.Command{
		Use: "add TERM", Short: "Register a term that is out of use", Args: command.Exact("TERM"),
		Example: "  winnow retired add CircleCI --kind tool --replacement \"GitHub Actions\" --since 2026-11-02",
		RunE: func(cmd *cobra.Command, args []string) error {
			term.Term = args[0]
			return a.With(cmd, func(ctx context.Context, s *command.Session) error {
				n, err := s.Ops.AddRetired(ctx, term)
				a.Say("%d added", n)
				return err
			})
		},
	}
	add.Flags().StringVar(&term.Kind, "kind", "tool", "tool, version, adr or project")
	add.Flags().StringVar(&term.Replacement, "replacement", "", "what is used instead")
	add.Flags().StringVar(&term.Since, "since", "", "date, such as 2026-01-31 (default: today)")
	add.Flags().StringVar(&term.Scope, "scope", "", "only in this scope")
	list := &cobra.Command{
		Use: "list", Short: "List retired terms", Args: cobra.NoArgs, Example: "  winnow retired list",
		RunE: func(cmd *cobra.Command, _ []string) error {
			return a.With(cmd, func(ctx context.Context, s *command.Session) error {
				r, err := s.Store.Registry(ctx, s.Tenant)
				if err != nil {
					return err
				}
				return a.Show(r.Retired, func(w io.Writer) {
					var rows [][]string
					for _, t := range r.Retired {
						rows = append(rows, []string{t.ID, t.Term, t.Kind, t.Replacement, t.Since.Format("2006-01-02"), string(t.Scope)})
					}
					command.Table(w, []string{"ID", "TERM", "KIND", "REPLACEMENT", "SINCE", "SCOPE"}, rows)
				})
			})
		},
	}
	remove := &cobra.Command{
		Use: "remove ID|TERM…", Short: "Take terms out of the registry", Args: cobra.MinimumNArgs(1), Example: "  winnow retired remove CircleCI",
		RunE: func(cmd *cobra.Command, args []string) error {
			return a.With(cmd, func(ctx context.Context, s *command.Session) error {
				n, err := s.Ops.RemoveRetired(ctx, args...)
				a.Say("%d removed", n)
				return err
			})
		},
	}
	load := &cobra.Command{
		Use: "import FILE.yaml", Short: "Add the terms of a file", Args: command.Exact("FILE.yaml"), Example: "  winnow retired import retired.yaml",
		RunE: func(cmd *cobra.Command, args []string) error {
			text, err := a.Read(args[0])
			if err != nil {
				return err
			}
			file, err := ops.ParseRegistry(text)
			if err != nil {
				return command.Usage(err)
			}
			return a.With(cmd, func(ctx context.Context, s *command.Session) error {
				n, err := s.Ops.AddRetired(ctx, file.Retired...)
				a.Say("%d of %d were new", n, len(file.Retired))
				return err
			})
		},
	}
	return command.Sub(&cobra.Command{Use: "retired", Short: "Maintain the list of what is out of use", Example: "  winnow retired list"}, add, list, remove, load)
}

func bootfileCommand(a *command.App) *cobra.Command {
	var name, scope string
	add := &cobra.Command{
		Use: "add FILE", Short: "Register a text that agents load at every start", Args: command.Exact("FILE"),
		Example: "  winnow bootfile add AGENTS.md --scope project:shop",
		RunE: func(cmd *cobra.Command, args []string) error {
			text, err := a.Read(args[0])
			if err != nil {
				return err
			}
			if name == "" {
				name = args[0]
			}
			return a.With(cmd, func(ctx context.Context, s *command.Session) error {
				id, err := s.Ops.AddBootFile(ctx, ops.BootText{Name: name, Text: string(text), Scope: scope})
				if err == nil {
					fmt.Fprintln(a.Out, id)
				}
				return err
			})
		},
	}
	add.Flags().StringVar(&name, "name", "", "name (default: the file's)")
	add.Flags().StringVar(&scope, "scope", "", "only in this scope")
	list := &cobra.Command{
		Use: "list", Short: "List registered texts", Args: cobra.NoArgs, Example: "  winnow bootfile list",
		RunE: func(cmd *cobra.Command, _ []string) error {
			return a.With(cmd, func(ctx context.Context, s *command.Session) error {
				r, err := s.Store.Registry(ctx, s.Tenant)
				if err != nil {
					return err
				}
				return a.Show(r.BootFiles, func(w io.Writer) {
					var rows [][]string
					for _, b := range r.BootFiles {
						rows = append(rows, []string{b.ID, b.Name, fmt.Sprint(strings.Count(b.Text, "\n")+1, " lines"), string(b.Scope)})
					}
					command.Table(w, []string{"ID", "NAME", "SIZE", "SCOPE"}, rows)
				})
			})
		},
	}
	remove := &cobra.Command{
		Use: "remove ID|NAME…", Short: "Take texts out of the registry", Args: cobra.MinimumNArgs(1), Example: "  winnow bootfile remove AGENTS.md",
		RunE: func(cmd *cobra.Command, args []string) error {
			return a.With(cmd, func(ctx context.Context, s *command.Session) error {
				n, err := s.Ops.RemoveBootFile(ctx, args...)
				a.Say("%d removed", n)
				return err
			})
		},
	}
	return command.Sub(&cobra.Command{Use: "bootfile", Short: "Maintain the texts whose echo is no memory", Example: "  winnow bootfile list"}, add, list, remove)
}

func principalCommand(a *command.App) *cobra.Command {
	return command.Sub(&cobra.Command{Use: "principal", Short: "Maintain who may publish", Example: "  winnow principal list"}, principalAdd(a), principalList(a))
}

func principalAdd(a *command.App) *cobra.Command {
	p := run.Principal{}
	var key bool
	add := &cobra.Command{
		Use: "add ID", Short: "Register a publisher, with an API key if asked", Args: command.Exact("ID"),
		Example: "  winnow principal add ci-bot --highest first_party --service --key\n" +
			"  winnow principal add chat --speaks-for local     # a gateway, which brings answers to the digest\n" +
			"  winnow principal add chat --speaks-for local --events-json     # one that reads JSON",
		RunE: func(cmd *cobra.Command, args []string) error {
			p.ID = args[0]
			if err := sayable(p); err != nil {
				return err
			}
			return register(cmd.Context(), a, p, key)
		},
	}
	add.Flags().StringVar(&p.Highest, "highest", "agent", "highest origin that it may claim: external, agent, first_party or human")
	add.Flags().StringVar(&p.Name, "name", "", "name for people")
	add.Flags().BoolVar(&p.Service, "service", false, "a service, whose facts count as asserted by it")
	add.Flags().StringSliceVar(&p.SpeaksFor, "speaks-for", nil, "reviewers whose answers to a digest it may bring; * for all")
	add.Flags().StringSliceVar(&p.Scopes, "scope", nil, "bind it to these projects, teams or organisations, such as team:web: it sees and changes nothing beyond")
	add.Flags().BoolVar(&p.EventsJSON, "events-json", false, "the gateway reads events as JSON and not as protobuf, from now on")
	add.Flags().BoolVar(&key, "key", false, "make a new API key and print it")
	return add
}

// sayable returns the usage error of a principal that cannot be registered as it was typed.
func sayable(p run.Principal) error {
	if !event.ValidPrincipal(p.ID) {
		return command.Usagef("%q: use 1 to 64 of A-Z a-z 0-9 - _", p.ID)
	}
	for _, who := range p.SpeaksFor {
		if who != "*" && !event.ValidPrincipal(who) {
			return command.Usagef("--speaks-for %q: name principals, or * for every reviewer", who)
		}
	}
	if p.EventsJSON && len(p.SpeaksFor) == 0 {
		return command.Usagef("--events-json is for gateways: say for whom it speaks, as --speaks-for anna does")
	}
	return nil
}

// register registers a principal, with a new key where one is wanted, and prints the key.
func register(ctx context.Context, a *command.App, p run.Principal, key bool) error {
	cfg, err := a.Settings()
	if err != nil {
		return err
	}
	cfg, dev, err := run.Locate(cfg)
	if err != nil {
		return err
	}
	secret := ""
	if key {
		secret = "wnw_" + rand.Text()
		sum := sha256.Sum256([]byte(secret))
		p.KeyHash = sum[:]
	}
	before := registered(ctx, cfg, p.ID)
	if err := run.RegisterPrincipal(ctx, cfg, p); err != nil {
		return err
	}
	before.say(a, p, key)
	switch {
	case p.SpeaksFor != nil && dev:
		if err := run.ProvisionGateways(ctx, cfg, zap.NewNop()); err != nil {
			return err
		}
	case p.SpeaksFor != nil:
		a.Say("digests reach this gateway once winnow provision has run")
	}
	if key {
		a.Say("this key is shown once; only its hash is stored")
	}
	return a.Show(map[string]string{"id": p.ID, "key": secret}, func(w io.Writer) {
		fmt.Fprintln(w, strings.TrimSpace(p.ID+" "+secret))
	})
}

func principalList(a *command.App) *cobra.Command {
	return &cobra.Command{
		Use: "list", Short: "List publishers", Args: cobra.NoArgs, Example: "  winnow principal list",
		RunE: func(cmd *cobra.Command, _ []string) error {
			return a.With(cmd, func(ctx context.Context, s *command.Session) error {
				all, err := s.Store.Principals(ctx, s.Tenant)
				if err != nil {
					return err
				}
				return a.Show(all, func(w io.Writer) {
					var rows [][]string
					for _, p := range all {
						speaksFor := strings.Join(p.SpeaksFor, ",")
						if p.EventsJSON {
							speaksFor += " (JSON)"
						}
						var bound []string
						for _, s := range p.Scopes {
							bound = append(bound, string(s))
						}
						rows = append(rows, []string{p.ID, p.Highest.String(), fmt.Sprint(p.Service), speaksFor, strings.Join(bound, ","), p.Name})
					}
					command.Table(w, []string{"ID", "HIGHEST", "SERVICE", "SPEAKS FOR", "BOUND TO", "NAME"}, rows)
				})
			})
		},
	}
}

// registration is what was registered of a principal before a change.
type registration struct {
	known   bool
	highest string
	keys    []string // in force
}

// registered returns what is registered of a principal. It is for what the command says
// alone, so that without an answer of the store it is empty.
func registered(ctx context.Context, cfg run.Config, id string) (r registration) {
	s, err := command.OpenSession(ctx, cfg)
	if err != nil {
		return r
	}
	defer s.Close()
	all, err := s.Store.Principals(ctx, s.Tenant)
	if err != nil {
		return r
	}
	for _, p := range all {
		if p.ID == id {
			r.known, r.highest = true, p.Highest.String()
		}
	}
	keys, err := s.Ops.Keys(ctx, id)
	if err != nil || !r.known {
		return r
	}
	for _, k := range keys {
		if k.State(s.Now()) == "active" {
			r.keys = append(r.keys, k.ID)
		}
	}
	return r
}

// say tells what a registration replaced, and what it left.
func (r registration) say(a *command.App, now run.Principal, key bool) {
	if !r.known {
		return
	}
	change := "its highest origin stays " + r.highest
	if r.highest != now.Highest {
		change = "its highest origin was " + r.highest + " and is now " + now.Highest
	}
	a.Say("%s was registered before and is replaced: %s", now.ID, change)
	if key && len(r.keys) > 0 {
		a.Say("the new key is beside %s; end what is no longer used: winnow key revoke %s", command.Plural(len(r.keys), "other key"), strings.Join(r.keys, " "))
	}
}

func psqlCommand(a *command.App) *cobra.Command {
	return &cobra.Command{
		Use: "psql [-- ARGS…]", Short: "Open psql on the database", Example: "  winnow psql\n  winnow psql -- -c 'select count(*) from proposals'",
		RunE: func(cmd *cobra.Command, args []string) error {
			cfg, err := a.Settings()
			if err != nil {
				return err
			}
			if cfg, _, err = run.Locate(cfg); err != nil {
				return err
			}
			path, err := exec.LookPath("psql")
			if err != nil {
				return fmt.Errorf("psql is not installed: %w", err)
			}
			c := exec.CommandContext(cmd.Context(), path, append([]string{cfg.Postgres.URL}, args...)...)
			c.Stdin, c.Stdout, c.Stderr = a.In, a.Out, a.Err
			c.Env = os.Environ()
			return c.Run()
		},
	}
}
