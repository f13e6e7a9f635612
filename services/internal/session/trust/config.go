package trust

import (
	"errors"
	"fmt"
	"path"
	"slices"
	"strings"
)

// Config lists what is trusted and what is not. Names of tools are compared
// without case and may hold the wildcards of path.Match: "mcp__git__*".
type Config struct {
	// Workspace tools read, search, edit, plan and run tests: they print what the
	// workspace holds.
	Workspace []string `koanf:"workspace" yaml:"workspace" help:"Tools that print what the workspace holds; wildcards as in git_*."`
	// Shells are judged by the command.
	Shells []string `koanf:"shells" yaml:"shells" help:"Tools whose command line says how far they reach."`
	// Network tools bring words from outside. A tool that is in none of the
	// lists counts as one.
	Network []string `koanf:"network" yaml:"network" help:"Tools that bring words from outside. A tool in no list is taken for one."`
	// Printers are the programs of a shell that print what the workspace holds and
	// reach nothing else, by the first word or words: "git log". Addresses among
	// their arguments are only words.
	Printers []string `koanf:"printers" yaml:"printers" help:"Programs of a shell that only print the workspace: first words, such as git log. A program in no list reaches the network."`
	// Builders run or check the workspace's own code: tests, compilers, linters. An
	// address among their arguments is network.
	Builders []string `koanf:"builders" yaml:"builders" help:"Programs of a shell that run the workspace's own code, such as go test. With an address among their arguments they reach the network."`
	// Commands reach the network, by the first word, whatever the other lists say;
	// with none but configured hosts they count as the workspace's.
	Commands []string `koanf:"commands" yaml:"commands" help:"Shell commands that reach the network unless they name configured hosts alone, by the first word."`
	// Foreign are the folders of a workspace that hold what others wrote.
	// Printing a file from one of them is as untrusted as a web page.
	Foreign []string `koanf:"foreign" yaml:"foreign" help:"Folders that hold what others wrote, such as node_modules: what a shell prints of them is from outside."`
	// Registries are the commands of package managers: they reach the network and
	// print nothing of it but names and versions. First words, one or more:
	// "npm install".
	Registries []string `koanf:"registries" yaml:"registries" help:"Commands of package managers, which bring names and versions only: first words, such as npm install."`
	// Hosts whose answers count as the workspace's, such as a service on this
	// machine. Empty by default, because such a service may relay text from
	// anywhere. Wildcards as above.
	Hosts []string `koanf:"hosts" yaml:"hosts" help:"Hosts whose answers count as the workspace's; wildcards allowed."`
}

