package trust

import (
	"regexp"

	"github.com/winnowhq/winnow/services/internal/memory"
	"github.com/winnowhq/winnow/services/internal/session/trace"
)

// Similarity returns how alike two texts are: 0–1, symmetric and deterministic.
// It is called often and must be cheap.
type Similarity func(a, b string) float64

// Options describes whose session is tracked and what counts as similar.
type Options struct {
	Config Config
	// Format of the trace. In plain text anyone can write "User:", so no turn
	// of plain text is a person's.
	Format trace.Format
	// Highest is the highest origin that the publisher's principal may claim.
	// The zero value leaves every origin unknown.
	Highest memory.Origin
	// Similar compares a statement with external text. Nil compares specifics
	// only.
	Similar Similarity
	// Loose is the operating point of Similar, to be exceeded strictly (D1).
	Loose float64
}

// Cause says why a span is external.
type Cause string

// The causes. Empty means that the span is not external.
const (
	CauseNetwork  Cause = "network tool"       // the answer of a network tool
	CauseUnlisted Cause = "unlisted tool"      // the answer of an unlisted tool
	CauseStored   Cause = "fetched file"       // the workspace printed something that was fetched
	CauseAfter    Cause = "after outside text" // no person has spoken since
	CauseShares   Cause = "outside specifics"  // the span names what only external text had named
	CauseSimilar  Cause = "outside words"      // the span is similar to external text
	CauseFull     Cause = "too much outside text"
	CauseLost     Cause = "after a record that could not be read"
)

// Span is the origin of one turn's words.
type Span struct {
	Turn   int           `json:"turn"` // its N
	Role   trace.Role    `json:"role"`
	Origin memory.Origin `json:"origin"`
	Cause  Cause         `json:"cause,omitempty"`
	From   int           `json:"from,omitempty"` // the turn that brought the external words; 0 when there is none
}

// Tracker assesses a session turn by turn. It holds the external text, bounded:
// a session that exceeds the bound is external from there on. It is not safe
// for concurrent use.
type Tracker struct {
	o       Options
	outside *outside
	since   mark            // the turn that brought external words since a person spoke
	stored  map[string]mark // open calls that print something fetched, to the turn that brought it
	last    mark            // the same for the latest call, for traces without ids
	judged  judged          // the latest call
}

// judged caches how far a call reaches, because its answer needs the same
// result.
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

// mark is a turn or none. The field set is needed because a trace need not
// count its turns from 1.
type mark struct {
	set  bool
	turn int
	lost bool // what was brought is unknown
}

// cause returns why words after the mark are external.
func (m mark) cause() Cause {
	if m.lost {
		return CauseLost
	}
	return CauseAfter
}

// NewTracker returns a tracker for a new session.
func NewTracker(o Options) *Tracker {
	return &Tracker{o: o, outside: newOutside(o.Similar, o.Loose), stored: make(map[string]mark)}
}

// Assess returns the spans of a whole session.
func Assess(turns []trace.Turn, o Options) []Span {
	t := NewTracker(o)
	spans := make([]Span, 0, len(turns))
	for _, turn := range turns {
		spans = append(spans, t.Add(turn))
	}
	return spans
}

// persons reports whether the user's turns of a format are a person's. In plain
// text anyone can write "User:"; in a SWE-agent trajectory a program fills
// templates.
func persons(f trace.Format) bool { return f != trace.FormatText && f != trace.FormatSWEAgent }

// Add assesses the next turn and returns its span.
func (t *Tracker) Add(turn trace.Turn) Span {
	s := Span{Turn: turn.N, Role: turn.Role, Origin: memory.OriginAgent}
	if turn.Gap > 0 && !t.since.set {
		// The lost records may have been a page, and the next turn may
		// summarise it.
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

// answer sets the span of what a tool printed.
func (t *Tracker) answer(turn trace.Turn, s *Span) {
	fetched := t.last
	t.last = mark{}
	if turn.Tool.Call != "" {
		fetched = t.stored[turn.Tool.Call]
		delete(t.stored, turn.Tool.Call)
	}
	reach := t.reach(turn.Tool)
	if reach == ReachUnlisted && turn.Own {
		reach = ReachWorkspace // its sources were judged in its own turns
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
	case ReachUnlisted, ReachNone: // an answer without a listed tool may have any source
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

// writtenLater matches how an agent's program names the file that the output of
// a background command is written to.
var writtenLater = regexp.MustCompile(`Output is being written to: (\S+)`)

// statement sets the span of what the agent, or the program around it, says. In
// plain text it judges the turns of every role.
func (t *Tracker) statement(turn trace.Turn, s *Span) {
	if t.since.set {
		s.external(t.since.cause(), t.since.turn)
		return
	}
	if cause, from := t.outside.carried(turn.Text); cause != "" {
		s.external(cause, from)
	}
}

// remember stores external text, and the specifics that were known before.
func (t *Tracker) remember(turn trace.Turn, s Span) {
	switch {
	case s.Cause == "":
		t.outside.known(turn.Text)
	case turn.Role == trace.RoleTool && (s.Cause == CauseAfter || s.Cause == CauseLost):
		// The workspace printed it: not trusted, but not external either.
	default:
		t.outside.add(turn.Text, turn.N)
	}
}

// call records the effects of a call: words from outside, a file of them, or
// the content of a fetched file.
func (t *Tracker) call(turn trace.Turn) {
	t.last = mark{}
	reach := t.reach(turn.Tool)
	if reach == ReachUnlisted && turn.Tool.Kind == trace.KindAgent && turn.Tool.Call != "" && t.o.Format == trace.FormatClaude {
		return // its own turns follow, or its answer is marked as unseen
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
		t.since = t.last // external, because the oldest mark is not evicted
		return
	}
	t.stored[turn.Tool.Call] = t.last
}

// maxOpen bounds the calls that wait for an answer.
const maxOpen = 4096

func (s *Span) external(cause Cause, from int) {
	s.Origin, s.Cause, s.From = memory.OriginExternal, cause, from
}
