package trace

import (
	"regexp"
	"strings"
)

// Kind is what a tool does, as far as its name tells. It is a hint for the
// extraction of lessons; package trust has lists of its own.
type Kind string

// The kinds. Empty means that the name is not known.
const (
	KindShell  Kind = "shell"
	KindTest   Kind = "test" // a shell that runs tests
	KindGit    Kind = "git"  // a shell that runs git
	KindRead   Kind = "read"
	KindSearch Kind = "search"
	KindEdit   Kind = "edit"
	KindWeb    Kind = "web"
	KindPlan   Kind = "plan" // notes to itself
	KindAgent  Kind = "agent"
	KindSubmit Kind = "submit" // hands in the work
)

// LocalCommand is the name of the tool for commands that a person ran in the
// shell from within an agent's program.
const LocalCommand = "local-command"

// kinds holds the kinds of the tools of common agents, by name in lower case.
var kinds = map[string]Kind{
	"bash": KindShell, "shell": KindShell, "sh": KindShell, "terminal": KindShell, "exec": KindShell, "exec_command": KindShell,
	"run_command": KindShell, "execute_command": KindShell, "run_terminal_cmd": KindShell, "run_in_terminal": KindShell,
	"local_shell": KindShell, "execute_bash": KindShell, "cmd": KindShell, "powershell": KindShell, "python": KindShell,
	"shell_command": KindShell, "container.exec": KindShell, "write_stdin": KindShell,
	LocalCommand: KindShell,
	"read":       KindRead, "read_file": KindRead, "view": KindRead, "open": KindRead, "cat": KindRead, "notebookread": KindRead,
	"goto": KindRead, "scroll_up": KindRead, "scroll_down": KindRead, "bashoutput": KindRead,
	"grep": KindSearch, "glob": KindSearch, "ls": KindSearch, "find": KindSearch, "search": KindSearch, "list_dir": KindSearch,
	"search_files": KindSearch, "codebase_search": KindSearch, "grep_search": KindSearch, "file_search": KindSearch,
	"grep_files": KindSearch, "find_file": KindSearch, "search_dir": KindSearch, "search_file": KindSearch, "list_files": KindSearch,
	"edit": KindEdit, "multiedit": KindEdit, "write": KindEdit, "notebookedit": KindEdit, "apply_patch": KindEdit,
	"create": KindEdit, "create_file": KindEdit, "write_file": KindEdit, "write_to_file": KindEdit, "edit_file": KindEdit,
	"str_replace": KindEdit, "str_replace_editor": KindEdit, "str_replace_based_edit_tool": KindEdit, "insert": KindEdit, "replace_in_file": KindEdit,
	"webfetch": KindWeb, "websearch": KindWeb, "web_search": KindWeb, "web_fetch": KindWeb, "fetch": KindWeb, "browser": KindWeb,
	"todowrite": KindPlan, "todoread": KindPlan, "update_plan": KindPlan, "enterplanmode": KindPlan, "exitplanmode": KindPlan, "think": KindPlan,
	"task": KindAgent, "agent": KindAgent, "subagent": KindAgent, "taskoutput": KindAgent, "spawn_agent": KindAgent,
	"submit": KindSubmit,
}

// KindOf returns the kind of a tool by its name, and of a shell by its command.
func KindOf(name, command string) Kind {
	k := kinds[strings.ToLower(name)]
	if k != KindShell || command == "" {
		return k
	}
	switch {
	case testCommand.MatchString(command):
		return KindTest
	case gitCommand.MatchString(command):
		return KindGit
	}
	return k
}

// atCommand matches where a command can begin in a line.
const atCommand = `(?:^|[;&|(\n])\s*(?:(?:sudo|time|env|nice|npx|bunx|uv run|poetry run|pipenv run|bundle exec|\w+=\S+|timeout \S+)\s+)*`

// testCommand matches commands that check the work: tests, builds, linters.
var testCommand = regexp.MustCompile(atCommand + `(?:go (?:test|vet|build)|(?:\S*/)?(?:pytest|py\.test|tox|nox|jest|vitest|mocha|rspec|phpunit|ctest|tsc|eslint|ruff|mypy|golangci-lint)\b` +
	`|python[\d.]* -m (?:pytest|unittest)|(?:npm|yarn|pnpm|bun)(?: run)? (?:test|build|lint|check|typecheck)` +
	`|cargo (?:test|nextest|build|check|clippy)|(?:\./)?(?:mvnw?|gradlew?)\b.*\b(?:test|verify|check|build|package)|make(?: -\S+)* (?:test|check|verify|lint|build)` +
	`|dotnet (?:test|build)|bazel (?:test|build)|mix test|swift (?:test|build)|rake test|deno test)`)

var gitCommand = regexp.MustCompile(atCommand + `git\s`)

// looking matches commands whose failure says nothing about the work: commands
// that look around or tidy up.
var looking = regexp.MustCompile(`^\s*(?:ls|ll|dir|cat|head|tail|less|more|grep|rg|ag|find|fd|pwd|cd|echo|which|type|wc|stat|file|tree|du|df|ps|env|date|whoami|rm|mkdir|touch|cp|mv|chmod|sed -n|awk|diff|sleep|kill|pkill|git (?:status|log|diff|show|branch|stash|grep|blame))\b`)

// works reports whether the end of t's command is a sign of how the work went.
func works(t Tool) bool {
	return (t.Kind == KindShell || t.Kind == KindTest || t.Kind == KindGit) && t.Command != "" && !looking.MatchString(t.Command)
}
