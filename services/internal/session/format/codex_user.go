package format

import (
	"regexp"
	"strings"

	"github.com/winnowhq/winnow/services/internal/session/trace"
)

// typing tells what the person typed from what Codex itself writes into the
// user's role. The file says it: beside the message the program writes an event
// with the person's words, mostly after it. So a text that is nothing known is
// held back until the event comes, or something else does. In a file that has
// such events, what none vouches for is not the person's.
type typing struct {
	silent   bool // an older file, which has no events
	vouches  bool // an event has told what was typed
	told     string
	withheld []withheld
}

// withheld is a text in the user's role whose speaker is not known yet.
type withheld struct {
	text    string
	own     []trace.Turn // what it is when it is known for the program's
	typed   bool
	from    speaker
	skipped int // records lost before it
}

// maxWithheld bounds them; more than a few come from no program.
const maxWithheld = 64

// What Codex puts around, before or in place of a person's words.
const (
	environment  = "<environment_context>"
	personsShell = "<user_shell_command>"
	handedOver   = "Another language model started to solve this problem"
	agentMessage = "agent_message"
	piped        = "\n<stdin>\n"
	browser      = "<in-app-browser-context"
)

// programsOfCodex finds texts of the program, of hooks and of skills.
var programsOfCodex = regexp.MustCompile(`^(?:(?i:<(?:environment_context|user_instructions|turn_aborted|permissions|instructions|skills?|skills_instructions|collaboration_mode|personality_spec|model_switch` +
	`|realtime_conversation|hook_prompt|codex_\w+|app-context|goal_context|extension_context|apps_instructions|plugins_instructions|recommended_plugins|user_action|tool_context|reasoning_context|pinned_notes|token_budget)\b)` +
	`|# AGENTS\.md instructions\b|Codex could not read the local image at|Codex cannot attach image at|Image located at ` +
	`|Warning: (?:The maximum number of unified exec processes|apply_patch was requested via|Your account was flagged))`)

// strangers finds what others wrote: a subagent that has a file of its own, and
// whatever the program calls external.
var strangers = regexp.MustCompile(`^(?i:<(subagent_notification|agent_message_board_notification|external_)[\w-]*\b)`)

// pictures are the marks around an image in a message.
var pictures = regexp.MustCompile(`^</?image\b[^>]*>$`)

// tagged is a text of a program, as far as nobody knows better.
var tagged = regexp.MustCompile(`^(?:<[A-Za-z][\w-]*[\s>]|Warning: )`)

// ofProgram recognises what no person typed, and what the person did otherwise
// than by typing to the agent.
func (c *codex) ofProgram(r *Reader, text string) ([]trace.Turn, bool) {
	switch {
	case pictures.MatchString(text):
		return nil, true
	case strings.HasPrefix(text, personsShell):
		return c.shell(text), true
	case strings.HasPrefix(text, handedOver): // the model's own summary
		return []trace.Turn{c.summary(text)}, true
	}
	if m := strangers.FindStringSubmatch(text); m != nil {
		return []trace.Turn{stranger(strings.ToLower(strings.Trim(m[1], "_")), text)}, true
	}
	if !programsOfCodex.MatchString(text) {
		return nil, false
	}
	if dir, ok := element(text, "cwd"); ok && r.session.Dir == "" && strings.HasPrefix(text, environment) {
		r.session.Dir = strings.TrimSpace(dir)
	}
	return injected(text), true
}

// stranger is a text of somebody whose own turns are not in this trace: an
// answer of a tool that nobody listed.
func stranger(name, text string) trace.Turn {
	return trace.Turn{Role: trace.RoleTool, Text: text, Tool: trace.Tool{Name: name}}
}

// shell is a command that the person ran, and what it printed.
func (c *codex) shell(text string) []trace.Turn {
	command, _ := element(text, "command")
	command = strings.TrimSpace(command)
	tool := trace.Tool{Name: trace.LocalCommand, Command: command}
	answer := trace.Turn{Role: trace.RoleTool, Tool: trace.Tool{Name: trace.LocalCommand}}
	if _, printed, ok := strings.Cut(text, "<result>"); ok {
		if end := strings.LastIndex(printed, "</result>"); end >= 0 {
			printed = printed[:end]
		}
		answer.Text, answer.Settled, answer.Error, _ = printedBy(strings.TrimLeft(printed, "\n"))
	}
	return []trace.Turn{{Role: c.person(), Text: command, Tool: tool}, answer}
}

