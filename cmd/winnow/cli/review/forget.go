package review

import (
	"context"
	"errors"
	"fmt"
	"io"
	"maps"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/winnowhq/winnow/cmd/winnow/cli/command"
	"github.com/winnowhq/winnow/services/index"
	"github.com/winnowhq/winnow/services/ops/forget"
	"github.com/winnowhq/winnow/services/ops/vault"
)

func forgetCommand(a *command.App) *cobra.Command {
	var r forget.Request
	var yes bool
	cmd := &cobra.Command{
		Use: "forget [id]...", Short: "Erase a memory, a session or a subject for good", Args: cobra.ArbitraryArgs,
		Long: "Shows what carries the words of a memory (mem_…), a proposal (prop_…), a session\n" +
			"(ses_…) or about a subject, and with --yes erases it: the same text elsewhere, what\n" +
			"contains it, what was derived from it; evidence, vectors, transcripts, digests that\n" +
			"showed it, answers of models, bodies of the audit, messages of the streams; and it\n" +
			"begins the history of the vault anew. Ids, times and counts stay, and the audit says\n" +
			"who asked. It cannot be undone; winnow retract takes words out of service and can.\n" +
			"Backups, clones of the vault and what agents read are not reached.",
		Example: "  winnow forget mem_01…                    # only show\n" +
			"  winnow forget mem_01… --yes\n" +
			"  winnow forget ses_01… --yes --json\n" +
			"  winnow forget --subject 'Jane Doe'",
		RunE: func(cmd *cobra.Command, ids []string) error {
			r.IDs = ids
			if len(ids) == 0 && r.Subject == "" {
				return command.Usagef("say what: an id, or --subject")
			}
			return a.With(cmd, func(ctx context.Context, s *command.Session) error {
				streams, end, err := s.Eraser()
				if err != nil {
					return err
				}
				defer end()
				o := &forget.Ops{Store: s.Store, Streams: streams, Redactor: s.Redactor, Tenant: s.Tenant, Person: s.Person, NewID: s.NewID}
				if s.Vault != nil {
					o.Restart = func(ctx context.Context) error { return restartVault(ctx, s) }
				}
				done, err := o.Forget(ctx, r, yes)
				if errors.Is(err, forget.ErrSubject) {
					return command.Usagef("%v", err)
				}
				if err != nil && !done.Applied {
					return err
				}
				if shown := a.Show(done, func(w io.Writer) { printForgotten(w, done) }); shown != nil {
					return shown
				}
				return err
			})
		},
	}
	cmd.Flags().StringVar(&r.Subject, "subject", "", "whatever says these words, in any case of letters")
	cmd.Flags().BoolVar(&yes, "yes", false, "do it")
	return cmd
}

func restartVault(ctx context.Context, s *command.Session) error {
	v, err := s.Vault(s.Tenant)
	if err != nil {
		return err
	}
	layout := index.Layout.In(s.Config.Workers)
	_, err = vault.New(s.Store, v, s.Tenant, layout.Sections, layout.Vault.Lines, s.Now).Restart(ctx, func(int, int) {})
	return err
}

func printForgotten(w io.Writer, d forget.Done) {
	for _, group := range []struct {
		what string
		n    int
	}{
		{"memories", len(d.Memories)}, {"proposals", len(d.Proposals)}, {"sessions", len(d.Sessions)},
		{"transcripts", len(d.Transcripts)}, {"entries of the served log", int(d.Served)}, {"other rows that say it", int(d.Asides)},
	} {
		fmt.Fprintf(w, "%5d  %s\n", group.n, group.what)
	}
	for _, stream := range slices.Sorted(maps.Keys(d.Streams)) {
		fmt.Fprintf(w, "%5d  messages of %s\n", d.Streams[stream], stream)
	}
	if len(d.Restored) > 0 {
		fmt.Fprintf(w, "\nserves again, because what replaced it goes: %s\n", strings.Join(d.Restored, ", "))
	}
	if d.Applied {
		fmt.Fprintf(w, "\nforgotten; in the audit as %s\n", d.Run)
		if d.Vault == "not here" {
			fmt.Fprintln(w, "the vault is not on this machine: run winnow vault rebuild --fresh where it is")
		}
		return
	}
	for _, m := range d.Memories {
		fmt.Fprintf(w, "\n  %s  %s  %q\n", m.ID, m.Scope, command.Short(m.Text, 90))
	}
	for _, p := range d.Proposals {
		fmt.Fprintf(w, "\n  %s  %s  %q\n", p.ID, p.Scope, command.Short(p.Text, 90))
	}
	fmt.Fprintln(w, "\nnothing was changed; to erase it for good, add --yes")
}
