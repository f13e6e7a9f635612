package develop

import (
	"fmt"
	"io"
	"strings"

	"github.com/spf13/cobra"

	"github.com/winnowhq/winnow/cmd/winnow/cli/command"
	"github.com/winnowhq/winnow/services/distill"
	"github.com/winnowhq/winnow/services/eval/survival"
)

func evalWeekly(a *command.App) *cobra.Command {
	var address, model string
	var o survival.AskOptions
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
			asked, err := survival.Ask(cmd.Context(), m, o)
			if err != nil {
				return err
			}
			return a.Show(asked, func(w io.Writer) { printAsked(w, asked) })
		},
	}
	cmd.Flags().StringVar(&o.List, "list", "en", "list of memories that ships: en or de")
	cmd.Flags().IntVar(&o.Most, "memories", 0, "ask about the first memories of the list only (default: all)")
	cmd.Flags().IntVar(&o.AnswerTokens, "answer-tokens", 0, "length of the answer at most (default: 1500)")
	cmd.Flags().DurationVar(&o.Within, "within", 0, "time that the model has (default: any)")
	cmd.Flags().StringVar(&address, "model-url", "", "OpenAI-compatible address of the model")
	cmd.Flags().StringVar(&model, "model", "", "its name there (default: llm.model)")
	_ = cmd.MarkFlagRequired("model-url")
	return cmd
}

func printAsked(w io.Writer, a *survival.Asked) {
	fmt.Fprintf(w, "%s, %s: %d memories, about %d tokens\n", a.Model, a.Prompt, a.Before, a.Tokens)
	if a.Answer != "" {
		fmt.Fprintf(w, "answer (%s):\n  | %s\n", a.Stop, strings.ReplaceAll(strings.TrimSpace(a.Answer), "\n", "\n  | "))
	}
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
