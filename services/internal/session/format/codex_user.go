package format

import (
	"regexp"
	"strings"

	"github.com/winnowhq/winnow/services/internal/session/trace"
)

// typing separates what the person typed from what Codex itself writes into the
// user's role. Beside the message, and mostly after it, the file has an event
// with the person's words. So an unrecognised text is withheld until its event,
// or another record, arrives. In a file that has these events, a text without
// an event is not the person's.
type typing struct {
	silent   bool // an older file, which has no events
	vouches  bool // an event has told what was typed
	told     string
	withheld []withheld
}

// withheld is a text in the user's role whose speaker is still unknown.
type withheld struct {
	text    string
	own     []trace.Turn // its turns if the program wrote it
	typed   bool
	from    speaker
	skipped int // records lost before it
}

// maxWithheld bounds the withheld texts; a real file never has more than a few.
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

// programsOfCodex matches texts of the program, of hooks and of skills.
var programsOfCodex = regexp.MustCompile(`^(?:(?i:<(?:environment_context|user_instructions|turn_aborted|permissions|instructions|skills?|skills_instructions|collaboration_mode|personality_spec|model_switch` +
	`|realtime_conversation|hook_prompt|codex_\w+|app-context|goal_context|extension_context|apps_instructions|plugins_instructions|recommended_plugins|user_action|tool_context|reasoning_context|pinned_notes|token_budget)\b)` +
	`|# AGENTS\.md instructions\b|Codex could not read the local image at|Codex cannot attach image at|Image located at ` +
	`|Warning: (?:The maximum number of unified exec processes|apply_patch was requested via|Your account was flagged))`)

// strangers matches what others wrote: a subagent that has a file of its own,
// and all that the program calls external.
var strangers = regexp.MustCompile(`^(?i:<(subagent_notification|agent_message_board_notification|external_)[\w-]*\b)`)

// pictures matches the marks around an image in a message.
var pictures = regexp.MustCompile(`^</?image\b[^>]*>$`)

// tagged matches a text that is probably a program's. It decides only where no
// event says what was typed.
var tagged = regexp.MustCompile(`^(?:<[A-Za-z][\w-]*[\s>]|Warning: )`)

// ofProgram returns the turns of a text that no person typed, or with which the
// program records another action of the person.
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

// stranger returns the turn of a text whose author's own turns are not in this
// trace, as the answer of an unlisted tool.
func stranger(name, text string) trace.Turn {
	return trace.Turn{Role: trace.RoleTool, Text: text, Tool: trace.Tool{Name: name}}
}

// shell returns the turns of a command that the person ran, and of what the
// command printed.
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

// person returns the role of the session's leader. In a subagent's session the
// leader is an agent. It may also be one where the line that says so is lost.
func (c *codex) person() trace.Role {
	if c.foreign || c.wrapped && !c.known {
		return trace.RoleAssistant
	}
	return trace.RoleUser
}

// spoken returns the turns of what was typed. An editor puts open files and the
// selection before the request, and either may contain a heading, so the last
// heading counts. Text that was piped into the program follows the request and
// may have any source, so there the first mark counts.
func (c *codex) spoken(text string) []trace.Turn {
	text, input, some := strings.Cut(text, piped)
	var turns []trace.Turn
	if all := requests.FindAllStringIndex(text, -1); all != nil {
		last := all[len(all)-1]
		turns = append(around(text[:last[0]]), trace.Turn{Role: c.person(), Text: strings.TrimSpace(text[last[1]:])})
	} else if editorContext.MatchString(text) {
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
	// editorContext matches what an editor puts before a request.
	editorContext = regexp.MustCompile(`^(?:# (?:Context from my IDE setup|Files mentioned by the user):|` + browser + `)`)
)

// around returns the turns of a text that the person is not known to have
// typed. It is the program's, unless it contains a page.
func around(text string) []trace.Turn {
	if strings.Contains(text, browser) {
		return []trace.Turn{stranger("in_app_browser", text)}
	}
	return injected(text)
}

// classify reads a text in the user's role: it returns the turns of a text
// whose speaker is known, and withholds any other.
func (c *codex) classify(r *Reader, text string, s speaker) []trace.Turn {
	text = strings.TrimSpace(text)
	own, known := c.ofProgram(r, text)
	h := &c.typing
	switch {
	case known && len(h.withheld) == 0:
		return own
	case known:
		h.hold(r, withheld{own: own, from: s})
		return nil
	case h.told != "" && strings.Contains(h.told, text):
		return nil // the event came first
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

// typed reads an event that says what was typed. Older files have events of
// another kind for the program's texts too.
func (c *codex) typed(r *Reader, i codexItem, s speaker) {
	text := strings.TrimSpace(i.Message)
	if _, known := c.ofProgram(r, text); known || i.Kind != "" && i.Kind != "plain" {
		return
	}
	h := &c.typing
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

// settle emits the withheld texts, because no event about them can follow.
func (c *codex) settle(r *Reader) {
	h := &c.typing
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

// guessed returns the turns of a text in a file that never says what was typed.
// In doubt the text is the program's.
func (c *codex) guessed(text string) []trace.Turn {
	if tagged.MatchString(text) {
		return around(text)
	}
	return c.spoken(text)
}
