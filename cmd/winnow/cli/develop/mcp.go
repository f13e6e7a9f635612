package develop

import (
	"crypto/rand"
	"errors"
	"os"
	"slices"
	"strings"

	"github.com/modelcontextprotocol/go-sdk/mcp"
	"github.com/spf13/cobra"

	"github.com/winnowhq/winnow/cmd/winnow/bridge"
	"github.com/winnowhq/winnow/cmd/winnow/cli/command"
	"github.com/winnowhq/winnow/services/api"
	"github.com/winnowhq/winnow/services/local"
	"github.com/winnowhq/winnow/services/run"
)

// KeyVariable names the environment variable with the API key of the bridge and
// the hook. Every user of the machine could read a flag.
const KeyVariable = "WINNOW_API_KEY"

// toolsetNames are the values of --toolsets.
var toolsetNames = []string{"core", "all"}

func mcpCommand(a *command.App) *cobra.Command {
	var url, toolsets string
	cmd := &cobra.Command{
		Use: "mcp", Short: "Serve an agent over standard input and output", Args: cobra.NoArgs,
		Long: "Passes an agent's MCP messages on to the running winnow dev, or to the Winnow at\n" +
			"--url with the key in " + KeyVariable + ". Where that is away, tools are listed and calls are\n" +
			"answered with an error that says how to start it; it is found again when it is back.\n" +
			"Calls that name no project or session get those of the folder and of this run. Agents start this\n" +
			"themselves: winnow mcp install tells them how.",
		Example: "  winnow mcp install claude\n" +
			"  winnow mcp --toolsets all\n" +
			"  winnow mcp --url https://winnow.example",
		RunE: func(cmd *cobra.Command, _ []string) error {
			find, err := Finder(a, url)
			if err != nil {
				return err
			}
			if toolsets != "" && !slices.Contains(toolsetNames, toolsets) {
				return command.Usagef("--toolsets %q: write %s", toolsets, strings.Join(toolsetNames, " or "))
			}
			catalogue, err := api.Catalogue()
			if err != nil {
				return err
			}
			b := bridge.Bridge{Find: find, Key: os.Getenv(KeyVariable), Toolsets: toolsets, Catalogue: catalogue, Here: here()}
			return b.Run(cmd.Context(), &mcp.StdioTransport{})
		},
	}
	cmd.Flags().StringVar(&url, "url", "", "Winnow's address, such as https://winnow.example (default: the running winnow dev)")
	cmd.Flags().StringVar(&toolsets, "toolsets", "", "core for the ten tools that agents need, all for every tool (default: what the server says)")
	cmd.AddCommand(mcpInstall(a), mcpUninstall(a), mcpCheck(a))
	return cmd
}

// here returns the project of the working folder and a new name for the session, which
// are filled into calls that leave them out. A folder whose project cannot be read has
// none: the agent can still name it.
func here() bridge.Here {
	h := bridge.Here{Session: "mcp-" + strings.ToLower(rand.Text())}
	if dir, err := os.Getwd(); err == nil {
		h.Project, _ = local.FindProject(dir)
	}
	return h
}

// Finder returns a function that finds Winnow: at the given address, else at the
// address of the running winnow dev.
func Finder(a *command.App, url string) (func() (string, error), error) {
	if url != "" {
		if !strings.HasPrefix(url, "http://") && !strings.HasPrefix(url, "https://") {
			return nil, command.Usagef("--url %q: write http://host:port or https://host", url)
		}
		return func() (string, error) { return strings.TrimSuffix(url, "/mcp"), nil }, nil
	}
	cfg, err := a.Settings()
	if err != nil {
		return nil, err
	}
	return func() (string, error) {
		at, err := run.DevURL(cfg)
		if errors.Is(err, run.ErrNoInstance) {
			err = errors.New("no Winnow is running here: start it with winnow dev" + stateHint(cfg))
		}
		return at, err
	}, nil
}

// stateHint names the folder of a winnow dev with an unusual state folder.
func stateHint(cfg run.Config) string {
	if cfg.StateDir == "" {
		return ""
	}
	return " --state-dir " + cfg.StateDir
}
