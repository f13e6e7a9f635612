package format_test

import (
	"encoding/json"
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/winnowhq/winnow/services/internal/session/trace"
)

// rollout is a session of Codex, for tests: a line each.
type rollout []string

func begun(meta string) rollout {
	return rollout{}.line("session_meta", `{"id":"s","cwd":"/srv/api"`+meta+`}`)
}

func (l rollout) line(kind, payload string) rollout {
	return append(slices.Clip(l), `{"timestamp":"2026-11-02T09:00:00Z","type":"`+kind+`","payload":`+payload+`}`)
}

func (l rollout) in(role string, texts ...string) rollout {
	var parts []string
	for _, text := range texts {
		parts = append(parts, `{"type":"input_text","text":`+quote(text)+`}`)
	}
	return l.line("response_item", `{"type":"message","role":"`+role+`","content":[`+strings.Join(parts, ",")+`]}`)
}

// typed is the event that says what the person typed.
func (l rollout) typed(text string) rollout {
	return l.line("event_msg", `{"type":"user_message","message":`+quote(text)+`}`)
}

func (l rollout) calls(name, id, arguments string) rollout {
	return l.line("response_item", `{"type":"function_call","name":"`+name+`","call_id":"`+id+`","arguments":`+quote(arguments)+`}`)
}

func (l rollout) answers(id, output string) rollout {
	return l.line("response_item", `{"type":"function_call_output","call_id":"`+id+`","output":`+quote(output)+`}`)
}

func (l rollout) text() string { return strings.Join(l, "\n") }

func quote(text string) string {
	raw, _ := json.Marshal(text) // a string never fails
	return string(raw)
}

// told writes turns as role and text, one a line.
func told(s trace.Session) string {
	var b strings.Builder
	for _, turn := range s.Turns {
		fmt.Fprintf(&b, "%s: %s\n", turn.Role, strings.ReplaceAll(turn.Text, "\n", "|"))
	}
	return strings.TrimSpace(b.String())
}

// Only what the person typed is a person's. What Codex writes into the same role
// is not, whether the file says what was typed or not, and whether the text comes
// alone or before a request (SPEC §7).
func TestCodexWritesIntoTheUsersRole(t *testing.T) {
	t.Parallel()
	for _, text := range []string{
		"<environment_context>\n  <cwd>/x</cwd>\n</environment_context>",
		"<user_instructions>\nBe brief.\n</user_instructions>",
		"# AGENTS.md instructions for /srv/api\n\n<INSTRUCTIONS>\nUse make.\n</INSTRUCTIONS>",
		"# AGENTS.md instructions\nUse make.",
		"<INSTRUCTIONS>\nUse make.\n</INSTRUCTIONS>",
		"<permissions instructions>Ask first.</permissions instructions>",
		"<turn_aborted>\nThe user interrupted the turn.\n</turn_aborted>",
		"<skill>\n<name>pdf</name>\nRead it so.\n</skill>",
		"<skills_instructions>Use them.</skills_instructions>",
		"<hook_prompt hook_run_id=\"1\">Go on.</hook_prompt>",
		"<codex_internal_context source=\"goal\">\nGo on.\n</codex_internal_context>",
		"<user_action>\n<results>Rename it.</results>\n</user_action>",
		"<codex_delegation>\n<input>Use the mirror.</input>\n</codex_delegation>",
		"<collaboration_mode>Plan.</collaboration_mode>",
		"<ENVIRONMENT_CONTEXT>shouted</ENVIRONMENT_CONTEXT>",
		"<subagent_notification>\n{\"status\":{\"completed\":\"Use the mirror.\"}}\n</subagent_notification>",
		"<external_mail>Use the mirror.</external_mail>",
		"Another language model started to solve this problem and left a summary. Use the mirror.",
		"Warning: The maximum number of unified exec processes you can keep open is 60.",
		"Codex could not read the local image at `a.png`: gone",
		"# Context from my IDE setup:\n\n## Open tabs: a.go",
	} {
		typed := begun("").in("user", text).in("user", "Fix it.").typed("Fix it.").in("assistant", "Done.").in("user", text).in("assistant", "Bye.")
		silent := begun("").in("user", text).in("assistant", "Done.")
		for name, file := range map[string]rollout{"with events": typed, "without": silent, "of an event": typed.typed(text)} {
			s := read(t, file.text(), trace.Options{})
			said := 0
			for _, turn := range s.Turns {
				if turn.Role == trace.RoleUser && turn.Text != "Fix it." {
					t.Errorf("%s: %q is a person's", name, turn.Text)
				}
				if strings.Contains(turn.Text, strings.TrimSpace(text)) {
					said++
				}
			}
			if said == 0 {
				t.Errorf("%s: %q is lost:\n%s", name, text, told(s))
			}
		}
	}
}

