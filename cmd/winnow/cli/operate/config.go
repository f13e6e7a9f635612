package operate

import (
	"fmt"
	"io"

	"github.com/spf13/cobra"

	"github.com/winnowhq/winnow/cmd/winnow/cli/command"
	"github.com/winnowhq/winnow/services/fleet"
	"github.com/winnowhq/winnow/services/run"
)

type settingLine struct {
	Key    string `json:"key"`
	Value  string `json:"value"`
	Source string `json:"source"`
}

func configCommand(a *command.App) *cobra.Command {
	check := &cobra.Command{
		Use: "check", Short: "Name everything that is wrong with the settings", Args: cobra.NoArgs,
		Example: "  winnow config check --config=winnow.yaml",
		RunE: func(*cobra.Command, []string) error {
			if _, err := a.Settings(); err != nil {
				return err
			}
			a.Say("the settings are fine")
			return nil
		},
	}
	print := &cobra.Command{
		Use: "print", Short: "Show every setting and where it came from", Args: cobra.NoArgs,
		Example: "  winnow config print\n  winnow config print --json",
		RunE: func(*cobra.Command, []string) error {
			_, values, err := a.Flags.Load()
			lines := make([]settingLine, 0, len(values))
			for _, v := range values {
				lines = append(lines, settingLine{v.Key, v.Shown(), v.Source})
			}
			shown := a.Show(lines, func(w io.Writer) {
				var rows [][]string
				for _, l := range lines {
					rows = append(rows, []string{l.Key, l.Value, l.Source})
				}
				command.Table(w, []string{"KEY", "VALUE", "SOURCE"}, rows)
			})
			if err != nil {
				return err
			}
			return shown
		},
	}
	reference := &cobra.Command{
		Use: "reference", Short: "Document every setting, as Markdown", Args: cobra.NoArgs,
		Example: "  winnow config reference",
		RunE: func(*cobra.Command, []string) error {
			_, err := fmt.Fprint(a.Out, run.ConfigReference(fleet.All))
			return err
		},
	}
	return command.Sub(&cobra.Command{Use: "config", Short: "Check and show the settings", Example: "  winnow config check"}, check, print, reference)
}
