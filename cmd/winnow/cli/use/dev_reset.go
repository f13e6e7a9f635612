package use

import (
	"bufio"
	"fmt"
	"io"
	"strings"

	"github.com/spf13/cobra"

	"github.com/winnowhq/winnow/cmd/winnow/cli/command"
	"github.com/winnowhq/winnow/services/run"
)

// reset is the answer of winnow dev reset.
type reset struct {
	Dir   string `json:"dir"`
	Aside string `json:"moved_to,omitempty"` // empty when there was nothing
}

// devReset moves the data of winnow dev aside. It asks first, because the folder may hold a
// person's whole memory; where no person can be asked it wants --yes.
func devReset(a *command.App) *cobra.Command {
	var yes bool
	cmd := &cobra.Command{
		Use:   "reset",
		Short: "Begin anew: move everything that winnow dev keeps aside",
		Example: "  winnow dev reset          # says what would go, and asks\n" +
			"  winnow dev reset --yes    # in a script",
		Args: cobra.NoArgs,
		RunE: func(cmd *cobra.Command, _ []string) error {
			cfg, err := a.Settings()
			if err != nil {
				return err
			}
			dir, parts, err := run.DevData(cfg)
			if err != nil {
				return err
			}
			if len(parts) == 0 {
				return a.Show(reset{Dir: dir}, func(w io.Writer) { fmt.Fprintf(w, "nothing is kept in %s\n", dir) })
			}
			a.Say("in %s:", dir)
			for _, p := range parts {
				a.Say("  %-14s %s", p.Name, command.Size(p.Bytes))
			}
			if !yes {
				if !command.Terminal(a.In) {
					return command.Usagef("nothing was moved: this is no terminal, so nobody can be asked; add --yes")
				}
				if !agrees(a, "Move all of it aside and begin anew? [y/N] ") {
					a.Say("nothing was moved")
					return nil
				}
			}
			aside, err := run.ResetDev(cmd.Context(), cfg)
			if err != nil {
				return err
			}
			return a.Show(reset{dir, aside}, func(w io.Writer) {
				fmt.Fprintf(w, "moved to %s\ndelete it when it is no longer wanted: rm -r %s\n", aside, aside)
			})
		},
	}
	cmd.Flags().BoolVarP(&yes, "yes", "y", false, "do not ask")
	return cmd
}

// agrees asks a question whose answer is no unless a person says yes.
func agrees(a *command.App, question string) bool {
	fmt.Fprint(a.Err, question)
	line, _ := bufio.NewReader(a.In).ReadString('\n')
	switch strings.ToLower(strings.TrimSpace(line)) {
	case "y", "yes", "j", "ja":
		return true
	}
	return false
}