// person is the role of who leads the session. In a subagent's it is an agent,
// and where the line is lost that says so, it may be.
func (c *codex) person() trace.Role {
	if c.foreign || c.wrapped && !c.known {
		return trace.RoleAssistant
	}
	return trace.RoleUser
}

// spoken are the turns of what was typed. An editor puts open files and the
// selection before it, and anything may stand in those: the last heading counts.
// What was piped into the program follows it, and came from anywhere: there the
// first mark counts.
func (c *codex) spoken(text string) []trace.Turn {
	text, input, some := strings.Cut(text, piped)
	var turns []trace.Turn
	if all := requests.FindAllStringIndex(text, -1); all != nil {
		last := all[len(all)-1]
		turns = append(around(text[:last[0]]), trace.Turn{Role: c.person(), Text: strings.TrimSpace(text[last[1]:])})
	} else if surroundings.MatchString(text) {
		turns = around(text)
	} else {
		turns = []trace.Turn{{Role: c.person(), Text: text}}
	}
	if some {
		turns = append(turns, stranger("stdin", strings.TrimSuffix(input, "</stdin>")))
	}
	return turns
}

var (
	requests = regexp.MustCompile(`(?m)^## My request(?: for \w+)?:`)
	// surroundings are what an editor puts before a request.
	surroundings = regexp.MustCompile(`^(?:# (?:Context from my IDE setup|Files mentioned by the user):|` + browser + `)`)
)

// around is a text that nobody is known to have typed: the program's, unless a
// page is in it.
func around(text string) []trace.Turn {
	if strings.Contains(text, browser) {
		return []trace.Turn{stranger("in_app_browser", text)}
	}
	return injected(text)
}

// hear takes a text in the user's role: it returns the turns of what is known
// and holds back what is not.
func (c *codex) hear(r *Reader, text string, s speaker) []trace.Turn {
	text = strings.TrimSpace(text)
	own, known := c.ofProgram(r, text)
	h := &c.heard
	switch {
	case known && len(h.withheld) == 0:
		return own
	case known:
		h.hold(r, withheld{own: own, from: s})
		return nil
	case h.told != "" && strings.Contains(h.told, text):
		return nil // its event came first
	case h.silent:
		return c.guessed(text)
	}
	if len(h.withheld) >= maxWithheld {
		c.settle(r)
	}
	h.hold(r, withheld{text: text, from: s})
	return nil
}

func (h *typing) hold(r *Reader, w withheld) {
	w.skipped = r.session.Report.Skipped
	h.withheld = append(h.withheld, w)
}

// typed takes an event that says what was typed. Older ones say it of the
// program's texts too, by another kind.
func (c *codex) typed(r *Reader, i codexItem, s speaker) {
	text := strings.TrimSpace(i.Message)
	if _, known := c.ofProgram(r, text); known || i.Kind != "" && i.Kind != "plain" {
		return
	}
	h := &c.heard
	h.vouches = true
	found := false
	for n := range h.withheld {
		w := &h.withheld[n]
		w.typed = w.text != "" && strings.Contains(text, w.text)
		found = found || w.typed
	}
	c.settle(r)
	if found || text == "" {
		return
	}
	for _, t := range c.spoken(text) {
		r.emit(s.turn(t))
	}
	h.told = text
}

// settle decides about what was held back: nothing more will be said about it.
func (c *codex) settle(r *Reader) {
	h := &c.heard
	for _, w := range h.withheld {
		turns := w.own
		switch {
		case w.text == "":
		case w.typed:
			turns = c.spoken(w.text)
		case h.vouches:
			turns = around(w.text)
		default:
			turns = c.guessed(w.text)
		}
		for _, t := range turns {
			r.late(w.from.turn(t), w.skipped)
		}
	}
	h.withheld, h.told = h.withheld[:0], ""
}

// guessed are the turns of a text in a file that never says what was typed. In
// doubt it is the program's.
func (c *codex) guessed(text string) []trace.Turn {
	if tagged.MatchString(text) {
		return around(text)
	}
	return c.spoken(text)
}
