package trust

import (
	"regexp"

	"github.com/winnowhq/winnow/services/internal/memory"
	"github.com/winnowhq/winnow/services/internal/session/trace"
)

// Similarity is how alike two texts are: 0–1, symmetric, the same for the same
// texts. It is called often and has to be cheap.
type Similarity func(a, b string) float64

// Options say whose session it is and what is similar.
type Options struct {
	Config Config
	// Format of the trace. In plain text anybody can write "User:", so there no
	// turn is a person's.
	Format trace.Format
	// Highest origin that the publisher's principal may claim. The zero value
	// leaves everything unknown.
	Highest memory.Origin
	// Similar compares with external text. Nil compares specifics only.
	Similar Similarity
	// Loose is the operating point of Similar, to be exceeded strictly (D1).
	Loose float64
}

// Cause is why a span is external.
type Cause string

// The causes. Empty: it is not.
const (
	CauseNetwork  Cause = "network tool"       // it is what a network tool answered
	CauseUnlisted Cause = "unlisted tool"      // it is what a tool answered that nobody listed
	CauseStored   Cause = "fetched file"       // it is what the workspace printed of something fetched
	CauseAfter    Cause = "after outside text" // no person has spoken since
	CauseShares   Cause = "outside specifics"  // it names what only external text had named
	CauseSimilar  Cause = "outside words"      // it is similar to external text
	CauseFull     Cause = "too much outside text"
	CauseLost     Cause = "after a record that could not be read"
)

// Span is where one turn's words came from.
type Span struct {
	Turn   int           `json:"turn"` // its N
	Role   trace.Role    `json:"role"`
	Origin memory.Origin `json:"origin"`
	Cause  Cause         `json:"cause,omitempty"`
	From   int           `json:"from,omitempty"` // the turn that brought the external words; 0 when there is none
}

// Tracker assesses a session turn by turn. Its memory is that of the external
// text, bounded; a session with more of it than that is external from there on.
// It is not safe for concurrent use.
type Tracker struct {
	o       Options
	outside *outside
	since   mark            // the turn that brought external words since a person spoke
	stored  map[string]mark // open calls that print something fetched, to the turn that brought it
	last    mark            // the same for the latest call, for traces without ids
	judged  judged          // the latest call
}

// judged is how far a call goes. An answer asks again what its call did.
type judged struct {
	name, command string
	reach         Reach
}

func (t *Tracker) reach(tool trace.Tool) Reach {
	if tool.Name != t.judged.name || tool.Command != t.judged.command {
		t.judged = judged{tool.Name, tool.Command, t.o.Config.Reach(tool.Name, tool.Command)}
	}
	return t.judged.reach
}

// mark is a turn, or none. A number alone would do if every trace counted from 1.
type mark struct {
	set  bool
	turn int
	lost bool // it is not known what was brought
}

// cause is why words after the mark are external.
func (m mark) cause() Cause {
	if m.lost {
		return CauseLost
	}
	return CauseAfter
}

// NewTracker begins a session.
func NewTracker(o Options) *Tracker {
	return &Tracker{o: o, outside: newOutside(o.Similar, o.Loose), stored: make(map[string]mark)}
}

// Assess is a whole session at once.
func Assess(turns []trace.Turn, o Options) []Span {
	t := NewTracker(o)
	spans := make([]Span, 0, len(turns))
	for _, turn := range turns {
		spans = append(spans, t.Add(turn))
	}
	return spans
}

// persons says whether the user's turns of a format are a person's. In plain text
// anybody can write "User:"; in a SWE-agent trajectory a program fills templates.
func persons(f trace.Format) bool { return f != trace.FormatText && f != trace.FormatSWEAgent }

