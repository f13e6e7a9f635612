package operate

import (
	"context"
	"fmt"
	"io"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/winnowhq/winnow/cmd/winnow/cli/command"
	"github.com/winnowhq/winnow/services/distill"
	"github.com/winnowhq/winnow/services/ops/topics"
)

// desk returns the operations on topics, with the configured model or none.
func desk(s *command.Session) (*topics.Desk, error) {
	model, err := s.Config.MeasuringModel(distill.Definition, s.Config.LLM.URL, "")
	if err != nil {
		return nil, err
	}
	return &topics.Desk{
		Store: s.Store, Redactor: s.Redactor, Tenant: s.Tenant, Person: s.Person, Now: s.Now, NewID: s.NewID, Model: model,
	}, nil
}

func topicsCommand(a *command.App) *cobra.Command {
	var scope string
	var least, limit int
	var due bool
	cmd := &cobra.Command{
		Use: "topics", Short: "List topics, and whether their summary is due", Args: cobra.NoArgs,
		Example: "  winnow topics\n  winnow topics --scope project:shop --least 10\n  winnow topics --due --json",
		RunE: func(cmd *cobra.Command, _ []string) error {
			return a.With(cmd, func(ctx context.Context, s *command.Session) error {
				d, err := desk(s)
				if err != nil {
					return err
				}
				list, err := d.List(ctx, scope, least, limit, due)
				if err != nil {
					return err
				}
				return a.Show(list, func(w io.Writer) {
					var rows [][]string
					for _, t := range list {
						written := "none"
						if t.Summary != "" {
							written = "without a footer"
						}
						if !t.WrittenAt.IsZero() {
							written = t.WrittenAt.Local().Format("2006-01-02") + " from " + strconv.Itoa(t.From)
						}
						rows = append(rows, []string{t.Topic, t.Scope, strconv.Itoa(t.Memories), strconv.Itoa(t.Sessions), written, t.Due})
					}
					command.Table(w, []string{"TOPIC", "SCOPE", "MEMORIES", "SESSIONS", "SUMMARY", "DUE"}, rows)
				})
			})
		},
	}
	cmd.Flags().StringVar(&scope, "scope", "", "only this scope")
	cmd.Flags().IntVar(&least, "least", 2, "only topics with so many memories")
	cmd.Flags().IntVar(&limit, "limit", 50, "at most so many")
	cmd.Flags().BoolVar(&due, "due", false, "only topics whose summary should be written or renewed")
	return cmd
}

// summarizing is what the flags of summarize ask for.
type summarizing struct {
	name, scope, file, restore string
	draft                      bool
}

func summarizeCommand(a *command.App) *cobra.Command {
	var o summarizing
	cmd := &cobra.Command{
		Use: "summarize --topic TOPIC", Short: "Write the one summary of a topic", Args: cobra.NoArgs,
		Long: "Stores the executive summary of a topic, which every search for the topic shows first. The model that is configured writes it from all " +
			"memories of the topic, or you do, with --file. Either must say nothing that no memory says. The summary before is archived and " +
			"can be put back with --restore.",
		Example: "  winnow summarize --topic auth --draft > auth.md    # look at what the model would write\n" +
			"  winnow summarize --topic auth --file auth.md\n  winnow summarize --topic auth\n  winnow summarize --topic auth --restore mem_…",
		RunE: func(cmd *cobra.Command, _ []string) error {
			if o.name == "" {
				return command.Usagef("--topic: name the topic; winnow topics lists them")
			}
			if o.draft && o.file != "" || o.restore != "" && (o.draft || o.file != "") {
				return command.Usagef("give one of --draft, --file and --restore")
			}
			var content []byte
			if o.file != "" {
				var err error
				if content, err = a.Read(o.file); err != nil {
					return err
				}
			}
			return a.With(cmd, func(ctx context.Context, s *command.Session) error { return o.carryOut(ctx, a, s, string(content)) })
		},
	}
	f := cmd.Flags()
	f.StringVar(&o.name, "topic", "", "the topic")
	f.StringVar(&o.scope, "scope", "", "its scope, where several have the topic")
	f.StringVar(&o.file, "file", "", "store this text, - for standard input")
	f.StringVar(&o.restore, "restore", "", "put back this archived summary")
	f.BoolVar(&o.draft, "draft", false, "print what the model would write, and store nothing")
	return cmd
}

// carryOut shows a draft, or stores a summary: the given text, an archived one or the model's.
func (o summarizing) carryOut(ctx context.Context, a *command.App, s *command.Session, content string) error {
	d, err := desk(s)
	if err != nil {
		return err
	}
	t, err := d.Find(ctx, o.name, o.scope)
	if err != nil {
		return err
	}
	var written topics.Draft // of the model
	var done topics.Stored
	switch {
	case o.draft:
		written, err = d.Draft(ctx, t)
	case o.file != "" || o.restore != "":
		done, err = d.Put(ctx, t, content, o.restore)
	default:
		written, done, err = d.StoreDraft(ctx, t)
	}
	for _, f := range written.Dropped {
		a.Say("left out: %s", f)
	}
	if err != nil {
		return err
	}
	if o.draft {
		return a.Show(written, func(w io.Writer) { fmt.Fprintln(w, written.Content) })
	}
	return a.Show(done, func(w io.Writer) {
		fmt.Fprintf(w, "%s · %s · %s · %d memories, %d tokens\n", done.ID, done.Name, done.Scope, done.Memories, done.Tokens)
		if done.Replaced != "" {
			fmt.Fprintf(w, "replaced %s\n", done.Replaced)
		}
	})
}

func logCommand(a *command.App) *cobra.Command {
	var l topics.Log
	cmd := &cobra.Command{
		Use: "log", Short: "Show what each caller searched for and read in full", Args: cobra.NoArgs,
		Long: "The protocol to which a topic summary is held: every search with its words, and\n" +
			"every memory that was given in full, by caller and session, the newest first.\n" +
			"It is kept for retention.research (48 hours by default).",
		Example: "  winnow log\n  winnow log --principal builder --session s1\n  winnow log --since 2h --json",
		RunE: func(cmd *cobra.Command, _ []string) error {
			if l.Limit < 1 || l.Since < 0 {
				return command.Usagef("--limit is at least 1 and --since no time to come")
			}
			return a.With(cmd, func(ctx context.Context, s *command.Session) error {
				list, err := topics.ReadLog(ctx, s.Store, s.Tenant, s.Now(), l)
				if err != nil {
					return err
				}
				return a.Show(list, func(w io.Writer) {
					var rows [][]string
					for _, e := range list {
						about := e.MemoryID
						if about == "" {
							about = fmt.Sprintf("%s (%d found)", strings.Join(e.Words, " "), e.Found)
						}
						rows = append(rows, []string{e.At.Local().Format(time.DateTime), e.Principal, e.Session, e.What, about})
					}
					command.Table(w, []string{"AT", "PRINCIPAL", "SESSION", "WHAT", "ABOUT"}, rows)
				})
			})
		},
	}
	f := cmd.Flags()
	f.StringVar(&l.Principal, "principal", "", "only of this principal")
	f.StringVar(&l.Session, "session", "", "only of this session")
	f.DurationVar(&l.Since, "since", 0, "only of this last time, such as 2h")
	f.IntVar(&l.Limit, "limit", 100, "how many at most")
	return cmd
}
