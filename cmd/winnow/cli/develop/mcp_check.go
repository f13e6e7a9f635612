package develop

import (
	"bytes"
	"cmp"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strings"
	"time"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"
	"github.com/spf13/cobra"

	"github.com/winnowhq/winnow/cmd/winnow/cli/command"
	"github.com/winnowhq/winnow/cmd/winnow/clients"
)

const (
	// checkWithin bounds the check of one agent.
	checkWithin = 20 * time.Second
	// endsWithin is how long the started program has for its end.
	endsWithin = 2 * time.Second
	// readAtCheck is the resource that is read to see whether Winnow itself answers. It
	// changes nothing, and the bridge cannot answer it alone.
	readAtCheck = "winnow://memory/MEMORY.md"
)

// Checked is what came of starting what an agent starts.
type Checked struct {
	clients.Entry
	Tools   int      `json:"tools"`
	Hooks   []string `json:"hooks,omitempty"` // events at which the agent calls Winnow
	Problem string   `json:"problem,omitempty"`
	Fix     string   `json:"fix,omitempty"`
}

func mcpCheck(a *command.App) *cobra.Command {
	var project bool
	cmd := &cobra.Command{
		Use: "check [" + strings.Join(clients.Names(), "|") + "]", Short: "Start what an agent would start, and say what is wrong",
		Args: cobra.MaximumNArgs(1), ValidArgs: clients.Names(),
		Long: "Reads the agent's own configuration, starts the program that it names with the\n" +
			"variables that it sets, greets it as an agent does, lists its tools and reads the\n" +
			"memory file. It says what is wrong and what to do, and ends with 1 then. Without a\n" +
			"name it checks every agent that is configured. It changes nothing.",
		Example: "  winnow mcp check\n" +
			"  winnow mcp check cursor --project",
		RunE: func(cmd *cobra.Command, args []string) error {
			all := []Checked{}
			for _, name := range clients.Names() {
				if len(args) > 0 && name != args[0] {
					continue
				}
				e, err := atPlace(name, project, clients.Configured, clients.ConfiguredProject)
				if len(args) == 0 && (errors.Is(err, clients.ErrNone) || errors.Is(err, clients.ErrUnknown)) {
					continue
				}
				if errors.Is(err, clients.ErrUnknown) {
					return command.Usage(err)
				}
				c := checkEntry(cmd.Context(), e, err, project)
				if !project {
					c.hooks()
				}
				all = append(all, c)
			}
			switch {
			case len(all) == 0 && len(args) > 0:
				return command.Usagef("unknown client %q: want one of %s", args[0], strings.Join(clients.Names(), ", "))
			case len(all) == 0:
				return errors.New("no agent starts Winnow here: winnow mcp install " + strings.Join(clients.Names(), "|"))
			}
			if err := a.Show(all, func(w io.Writer) { printChecks(w, all) }); err != nil {
				return err
			}
			var wrong []string
			for _, c := range all {
				if c.Problem != "" {
					wrong = append(wrong, c.Client)
				}
			}
			if len(wrong) > 0 {
				return fmt.Errorf("%s cannot use Winnow as it is", strings.Join(wrong, ", "))
			}
			return nil
		},
	}
	cmd.Flags().BoolVar(&project, "project", false, "what is configured in this folder")
	return cmd
}

// CheckAgents checks what every agent of this person would start. Agents without an entry
// are left out.
func CheckAgents(ctx context.Context) []Checked {
	var all []Checked
	for _, name := range clients.Names() {
		e, err := atPlace(name, false, clients.Configured, clients.ConfiguredProject)
		if !errors.Is(err, clients.ErrNone) {
			all = append(all, checkEntry(ctx, e, err, false))
		}
	}
	return all
}

