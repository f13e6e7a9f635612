package operate

import (
	"cmp"
	"context"
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/spf13/cobra"

	"github.com/winnowhq/winnow/cmd/winnow/cli/command"
	"github.com/winnowhq/winnow/pkg/publish"
	winnowv1 "github.com/winnowhq/winnow/proto/winnow/v1"
	"github.com/winnowhq/winnow/services/local"
	"github.com/winnowhq/winnow/services/ops"
)

func triageCommand(a *command.App) *cobra.Command {
	var as, scope string
	backlog := &cobra.Command{
		Use: "backlog FILE|-", Short: "Run an old backlog through triage", Args: command.Exact("FILE|-"),
		Long: "Publishes every proposal of a file and waits for the verdicts: JSON lines, or a\n" +
			"text with one proposal per line or bullet.",
		Example: "  winnow triage backlog proposals.jsonl\n  winnow triage backlog MEMORY.proposals.md --scope project:shop",
		RunE: func(cmd *cobra.Command, args []string) error {
			text, err := a.Read(args[0])
			if err != nil {
				return err
			}
			list, err := parseBacklog(text, scope)
			if err != nil {
				return command.Usage(err)
			}
			return a.With(cmd, func(ctx context.Context, s *command.Session) error {
				for i := range list {
					if as != "" {
						list[i].Principal = as
					}
				}
				result, err := RunBacklog(ctx, a, s, list)
				if err != nil {
					return err
				}
				if err := a.Show(result, result.print); err != nil {
					return err
				}
				if result.Undecided > 0 {
					return fmt.Errorf("%w: %d not decided in time; they are published and will be", ops.ErrPartial, result.Undecided)
				}
				return nil
			})
		},
	}
	backlog.Flags().StringVar(&as, "as", "", "principal that publishes them")
	backlog.Flags().StringVar(&scope, "scope", "project:default", "scope of lines that name none")
	return command.Sub(&cobra.Command{Use: "triage", Short: "Run a backlog", Example: "  winnow triage backlog proposals.jsonl"}, backlog)
}

// parseBacklog parses JSON lines, or else lines and Markdown bullets, where a
// heading names the section of the following lines.
func parseBacklog(text []byte, scope string) ([]local.Submission, error) {
	if trimmed := strings.TrimSpace(string(text)); strings.HasPrefix(trimmed, "{") {
		list, err := local.ParseSubmissions(text)
		for _, s := range list {
			if s.Proposal.GetScope() == "" {
				s.Proposal.Scope = scope
			}
			if s.Proposal.GetId() == "" {
				s.Proposal.Id = publish.NewID()
			}
		}
		return list, err
	}
	var list []local.Submission
	section := ""
	for line := range strings.Lines(string(text)) {
		line = strings.TrimSpace(line)
		if heading := strings.TrimLeft(line, "#"); heading != line {
			section = strings.TrimSpace(heading)
			continue
		}
		for _, bullet := range []string{"- [ ] ", "* [ ] ", "- ", "* "} {
			if rest, ok := strings.CutPrefix(line, bullet); ok {
				line = rest
				break
			}
		}
		if line == "" {
			continue
		}
		list = append(list, local.Submission{Proposal: &winnowv1.ProposalCreated{
			Id: publish.NewID(), Scope: scope, Section: section, Text: line,
		}})
	}
	return list, nil
}

// BacklogResult is the result of a published backlog.
type BacklogResult struct {
	Published int            `json:"published"`
	Undecided int            `json:"undecided"`
	Verdicts  map[string]int `json:"verdicts"`
	Rules     []ruleCount    `json:"rules"`
	Took      time.Duration  `json:"took_ns"`

	Decided []*winnowv1.ProposalDecided `json:"-"` // verdicts in the order of arrival
}

type ruleCount struct {
	Rule    string `json:"rule"`
	Verdict string `json:"verdict"`
	Count   int    `json:"count"`
}