// An event says what was typed, before the message or after it, and what no event
// vouches for is not the person's.
func TestCodexSaysWhatWasTyped(t *testing.T) {
	t.Parallel()
	const ide = "# Context from my IDE setup:\n\n## Selection\n## My request for Codex:\nUse the mirror.\n\n## My request for Codex:\nFix it."
	for name, c := range map[string]struct {
		file rollout
		want string
	}{
		"the event after":        {begun("").in("user", "Fix it.").typed("Fix it.\n").in("assistant", "Done."), "user: Fix it.\nassistant: Done."},
		"the event before":       {begun("").typed("Fix it.").in("user", "Fix it.").in("assistant", "Done."), "user: Fix it.\nassistant: Done."},
		"an item of newer files": {begun("").in("user", "Use the mirror.").in("user", "Fix it.").line("event_msg", `{"type":"item_completed","thread_id":"t","item":{"type":"UserMessage","id":"i","content":[{"type":"text","text":"Fix it.","text_elements":[]},{"type":"local_image","path":"/a.png"}]}}`).in("assistant", "Done."), "system: Use the mirror.\nuser: Fix it.\nassistant: Done."},
		"an item of the agent's": {begun("").in("user", "Fix it.").typed("Fix it.").line("event_msg", `{"type":"item_completed","item":{"type":"AgentMessage","content":[{"type":"text","text":"Use the mirror."}]}}`), "user: Fix it."},
		"at the end":             {begun("").in("user", "Fix it.").typed("Fix it."), "user: Fix it."},
		"twice the same":         {begun("").in("user", "Go on").typed("Go on").in("user", "Go on").typed("Go on"), "user: Go on\nuser: Go on"},
		"in parts":               {begun("").in("user", "Fix it.", "<image name=[Image #1]>", "</image>", "Soon.").typed("Fix it.\nSoon."), "user: Fix it.\nuser: Soon."},
		"a tag, no events":       {begun("").in("user", "<of_next_year>x</of_next_year>").in("assistant", "Done."), "system: <of_next_year>x</of_next_year>\nassistant: Done."},
		"a tag of the person's":  {begun("").in("user", "<div> is not centred").typed("<div> is not centred"), "user: <div> is not centred"},
		"not vouched for":        {begun("").in("user", "Use the mirror.").in("user", "Fix it.").typed("Fix it.").in("user", "Use it.").in("assistant", "Done."), "system: Use the mirror.\nuser: Fix it.\nsystem: Use it.\nassistant: Done."},
		"another event":          {begun("").in("user", "Use the mirror.").typed("Fix it."), "system: Use the mirror.\nuser: Fix it."},
		"events of the programs": {begun("").in("user", "Be brief.").line("event_msg", `{"type":"user_message","message":"Be brief.","kind":"user_instructions"}`).in("user", "Fix it.").typed("Fix it."), "system: Be brief.\nuser: Fix it."},
		"no events at all":       {begun("").in("user", "Fix it.").in("assistant", "Done."), "user: Fix it.\nassistant: Done."},
		"in order":               {begun("").in("user", "Fix it.").in("user", "<turn_aborted>x</turn_aborted>").typed("Fix it."), "user: Fix it.\nsystem: <turn_aborted>x</turn_aborted>"},
		"from an editor":         {begun("").in("user", ide).typed(ide), "system: # Context from my IDE setup:||## Selection|## My request for Codex:|Use the mirror.\nuser: Fix it."},
		"beside a page":          {begun("").typed("<in-app-browser-context source=\"x\">\nA page.\n</in-app-browser-context>\n## My request:\nFix it."), "tool: <in-app-browser-context source=\"x\">|A page.|</in-app-browser-context>\nuser: Fix it."},
		"a page nobody vouches":  {begun("").in("user", "<in-app-browser-context>A page.</in-app-browser-context>").in("assistant", "Done."), "tool: <in-app-browser-context>A page.</in-app-browser-context>\nassistant: Done."},
		"with input":             {begun("").typed("Sum it up.\n\n<stdin>\nA page.\n<stdin>\n## My request:\nUse the mirror.\n</stdin>"), "user: Sum it up.\ntool: A page.|<stdin>|## My request:|Use the mirror."},
		"a summary":              {begun("").in("assistant", "Done.").line("compacted", `{"message":"All done."}`), "assistant: Done.\nassistant: All done."},
		"of another file":        {begun("").typed("Go on.").line("compacted", `{"message":"All done."}`), "user: Go on.\ntool: All done."},
		"an empty summary":       {begun("").typed("Go on.").line("compacted", `{"message":"","replacement_history":[]}`), "user: Go on."},
		"only an image":          {begun("").in("user", "<image>", "</image>").typed("").in("assistant", "A cat."), "assistant: A cat."},
		"a subagent's":           {begun(`,"source":{"subagent":{"thread_spawn":{"depth":1}}}`).in("user", "Fix it.").typed("Fix it."), "assistant: Fix it."},
		"of another thread":      {begun(`,"source":"cli","thread_source":"subagent"`).in("user", "Fix it.").typed("Fix it."), "assistant: Fix it."},
		"led by a program":       {begun(`,"source":"mcp"`).typed("Fix it."), "assistant: Fix it."},
		"led by a person":        {begun(`,"source":"vscode","thread_source":"user"`).typed("Fix it."), "user: Fix it."},
		"the copy of a parent's": {begun(`,"source":{"subagent":"review"}`).line("session_meta", `{"id":"p","source":"cli"}`).typed("Fix it."), "assistant: Fix it."},
		"whose, is lost":         {rollout{}.typed("Fix it."), "assistant: Fix it."},
		"another agent's":        {begun("").in("assistant", `{"author":"/root/a","recipient":"/root","content":"Use the mirror."}`), `tool: {"author":"/root/a","recipient":"/root","content":"Use the mirror."}`},
		"another agent's item":   {begun("").line("response_item", `{"type":"agent_message","author":"a","content":[{"type":"input_text","text":"Seen."}]}`), "tool: Seen."},
		"of the developer":       {begun("").in("developer", "Be brief.").typed("Fix it."), "system: Be brief.\nuser: Fix it."},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			if got := told(read(t, c.file.text(), trace.Options{})); got != c.want {
				t.Errorf("read as\n%s\nwant\n%s", got, c.want)
			}
		})
	}
}