// checkEntry checks one agent. err is what reading its configuration gave.
func checkEntry(ctx context.Context, e clients.Entry, err error, project bool) Checked {
	c := Checked{Entry: e}
	install := "winnow mcp install " + e.Client
	if project {
		install += " --project"
	}
	wrong := func(fix, format string, args ...any) Checked {
		c.Problem, c.Fix = fmt.Sprintf(format, args...), fix
		return c
	}
	switch {
	case errors.Is(err, clients.ErrNone):
		return wrong(install, "the file has no entry for winnow")
	case err != nil:
		return wrong("correct the file, then "+install, "%v", err)
	case e.Off:
		return wrong("switch it on in the agent, or in the file", "the entry is switched off")
	case e.URL != "":
		return wrong("nothing, if the agent reaches it; else winnow mcp uninstall "+e.Client+", then "+install,
			"the agent starts nothing: it connects to %s itself, which is not checked", e.URL)
	case e.Command == "":
		return wrong(install, "the entry names no program")
	}
	if _, err := exec.LookPath(e.Command); err != nil {
		return wrong(install, "the program %s is not there, or may not be run", e.Command)
	}
	ctx, cancel := context.WithTimeout(ctx, checkWithin)
	defer cancel()
	c.Tools, err = c.start(ctx)
	if err != nil {
		c.Problem, c.Fix = said(err), install
		if strings.Contains(c.Problem, ": ") && remedied(err) {
			c.Problem, c.Fix, _ = strings.Cut(c.Problem, ": ")
		}
	}
	return c
}

// start starts the entry's program, and returns how many tools it lists. The error is
// why an agent would have no use of it.
func (c Checked) start(ctx context.Context) (tools int, err error) {
	cmd := exec.CommandContext(ctx, c.Command, c.Args...)
	cmd.Env = os.Environ()
	for name, value := range c.Env {
		cmd.Env = append(cmd.Env, name+"="+value)
	}
	var complaint bytes.Buffer
	cmd.Stderr = &complaint
	s, err := mcp.NewClient(&mcp.Implementation{Name: "winnow mcp check", Version: "1"}, nil).
		Connect(ctx, &mcp.CommandTransport{Command: cmd, TerminateDuration: endsWithin}, nil)
	if err != nil {
		if remedied(err) {
			return 0, err
		}
		if ctx.Err() != nil {
			return 0, fmt.Errorf("it does not answer within %s", checkWithin)
		}
		last := strings.TrimSpace(complaint.String())
		last = last[strings.LastIndexByte(last, '\n')+1:]
		return 0, fmt.Errorf("it ends without an answer; it says %q", command.Short(cmp.Or(last, "nothing"), 200))
	}
	defer s.Close()
	if name := s.InitializeResult().ServerInfo.Name; name != "winnow" {
		return 0, fmt.Errorf("it starts another server, %q", command.Short(name, 60))
	}
	list, err := s.ListTools(ctx, nil)
	if err != nil {
		return 0, err
	}
	if _, err := s.ReadResource(ctx, &mcp.ReadResourceParams{URI: readAtCheck}); err != nil {
		return len(list.Tools), err
	}
	return len(list.Tools), nil
}

// remedied reports whether an error is Winnow's own, which names the remedy.
func remedied(err error) bool {
	var own *jsonrpc.Error
	return errors.As(err, &own)
}

// said returns an error in one line, without the names of the steps on the way.
func said(err error) string {
	var own *jsonrpc.Error
	if errors.As(err, &own) {
		return own.Message
	}
	return err.Error()
}

func printChecks(w io.Writer, all []Checked) {
	for i, c := range all {
		if i > 0 {
			fmt.Fprintln(w)
		}
		fmt.Fprintf(w, "%s  %s\n", c.Client, c.File)
		if c.Command != "" {
			fmt.Fprintf(w, "  starts  %s\n", strings.Join(append([]string{c.Command}, c.Args...), " "))
		}
		if c.Tools > 0 {
			fmt.Fprintf(w, "  lists   %s\n", command.Plural(c.Tools, "tool"))
		}
		if len(c.Hooks) > 0 {
			fmt.Fprintf(w, "  called  at %s\n", strings.Join(c.Hooks, ", "))
		}
		if c.Problem == "" {
			fmt.Fprintln(w, "  right   Winnow answers")
			continue
		}
		fmt.Fprintf(w, "  wrong   %s\n  fix     %s\n", c.Problem, c.Fix)
	}
}
