package operate

import (
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/winnowhq/winnow/cmd/winnow/cli/command"
	"github.com/winnowhq/winnow/services/ops"
	"github.com/winnowhq/winnow/services/run"
)

func auditCommand(a *command.App) *cobra.Command {
	var limit int
	var subject string
	log := &cobra.Command{
		Use: "log", Short: "List what was done, newest first", Args: cobra.NoArgs, Example: "  winnow audit log --subject mem_…",
		RunE: func(cmd *cobra.Command, _ []string) error {
			return a.With(cmd, func(ctx context.Context, s *command.Session) error {
				events, err := s.Ops.AuditLog(ctx, subject, 0, limit)
				if err != nil {
					return err
				}
				return a.Show(events, func(w io.Writer) {
					var rows [][]string
					for _, e := range events {
						rows = append(rows, []string{strconv.FormatInt(e.Seq, 10), e.At.Format(time.DateTime), string(e.Actor), e.Principal, e.Action, e.Subject})
					}
					command.Table(w, []string{"LINK", "AT", "ACTOR", "PRINCIPAL", "ACTION", "SUBJECT"}, rows)
				})
			})
		},
	}
	log.Flags().IntVar(&limit, "limit", 50, "at most so many")
	log.Flags().StringVar(&subject, "subject", "", "only about this id")
	return command.Sub(&cobra.Command{Use: "audit", Short: "Read and check the audit log", Example: "  winnow audit verify"},
		log, auditVerify(a), auditAccept(a), auditKey(a))
}

func auditVerify(a *command.App) *cobra.Command {
	var rows bool
	var files []string
	verify := &cobra.Command{
		Use: "verify", Short: "Check the hash chain, its signed heads and the rows; exit code 7 if they disagree", Args: cobra.NoArgs,
		Example: "  winnow audit verify\n  winnow audit verify --json\n  winnow audit verify --heads noted.txt",
		RunE: func(cmd *cobra.Command, _ []string) error {
			return a.With(cmd, func(ctx context.Context, s *command.Session) error {
				heads, err := headsOf(ctx, s, files)
				if err != nil {
					return err
				}
				report, broken := s.Ops.VerifyAudit(ctx, heads, !rows)
				if broken != nil && !errors.Is(broken, ops.ErrAuditBroken) {
					return broken
				}
				return errors.Join(broken, a.Show(report, func(w io.Writer) { printVerified(w, report) }))
			})
		},
	}
	verify.Flags().BoolVar(&rows, "rows", true, "compare proposals, memories, decisions and evidence with their digests")
	verify.Flags().StringArrayVar(&files, "heads", nil, "also hold the log against the signed heads in this file, one a line")
	return verify
}

func printVerified(w io.Writer, v ops.Verified) {
	fmt.Fprintf(w, "%d links, %d events, %d erased bodies\nhead %s\n", v.Links, v.Events, v.Erased, v.Head)
	if n := v.Signed.Newest; n != nil {
		fmt.Fprintf(w, "link %d was signed at %s (%s) and is the same\n", n.Seq, n.At.Format(time.DateTime), v.Signed.Place)
	}
	if r := v.Rows; r != nil {
		fmt.Fprintf(w, "%d rows checked, %d not covered (from before, written without an entry, or their audit body is erased), %d deleted by retention, %d forgotten\n", r.Checked, r.NotCovered, r.Retired, r.Forgotten)
	}
	for _, n := range v.Signed.Notes {
		fmt.Fprintf(w, "note: %s\n", n)
	}
}

// headsOf gathers the signed heads of database, stream, vault and files.
func headsOf(ctx context.Context, s *command.Session, files []string) (ops.Heads, error) {
	h := ops.Heads{Trusted: s.Config.Trusted()}
	h.Found, h.Notes = s.SignedHeads(ctx)
	for _, name := range files {
		text, err := os.ReadFile(name)
		if err != nil {
			return h, command.Usagef("heads: %v", err)
		}
		for _, line := range strings.Fields(string(text)) {
			h.Found = append(h.Found, run.NotedHead(line))
		}
	}
	return h, nil
}

func auditAccept(a *command.App) *cobra.Command {
	var yes bool
	accept := &cobra.Command{
		Use: "accept", Short: "After restoring an older backup: let the restored log count from now on", Args: cobra.NoArgs,
		Example: "  winnow audit verify\n  winnow audit accept --yes",
		RunE: func(cmd *cobra.Command, _ []string) error {
			return a.With(cmd, func(ctx context.Context, s *command.Session) error {
				key, err := s.Config.AuditKey()
				if err != nil {
					return err
				}
				if !yes {
					return command.Usagef("this gives up the proof of all links that were signed and are not there; add --yes if you restored a backup")
				}
				heads, err := headsOf(ctx, s, nil)
				if err != nil {
					return err
				}
				h, err := s.Ops.AcceptAudit(ctx, key, heads)
				if err != nil {
					return err
				}
				return a.Show(h, func(w io.Writer) {
					fmt.Fprintf(w, "accepted: %d links count, and signed heads after link %d from before now do not. winnow-relay publishes it within the hour, or when it starts\n", h.Seq, h.Since)
				})
			})
		},
	}
	accept.Flags().BoolVar(&yes, "yes", false, "a backup was restored")
	return accept
}

func auditKey(a *command.App) *cobra.Command {
	return &cobra.Command{
		Use: "key", Short: "Print the public key of audit.key, for audit.public_keys", Args: cobra.NoArgs,
		Example: "  winnow audit key\n  WINNOW_AUDIT_KEY_FILE=audit.key winnow audit key",
		RunE: func(*cobra.Command, []string) error {
			cfg, err := a.Settings()
			if err != nil {
				return err
			}
			if cfg.Audit.Key == "" {
				if located, _, err := run.Locate(cfg); err == nil {
					cfg = located
				}
			}
			key, err := cfg.AuditKey()
			if err != nil {
				return err
			}
			return a.Show(map[string]string{"public_key": key.Public()}, func(w io.Writer) { fmt.Fprintln(w, key.Public()) })
		},
	}
}
