package use

import (
	"context"
	"fmt"
	"io"
	"slices"
	"strings"

	"github.com/spf13/cobra"

	"github.com/winnowhq/winnow/cmd/winnow/cli/command"
	"github.com/winnowhq/winnow/services/local"
	"github.com/winnowhq/winnow/services/ops"
)

func searchCommand(a *command.App) *cobra.Command {
	r := ops.SearchRequest{}
	all := false
	cmd := &cobra.Command{
		Use: "search QUERY", Short: "Find memories by words and meaning", Args: cobra.MinimumNArgs(1),
		Example: "  winnow search \"which port does staging postgres use\"\n" +
			"  winnow search deploy rollback --scope project:shop --kind rule --limit 5\n" +
			"  winnow search pgx pool --deep --json",
		RunE: func(cmd *cobra.Command, args []string) error {
			r.Query = strings.Join(args, " ")
			return a.With(cmd, func(ctx context.Context, s *command.Session) error {
				if len(r.Scopes) == 0 && !all {
					here, err := scopesHere(ctx, s.Ops)
					if err != nil {
						return err
					}
					if r.Scopes = here; len(here) > 0 {
						a.Say("in %s and what is shared; --all looks everywhere", here[0])
					}
				}
				found, err := s.Ops.Search(ctx, r)
				if err != nil {
					return err
				}
				for _, n := range found.Notes {
					a.Say("%s", n)
				}
				return a.Show(found, func(w io.Writer) { printFound(w, found) })
			})
		},
	}
	f := cmd.Flags()
	f.StringSliceVar(&r.Scopes, "scope", nil, "look in these scopes (default: the project of this folder and what is shared; all where that is unknown)")
	f.BoolVar(&all, "all", false, "look in every scope")
	f.StringSliceVar(&r.Kinds, "kind", nil, "only memories of these kinds")
	f.StringVar(&r.Outcome, "outcome", "", "only what came of a success or a failure")
	f.Float64Var(&r.MinConfidence, "min-confidence", ops.DefaultMinConfidence, "leave out what is held with less, 0 to 1")
	f.IntVar(&r.Limit, "limit", 10, "at most so many")
	f.BoolVar(&r.Deep, "deep", false, "look at more candidates, for a question that spans much")
	f.StringVar(&r.Session, "session", "", "the session that the answer is shown in; it is kept what was shown there")
	return cmd
}

// scopesHere returns where a person looks who stands in this folder: the project that it
// belongs to, first, then the users and what the project belongs to. It returns none where Winnow
// knows nothing of that project: an answer from elsewhere is better than no answer.
func scopesHere(ctx context.Context, o *ops.Ops) ([]string, error) {
	here, err := local.FindScope(".")
	if err != nil {
		return nil, err
	}
	known, err := o.ScopeNames(ctx)
	if err != nil || !slices.Contains(known, here) {
		return nil, err
	}
	above, err := o.ScopesAbove(ctx, here)
	users := slices.DeleteFunc(known, func(s string) bool { return !strings.HasPrefix(s, "user:") })
	return slices.Concat([]string{here}, users, above), err
}

func printFound(w io.Writer, found ops.Found) {
	if len(found.Found) == 0 {
		fmt.Fprintln(w, "nothing found: "+found.Why)
		return
	}
	for i, f := range found.Found {
		via := ""
		if f.Redirected {
			via = " · replaced what was found"
		}
		fmt.Fprintf(w, "%2d. %s\n    %.2f · %s · %s · confidence %.2f · %s%s\n", i+1, command.Short(f.Text, 300), f.Relevance, f.Kind, f.Scope, f.Confidence, f.ID, via)
	}
	if found.Capped > 0 {
		fmt.Fprintf(w, "%d more candidates were not looked at: --deep\n", found.Capped)
	}
}