// DefaultConfig returns the lists for the tools of common agents. It has no
// host: the answers of a service on this machine may have come from anywhere.
func DefaultConfig() Config {
	return Config{
		Workspace: []string{
			"read", "read_file", "view", "open", "cat", "goto", "scroll_up", "scroll_down", "notebookread", "bashoutput",
			"grep", "glob", "ls", "find", "search", "list_dir", "list_files", "search_files", "codebase_search", "grep_search", "file_search",
			"find_file", "search_dir", "search_file", "grep_files",
			"edit", "multiedit", "write", "notebookedit", "apply_patch", "create", "create_file", "write_file", "write_to_file", "edit_file",
			"str_replace", "str_replace_editor", "str_replace_based_edit_tool", "insert", "replace_in_file",
			"read_many_files", "list_directory", "search_file_content", "replace", "search_replace", "delete_file", "read_lints", "view_image",
			"glob_file_search", "list_code_definition_names", "replace_string_in_file", "insert_edit_into_file", "get_errors", "list_code_usages",
			"todowrite", "todoread", "todo_write", "update_plan", "enterplanmode", "exitplanmode", "think", "submit", "killshell",
			// Of the agent's own program: questions to the person, notes, installed skills.
			"askuserquestion", "taskcreate", "taskget", "tasklist", "taskupdate", "taskstop", "skill", "toolsearch", "lsp", "mcp__ide__*",
			"request_user_input", "request_permissions", "tool_search", "create_goal", "get_goal", "update_goal",
			"enterworktree", "exitworktree", "ask_followup_question", "attempt_completion", "finish",
			"git", "git_*", "mcp__git__*", "mcp__filesystem__*", "test", "run_tests", "lint",
			"slash-command", // of the agent's program, typed by the person
			// Winnow's own answers are judged by where each memory came from.
			"mcp__winnow__*",
		},
		Shells: []string{
			"bash", "shell", "sh", "terminal", "exec", "exec_command", "run_command", "execute_command", "run_terminal_cmd",
			"run_in_terminal", "local_shell", "execute_bash", "run_shell_command", "cmd", "powershell", "local-command",
			"shell_command", "container.exec",
			"write_stdin", // judged by the command that it writes to
		},
		Network: []string{
			"webfetch", "websearch", "web_*", "fetch*", "browser*", "http*", "*search_web*", "*mail*", "*slack*", "*github*", "*gitlab*", "*jira*", "*notion*",
			"mcp__fetch__*", "mcp__playwright__*", "mcp__puppeteer__*",
			"read_mcp_resource", "list_mcp_resources", "list_mcp_resource_templates", // what a server says, whichever it is
		},
		Commands: []string{
			"curl", "wget", "http", "https", "httpie", "xh", "aria2c", "lynx", "links", "w3m", "elinks", "nc", "ncat", "netcat", "socat", "telnet",
			"ftp", "sftp", "ssh", "scp", "rsync", "gh", "glab", "hub", "jira", "dig", "nslookup", "host", "whois", "openssl", "mail", "mutt",
			"invoke-webrequest", "invoke-restmethod", "iwr", "irm", "aws", "gcloud", "gsutil", "az", "kubectl", "youtube-dl", "yt-dlp", "newsboat",
		},
		Printers: append(slices.Clone(printers), gitEntries()...),
		Builders: slices.Clone(builders),
		Foreign:  slices.Clone(foreignDirs),
		Registries: []string{
			"git push", "npm outdated", "pnpm outdated", "yarn outdated",
			"go get", "go install", "go mod", "go list", "npm install", "npm i", "npm ci", "npm update", "yarn add", "yarn install", "pnpm add", "pnpm install",
			"bun install", "bun add", "pip install", "pip3 install", "pip download", "uv pip", "uv sync", "uv add", "poetry add", "poetry install",
			"cargo add", "cargo fetch", "cargo update", "cargo install", "gem install", "bundle install", "composer install", "composer require",
			"apt install", "apt-get install", "apt update", "apt-get update", "apk add", "brew install", "dnf install", "yum install",
			"mvn install", "mix deps.get", "mix deps.update", "mix archive.install", "docker pull", "docker build",
		},
	}
}

// Validate returns an error that names every invalid entry.
func (c Config) Validate() error {
	var errs []error
	for field, list := range map[string][]string{
		"workspace": c.Workspace, "shells": c.Shells, "network": c.Network, "commands": c.Commands, "registries": c.Registries, "hosts": c.Hosts,
		"printers": c.Printers, "builders": c.Builders, "foreign": c.Foreign,
	} {
		for _, entry := range list {
			if strings.TrimSpace(entry) == "" {
				errs = append(errs, fmt.Errorf("trust.%s: an entry is empty; remove it", field))
			} else if _, err := path.Match(strings.ToLower(entry), ""); err != nil {
				errs = append(errs, fmt.Errorf("trust.%s: %q is no pattern; escape [ and \\ with \\", field, entry))
			}
		}
	}
	return errors.Join(errs...)
}

// Reach is how far a call goes.
type Reach uint8

// The reaches.
const (
	ReachNone Reach = iota // no tool
	ReachWorkspace
	ReachNetwork
	ReachUnlisted // in none of the lists
)

// External reports whether a call of this reach brings words from outside.
func (r Reach) External() bool { return r == ReachNetwork || r == ReachUnlisted }

// Reach classifies a call by the tool's name, and a shell by its command line.
// A shell whose command line is empty is unlisted, because what it ran is
// unknown. An exact name outweighs a wildcard. Among equals the network list
// wins.
func (c Config) Reach(tool, command string) Reach {
	tool = strings.ToLower(strings.TrimSpace(tool))
	if tool == "" {
		return ReachNone
	}
	for _, fits := range []func([]string, string) bool{named, matched} {
		switch {
		case fits(c.Network, tool):
			return ReachNetwork
		case fits(c.Shells, tool):
			return c.command(command)
		case fits(c.Workspace, tool):
			return ReachWorkspace
		}
	}
	return ReachUnlisted
}

func named(list []string, name string) bool {
	for _, entry := range list {
		if strings.EqualFold(entry, name) {
			return true
		}
	}
	return false
}

func matched(list []string, name string) bool {
	for _, entry := range list {
		if !strings.ContainsAny(entry, `*?[\`) {
			if strings.EqualFold(entry, name) {
				return true
			}
			continue
		}
		if ok, err := path.Match(strings.ToLower(entry), name); ok && err == nil {
			return true
		}
	}
	return false
}