// StallTimeout bounds the time without a new verdict before RunBacklog gives up.
const StallTimeout = time.Minute

// RunBacklog publishes a backlog and waits for all verdicts.
func RunBacklog(ctx context.Context, a *command.App, s *command.Session, list []local.Submission) (*BacklogResult, error) {
	began := time.Now()
	listening, stop := context.WithCancel(ctx)
	defer stop()
	decisions, err := s.Decisions(listening)
	if err != nil {
		return nil, err
	}
	mine := make(map[string]bool, len(list))
	for _, l := range list {
		mine[l.Proposal.GetId()] = true
	}
	published := make(chan error, 1)
	go func() {
		_, err := publishQuietly(ctx, a, s, list)
		published <- err
	}()
	r := &BacklogResult{Published: len(list), Verdicts: map[string]int{}}
	bar := a.Bar(len(list), "triage")
	still := time.NewTimer(StallTimeout)
	defer still.Stop()
	for len(mine) > 0 {
		select {
		case d, ok := <-decisions:
			if !ok {
				return nil, ctx.Err()
			}
			if !mine[d.GetEventId()] {
				continue
			}
			delete(mine, d.GetEventId())
			r.Decided = append(r.Decided, d)
			_ = bar.Add(1)
			still.Reset(StallTimeout)
		case err := <-published:
			if err != nil {
				return nil, err
			}
			published = nil
		case <-still.C:
			r.Undecided = len(mine)
			clear(mine)
		}
	}
	_ = bar.Finish()
	r.Took = time.Since(began)
	r.sum()
	return r, nil
}

func publishQuietly(ctx context.Context, a *command.App, s *command.Session, list []local.Submission) (int, error) {
	silent := *a
	silent.Err = io.Discard
	return silent.PublishAll(ctx, s, list)
}

func (r *BacklogResult) sum() {
	counts := map[[2]string]int{}
	for _, d := range r.Decided {
		r.Verdicts[d.GetVerdict()]++
		counts[[2]string{d.GetVerdict(), d.GetRule()}]++
	}
	for k, n := range counts {
		r.Rules = append(r.Rules, ruleCount{Verdict: k[0], Rule: k[1], Count: n})
	}
	slices.SortFunc(r.Rules, func(x, y ruleCount) int {
		return cmp.Or(cmp.Compare(x.Verdict, y.Verdict), cmp.Compare(y.Count, x.Count), cmp.Compare(x.Rule, y.Rule))
	})
}

// verdicts is the order of verdicts in the output.
var verdicts = []string{"promoted", "rejected", "merged", "needs_review", "quarantined"}

func (r *BacklogResult) printHead(w io.Writer) {
	fmt.Fprintf(w, "%d proposals in %s:", r.Published, r.Took.Round(time.Millisecond))
	for _, v := range verdicts {
		if n := r.Verdicts[v]; n > 0 {
			fmt.Fprintf(w, "  %d %s", n, strings.ReplaceAll(v, "_", " "))
		}
	}
	fmt.Fprint(w, "\n\n")
}

// PrintShort prints a line for each verdict, with its rules.
func (r *BacklogResult) PrintShort(w io.Writer) {
	r.printHead(w)
	var rows [][]string
	for _, v := range verdicts {
		var rules []string
		for _, c := range r.Rules {
			if c.Verdict == v {
				rules = append(rules, fmt.Sprintf("%d %s", c.Count, c.Rule))
			}
		}
		if len(rules) > 0 {
			rows = append(rows, []string{v, strings.Join(rules, ", ")})
		}
	}
	command.Table(w, nil, rows)
}

func (r *BacklogResult) print(w io.Writer) {
	r.printHead(w)
	var rows [][]string
	for _, c := range r.Rules {
		rows = append(rows, []string{c.Verdict, c.Rule, strconv.Itoa(c.Count)})
	}
	command.Table(w, []string{"VERDICT", "RULE", "COUNT"}, rows)
}