// Add assesses the next turn.
func (t *Tracker) Add(turn trace.Turn) Span {
	s := Span{Turn: turn.N, Role: turn.Role, Origin: memory.OriginAgent}
	if turn.Gap > 0 && !t.since.set {
		// What was lost may have been a page, and what follows a summary of it.
		t.since = mark{set: true, turn: turn.N, lost: true}
	}
	switch {
	case turn.Role == trace.RoleUser && persons(t.o.Format):
		s.Origin = memory.OriginFirstParty
		t.since = mark{}
	case turn.Role == trace.RoleTool:
		t.answer(turn, &s)
	default:
		t.statement(turn, &s)
	}
	t.remember(turn, s)
	if turn.Calls() {
		t.call(turn)
	}
	s.Origin, _ = memory.Clamp(s.Origin, t.o.Highest)
	return s
}

// answer judges what a tool printed.
func (t *Tracker) answer(turn trace.Turn, s *Span) {
	fetched := t.last
	t.last = mark{}
	if turn.Tool.Call != "" {
		fetched = t.stored[turn.Tool.Call]
		delete(t.stored, turn.Tool.Call)
	}
	reach := t.reach(turn.Tool)
	if reach == ReachUnlisted && turn.Own {
		reach = ReachWorkspace // what it read was judged in its own turns
		if turn.Tool.Command != "" {
			reach = t.o.Config.command(turn.Tool.Command)
		}
	}
	switch reach {
	case ReachNetwork:
		s.external(CauseNetwork, turn.N)
		if m := writtenLater.FindStringSubmatch(turn.Text); m != nil {
			t.outside.download(m[1], turn.N)
		}
	case ReachUnlisted, ReachNone: // an answer from nobody is from anybody
		s.external(CauseUnlisted, turn.N)
	case ReachWorkspace:
		switch {
		case fetched.set:
			s.external(CauseStored, fetched.turn)
		case t.since.set:
			s.external(t.since.cause(), t.since.turn)
			return
		default:
			return
		}
	}
	t.since = mark{set: true, turn: turn.N}
}

// writtenLater is how an agent's program says where the output of a command goes
// that runs in the background.
var writtenLater = regexp.MustCompile(`Output is being written to: (\S+)`)

// statement judges what the agent, or the program around it, says. In plain text
// it judges everybody.
func (t *Tracker) statement(turn trace.Turn, s *Span) {
	if t.since.set {
		s.external(t.since.cause(), t.since.turn)
		return
	}
	if cause, from := t.outside.carried(turn.Text); cause != "" {
		s.external(cause, from)
	}
}

// remember learns what is external text, and which specifics were known before.
func (t *Tracker) remember(turn trace.Turn, s Span) {
	switch {
	case s.Cause == "":
		t.outside.known(turn.Text)
	case turn.Role == trace.RoleTool && (s.Cause == CauseAfter || s.Cause == CauseLost):
		// The workspace printed it: in doubt, and yet nobody's words from outside.
	default:
		t.outside.add(turn.Text, turn.N)
	}
}

// call notes what comes of a call: words from outside, a file of them, or the
// content of such a file.
func (t *Tracker) call(turn trace.Turn) {
	t.last = mark{}
	reach := t.reach(turn.Tool)
	if reach == ReachUnlisted && turn.Tool.Kind == trace.KindAgent && turn.Tool.Call != "" && t.o.Format == trace.FormatClaude {
		return // its turns come now, or its answer says that nobody saw them
	}
	if reach.External() {
		t.since = mark{set: true, turn: turn.N}
		for _, file := range written(turn.Tool.Command) {
			t.outside.download(file, turn.N)
		}
		return
	}
	from, fetched := t.outside.touches(turn.Text)
	if !fetched {
		return
	}
	t.last = mark{set: true, turn: from}
	if turn.Tool.Call == "" {
		return
	}
	if len(t.stored) >= maxOpen {
		t.since = t.last // rather than forget one
		return
	}
	t.stored[turn.Tool.Call] = t.last
}

// maxOpen bounds the calls that wait for an answer.
const maxOpen = 4096

func (s *Span) external(cause Cause, from int) {
	s.Origin, s.Cause, s.From = memory.OriginExternal, cause, from
}
