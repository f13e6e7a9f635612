package develop

import (
	"fmt"
	"io"
	"os/exec"
	"strings"

	"github.com/winnowhq/winnow/cmd/winnow/cli/command"
	"github.com/winnowhq/winnow/cmd/winnow/clients"
	"github.com/winnowhq/winnow/services/local"
)

// installed is what an installation changes: the server's entry, and the hooks.
type installed struct {
	*clients.Plan
	Hooks *local.InstalledHooks `json:"hooks,omitempty"`
}

// hookNames lists the agents that have hooks.
func hookNames() (names []string) {
	for _, a := range local.HookAgents() {
		names = append(names, a.Name)
	}
	return names
}

// installHooks makes an agent call the program that it starts as a server: by its whole
// path, because a hook has neither the PATH nor the variables of this shell.
func installHooks(a *command.App, name, url string, dryRun bool) (*local.InstalledHooks, error) {
	home, err := local.FindHome()
	if err != nil {
		return nil, err
	}
	agent, _ := local.FindHookAgent(name)
	file := agent.File(home)
	if dryRun {
		known, err := agent.Installed(file)
		return &local.InstalledHooks{Agent: name, File: file, Added: agent.Missing(known)}, err
	}
	s, err := Server(a, url, false)
	if err != nil {
		return nil, err
	}
	cfg, err := a.Settings()
	if err != nil {
		return nil, err
	}
	var args []string
	if cfg.StateDir != "" && url == "" {
		args = append(args, "--state-dir", cfg.StateDir)
	}
	done, err := local.InstallHooks(agent, file, s.Command, args...)
	return &done, err
}

func (i installed) printHooks(w io.Writer, dryRun bool) {
	switch h := i.Hooks; {
	case h == nil:
	case len(h.Added) == 0:
		fmt.Fprintf(w, "\n%s\n  calls winnow already\n", h.File)
	case dryRun:
		fmt.Fprintf(w, "\n%s\n  would call winnow at %s\n", h.File, strings.Join(h.Added, ", "))
	default:
		fmt.Fprintf(w, "\n%s\n  calls winnow at %s\n", h.File, strings.Join(h.Added, ", "))
		if h.Agent == "codex" {
			fmt.Fprintln(w, "  Codex asks you to trust new hooks: type /hooks in it")
		}
	}
}

// hooksOf returns the events at which an agent calls Winnow, and what is wrong with them:
// a program that is not there, or an event without a hook beside others that have one.
func hooksOf(name string) (events []string, problem string) {
	agent, ok := local.FindHookAgent(name)
	home, err := local.FindHome()
	if !ok || err != nil {
		return nil, ""
	}
	programs, err := agent.Programs(agent.File(home))
	if err != nil {
		return nil, err.Error()
	}
	if len(programs) == 0 {
		return nil, ""
	}
	for event, program := range programs {
		events = append(events, event)
		if _, err := exec.LookPath(program); err != nil {
			problem = fmt.Sprintf("the hook of %s calls %s, which is not there, or may not be run", event, program)
		}
	}
	if missing := agent.Missing(programs); problem == "" && len(missing) > 0 {
		problem = "no hook at " + strings.Join(missing, ", ")
	}
	return agent.Sorted(events), problem
}

// hooks adds to a check what is to be said of the agent's hooks.
func (c *Checked) hooks() {
	events, problem := hooksOf(c.Client)
	if c.Hooks = events; c.Problem == "" && problem != "" {
		c.Problem, c.Fix = problem, "winnow mcp uninstall "+c.Client+", then winnow mcp install "+c.Client+" --hooks"
	}
}

// removeHooks takes an agent's hooks out of its file, or only says which there are.
func removeHooks(agent local.HookAgent, dryRun bool) (events []string, err error) {
	home, err := local.FindHome()
	if err != nil {
		return nil, err
	}
	if !dryRun {
		return local.RemoveHooks(agent, agent.File(home))
	}
	known, err := agent.Installed(agent.File(home))
	for event := range known {
		events = append(events, event)
	}
	return agent.Sorted(events), err
}