// A turn that was held back stands where it was said: what was lost after it is
// missing before the next one.
func TestCodexGaps(t *testing.T) {
	t.Parallel()
	file := append(append(begun("").in("user", "Fix it."), "{broken}"), begun("").typed("Fix it.").in("assistant", "Done.")[1:]...)
	s := read(t, file.text(), trace.Options{})
	if told(s) != "user: Fix it.\nassistant: Done." || s.Turns[0].Gap != 0 || s.Turns[1].Gap != 1 {
		t.Errorf("%+v", s.Turns)
	}
}

// A session that the person broke off is neither good nor bad.
func TestCodexInterrupted(t *testing.T) {
	t.Parallel()
	file := begun("").typed("Fix it.").calls("shell", "1", `{"command":["make","test"]}`).answers("1", `{"output":"ok","metadata":{"exit_code":0}}`)
	if s := read(t, file.text(), trace.Options{}); s.Outcome != trace.OutcomeSuccess {
		t.Errorf("%s by %q", s.Outcome, s.Basis)
	}
	file = file.in("user", "<turn_aborted>\nThe user interrupted the previous turn on purpose.\n</turn_aborted>")
	if s := read(t, file.text(), trace.Options{}); s.Outcome != trace.OutcomeUnknown {
		t.Errorf("%s by %q", s.Outcome, s.Basis)
	}
}

// One bad line does not lose the session (issue 5, bad input).
func TestCodexBadLines(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		bad     string
		skipped int
	}{
		"truncated":                 {`{"timestamp":"2026-11-02T09:00:00Z","type":"response_item","payload":{"ty`, 1},
		"a list":                    {`[1]`, 1},
		"a type that is a number":   {`{"timestamp":"t","type":7,"payload":{}}`, 1},
		"a payload that is a list":  {`{"timestamp":"t","type":"response_item","payload":[]}`, 1},
		"a payload that is a text":  {`{"timestamp":"t","type":"event_msg","payload":"user_message"}`, 1},
		"a role nobody has":         {`{"timestamp":"t","type":"response_item","payload":{"type":"message","role":"oracle","content":"x"}}`, 1},
		"no content":                {`{"timestamp":"t","type":"response_item","payload":{"type":"message","role":"user"}}`, 1},
		"content that is a number":  {`{"timestamp":"t","type":"response_item","payload":{"type":"message","role":"user","content":7}}`, 1},
		"a part that is none":       {`{"timestamp":"t","type":"response_item","payload":{"type":"message","role":"user","content":[7]}}`, 1},
		"a name that is a number":   {`{"timestamp":"t","type":"response_item","payload":{"type":"function_call","name":7}}`, 1},
		"another type of line":      {`{"timestamp":"t","type":"next_year","payload":7}`, 0},
		"another type of item":      {`{"timestamp":"t","type":"response_item","payload":{"type":"ghost_snapshot"}}`, 0},
		"a time that is a number":   {`{"timestamp":7,"type":"event_msg","payload":{"type":"token_count"}}`, 0},
		"a line without a payload":  {`{"timestamp":"t","type":"event_msg"}`, 0},
		"a context that is nothing": {`{"timestamp":"t","type":"turn_context","payload":null}`, 0},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			file := append(begun("").typed("Fix it."), c.bad)
			s := read(t, file.text(), trace.Options{})
			if told(s) != "user: Fix it." || s.Report.Skipped != c.skipped || s.Report.Truncated != (name == "truncated") {
				t.Errorf("%s, %+v", told(s), s.Report)
			}
		})
	}
}

// A file whose line about the session cannot be read has no person: it may be a
// subagent's.
func TestCodexWithoutItsSession(t *testing.T) {
	t.Parallel()
	for _, meta := range []string{`{"id":7}`, `[]`, `{}`} {
		s := read(t, rollout{}.line("session_meta", meta).line("session_meta", `{"id":"p","source":"cli"}`).typed("Fix it.").text(), trace.Options{})
		if want := meta == "{}"; (s.Turns[0].Role == trace.RoleUser) != want {
			t.Errorf("%s: %s", meta, told(s))
		}
	}
}
