package command

import (
	"strings"
	"testing"

	"github.com/spf13/cobra"
)

// A name that is nearly right is answered with the right one, for commands and flags,
// as a usage error.
func TestDidYouMean(t *testing.T) {
	t.Parallel()
	run := func(*cobra.Command, []string) error { return nil }
	for line, want := range map[string]string{
		"memory pni":                  "pin",
		"memory archive --scop=x":     "--scope",
		"memory archive --scoep x":    "--scope",
		"memory archive --conf":       "--confidence",
		"memory archive --zebra":      "",
		"memory zebra":                "",
		"memory archive --scope":      "", // it wants an argument
		"memory archive --scope=a -z": "",
	} {
		pin, archive := &cobra.Command{Use: "pin", RunE: run}, &cobra.Command{Use: "archive", RunE: run}
		archive.Flags().String("scope", "", "")
		archive.Flags().Float64("confidence", 0, "")
		root := &cobra.Command{Use: "winnow", SilenceErrors: true, SilenceUsage: true}
		root.SetFlagErrorFunc(UnknownFlag)
		root.AddCommand(Sub(&cobra.Command{Use: "memory"}, pin, archive))
		root.SetArgs(strings.Fields(line))
		err := root.Execute()
		if err == nil || !IsUsage(err) {
			t.Errorf("%s: %v, want a usage error", line, err)
			continue
		}
		_, named, _ := strings.Cut(err.Error(), "Did you mean this?")
		if strings.TrimSpace(named) != want {
			t.Errorf("%s: %q, want %q", line, err, want)
		}
	}
}
