package format_test

import (
	"testing"

	"github.com/winnowhq/winnow/services/internal/session/trace"
)

// A shell's command line is what the shell runs: it is what reach and outcome are
// judged by, so a wrapper is taken off and nothing else is.
func TestCodexCommands(t *testing.T) {
	t.Parallel()
	for arguments, want := range map[string]string{
		`{"command":["bash","-lc","curl x.dev"]}`:                          "curl x.dev",
		`{"command":["/bin/zsh","-l","-c","make test"]}`:                   "make test",
		`{"command":["powershell.exe","-NoProfile","-Command","iwr x"]}`:   "iwr x",
		`{"command":"ls","cmd":"curl x.dev"}`:                              "ls\ncurl x.dev",
		`{"cmd":"curl x.dev","workdir":"/x"}`:                              "curl x.dev",
		`{"command":"go test ./..."}`:                                      "go test ./...",
		`{"command":["curl","x.dev"]}`:                                     "curl x.dev",
		`{"command":["python3","-c","import urllib.request; print('a')"]}`: `python3 -c 'import urllib.request; print('\''a'\'')'`,
		`{"command":["bash","-lc"]}`:                                       "bash -lc",
		`{"command":["bash","a.sh","-c","x y"]}`:                           "bash a.sh -c 'x y'",
		`{"command":["bash","-o","pipefail","-c","make"]}`:                 "bash -o pipefail -c make",
		`{"command":["bash","--rcfile-c","make"]}`:                         "bash --rcfile-c make",
		`{"command":["echo",""]}`:                                          "echo ''",
	} {
		for _, tool := range []string{"shell", "shell_command", "exec_command", "container.exec"} {
			s := read(t, begun("").calls(tool, "1", arguments).text(), trace.Options{})
			if got := s.Turns[0].Tool.Command; got != want {
				t.Errorf("%s %s: %q, want %q", tool, arguments, got, want)
			}
		}
	}
}

// How a call ended stands around what it printed, in one of the program's ways of
// writing it, and what was printed is the turn's text.
func TestCodexAnswers(t *testing.T) {
	t.Parallel()
	for output, want := range map[string]trace.Turn{
		`{"output":"ok\n","metadata":{"exit_code":0}}`:      {Text: "ok", Settled: true},
		`{"output":"no","metadata":{"exit_code":2}}`:        {Text: "no", Settled: true, Error: true},
		`{"content":"denied","success":false}`:              {Text: "denied", Settled: true, Error: true},
		`{"content":"done","success":true}`:                 {Text: "done"},
		`{"output":"ok"}`:                                   {Text: `{"output":"ok"}`},
		`{"broken`:                                          {Text: `{"broken`},
		"Exit code: 0\nWall time: 0.1 seconds\nOutput:\nok": {Text: "ok", Settled: true},
		"Exit code: 1\nWall time: 0.1 seconds\nTotal output lines: 900\nOutput:\nExit code: 0":                   {Text: "Exit code: 0", Settled: true, Error: true},
		"Chunk ID: a1\nWall time: 2.0 seconds\nProcess exited with code 130\nOriginal token count: 1\nOutput:\n": {Settled: true, Error: true},
		"Chunk ID: a1\nWall time: 2.0 seconds\nProcess running with session ID 4\nOutput:\nstill":                {Text: "still"},
		"Exit code: -1\nOutput:\n":          {Settled: true, Error: true},
		"execution error: Io(NotFound)":     {Text: "execution error: Io(NotFound)", Settled: true, Error: true},
		"unsupported call: nothing":         {Text: "unsupported call: nothing", Settled: true, Error: true},
		"Output:\nof the command itself":    {Text: "Output:\nof the command itself"},
		"It said:\nExit code: 1\nOutput:\n": {Text: "It said:\nExit code: 1\nOutput:"},
	} {
		s := read(t, begun("").calls("update_plan", "1", "{}").answers("1", output).text(), trace.Options{})
		got := s.Turns[1]
		if got.Text != want.Text || got.Settled != want.Settled || got.Error != want.Error || got.Tool.Name != "update_plan" {
			t.Errorf("%q: %+v, want %+v", output, got, want)
		}
	}
}

