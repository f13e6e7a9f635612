package develop

import (
	"fmt"
	"io"

	"github.com/spf13/cobra"

	"github.com/winnowhq/winnow/cmd/winnow/cli/command"
	"github.com/winnowhq/winnow/services/distill"
	"github.com/winnowhq/winnow/services/eval/survival"
)

func evalWeekly(a *command.App) *cobra.Command {
	var list, address, model string
	cmd := &cobra.Command{
		Use: "weekly", Short: "Ask a model the weekly question, and say what the gates make of its answer", Args: cobra.NoArgs,
		Example: "  winnow eval weekly --list de --model-url http://localhost:11434/v1 --model qwen3:4b",
		RunE: func(cmd *cobra.Command, _ []string) error {
			cfg, err := a.Settings()
			if err != nil {
				return err
			}
			m, err := cfg.MeasuringModel(distill.Definition, address, model)
			if err != nil {
				return err
			}
			asked, err := survival.Ask(cmd.Context(), m, list)
			if err != nil {
				return err
			}
			return a.Show(asked, func(w io.Writer) { printAsked(w, asked) })
		},
	}
	cmd.Flags().StringVar(&list, "list", "en", "list of memories that ships: en or de")
	cmd.Flags().StringVar(&address, "model-url", "", "OpenAI-compatible address of the model")
	cmd.Flags().StringVar(&model, "model", "", "its name there (default: llm.model)")
	_ = cmd.MarkFlagRequired("model-url")
	return cmd
}

func printAsked(w io.Writer, a *survival.Asked) {
	fmt.Fprintf(w, "%s, %s: %d memories, about %d tokens\n%s\n\n", a.Model, a.Prompt, a.Before, a.Tokens, a.Answer)
	if !a.Valid {
		fmt.Fprintf(w, "not valid (%s): %s; nothing changes\n", a.Gate, a.Reason)
		return
	}
	fmt.Fprintf(w, "valid: %d before, %d after\n", a.Before, a.After)
	if a.Reason != "" {
		fmt.Fprintf(w, "  %s\n", a.Reason)
	}
	for _, text := range a.Merged {
		fmt.Fprintf(w, "  merged: %s\n", text)
	}
	for _, x := range a.Archived {
		fmt.Fprintf(w, "  archived: %s (%s)\n", x.ID, x.Reason)
	}
	for _, x := range a.Refused {
		fmt.Fprintf(w, "  refused to %s %v: %s\n", x.What, x.IDs, x.Reason)
	}
}