// What a call is named decides what it is trusted with: a server's tool is called
// by the server's name too, and a program of the model's is no shell's.
func TestCodexNames(t *testing.T) {
	t.Parallel()
	for payload, want := range map[string]trace.Tool{
		`{"type":"function_call","name":"read_file","namespace":"mcp__files__","arguments":"{}"}`:                 {Name: "mcp__files__read_file"},
		`{"type":"function_call","name":"read_file","namespace":"files","arguments":"{}"}`:                        {Name: "files__read_file"},
		`{"type":"function_call","name":"mcp__files__read","namespace":"mcp__files__","arguments":"{}"}`:          {Name: "mcp__files__read"},
		`{"type":"function_call","name":"read_file","arguments":"{}"}`:                                            {Name: "read_file", Kind: trace.KindRead},
		`{"type":"custom_tool_call","name":"exec","input":"await tools.exec_command({cmd: 'curl x.dev'})"}`:       {Name: "code_mode"},
		`{"type":"custom_tool_call","name":"apply_patch","input":"*** Begin Patch"}`:                              {Name: "apply_patch", Kind: trace.KindEdit},
		`{"type":"web_search_call","action":{"type":"open_page","url":"https://x.dev"}}`:                          {Name: "web_search", Kind: trace.KindWeb},
		`{"type":"tool_search_call","call_id":"1","arguments":{"query":"mail"}}`:                                  {Name: "tool_search", Call: "1"},
		`{"type":"local_shell_call","id":"l","call_id":null,"action":{"type":"exec","command":["sh","-c","ls"]}}`: {Name: "local_shell", Kind: trace.KindShell, Call: "l", Command: "ls"},
		`{"type":"page_call_of_next_year_call","id":"p","status":"completed"}`:                                    {Name: "page_call_of_next_year", Call: "p"},
		`{"type":"function_call","arguments":"{}"}`:                                                               {Name: "unnamed"},
		`{"type":"function_call","name":"spawn_agent","call_id":"1","arguments":"{\"message\":\"Look\"}"}`:        {Name: "spawn_agent", Kind: trace.KindAgent, Call: "1"},
	} {
		s := read(t, begun("").line("response_item", payload).text(), trace.Options{})
		if got := s.Turns[0]; got.Tool != want || got.Role != trace.RoleAssistant {
			t.Errorf("%s: %+v, want %+v", payload, got.Tool, want)
		}
	}
}

// Who waits for a command is told what it prints, and is judged by it. Whoever
// types into it may do anything.
func TestCodexRunningCommands(t *testing.T) {
	t.Parallel()
	const running = "Wall time: 1 seconds\nProcess running with session ID 4\nOutput:\n"
	started := begun("").calls("exec_command", "1", `{"cmd":"make test"}`).answers("1", running)
	for name, c := range map[string]struct {
		file rollout
		want string
	}{
		"waits":             {started.calls("write_stdin", "2", `{"session_id":4,"chars":""}`), "make test"},
		"stops it":          {started.calls("write_stdin", "2", `{"session_id":4,"chars":"\u0003"}`), "make test"},
		"types":             {started.calls("write_stdin", "2", `{"session_id":4,"chars":"curl x.dev\n"}`), ""},
		"waits, has typed":  {started.calls("write_stdin", "2", `{"session_id":4,"chars":"y\n"}`).calls("write_stdin", "3", `{"session_id":4}`), ""},
		"another's":         {started.calls("write_stdin", "2", `{"session_id":5,"chars":""}`), ""},
		"number as a text":  {started.calls("write_stdin", "2", `{"session_id":"4"}`), "make test"},
		"no arguments":      {started.calls("write_stdin", "2", `curl`), ""},
		"nothing is run so": {begun("").calls("update_plan", "1", `{}`).answers("1", running).calls("write_stdin", "2", `{"session_id":4}`), ""},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := read(t, c.file.text(), trace.Options{})
			if got := s.Turns[len(s.Turns)-1].Tool; got.Name != "write_stdin" || got.Command != c.want {
				t.Errorf("%+v, want %q", got, c.want)
			}
		})
	}
}
