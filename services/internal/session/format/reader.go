package format

import (
	"bufio"
	"errors"
	"fmt"
	"io"
	"time"

	"github.com/hashicorp/golang-lru/v2/simplelru"

	"github.com/winnowhq/winnow/services/internal/session/trace"
)

// Reader reads the turns of a session one by one. It is not safe for concurrent
// use.
type Reader struct {
	limits    trace.Limits
	rewrite   rewriter
	source    source
	repair    *repairer
	session   trace.Session
	over      trace.Session // what an event states; wins
	queue     []trace.Turn
	calls     *simplelru.LRU[string, trace.Tool] // unanswered calls by id
	last      trace.Tool                         // the latest call, for formats without ids
	turns     int
	elsewhere int // parts of the session that are in no record here
	lost      int // skipped and elsewhere, as they were before the latest turn
	verdict   trace.Verdict
	digest    trace.Digest
	err       error // why there are no more turns
}

// source emits the turns of the next record into the reader. io.EOF ends the
// trace.
type source interface{ next(*Reader) error }

// maxUnanswered bounds the calls that wait for an answer; the oldest is
// evicted.
const maxUnanswered = 4096

// maxCommand is the most bytes of a command line that are stored.
const maxCommand = 4 << 10

// Open begins to read a trace. Errors are a [Problem], or the reader's own.
func Open(r io.Reader, o trace.Options) (*Reader, error) {
	if o.Limits == (trace.Limits{}) {
		o.Limits = trace.DefaultLimits()
	}
	if err := o.Limits.Validate(); err != nil {
		return nil, fmt.Errorf("limits: %w", err)
	}
	if _, err := trace.ParseFormat(string(o.Format)); err != nil {
		return nil, err
	}
	in := &counted{r: r, left: o.Limits.MaxBytes, max: o.Limits.MaxBytes}
	raw := bufio.NewReaderSize(in, window)
	head, err := raw.Peek(window)
	if err != nil && in.err != nil {
		return nil, in.err
	}
	if err := refuseBinary(head); err != nil {
		return nil, err
	}
	found, as, err := detect(preview(head))
	switch {
	case errors.Is(err, trace.ErrEmpty), err != nil && o.Format == "":
		return nil, err
	case o.Format == "" || o.Format == found:
	case o.Format == trace.FormatText:
		found, as = trace.FormatText, prose
	default:
		found, as = o.Format, stated(o.Format, preview(head))
	}
	// What a control character means depends on the layout.
	repair := &repairer{json: as != prose}
	calls, _ := simplelru.NewLRU[string, trace.Tool](maxUnanswered, nil) // fails only for a size below one
	rd := &Reader{
		limits: o.Limits, rewrite: rewriter{how: o.Rewrite}, repair: repair, digest: trace.NewDigest(), calls: calls,
		session: trace.Session{Format: found, Outcome: trace.OutcomeUnknown},
	}
	rd.source = newSource(found, as, decoded(raw, repair), in, o.Limits)
	return rd, nil
}

// stated returns the layout of a trace whose format was given and not
// recognised.
func stated(f trace.Format, head []byte) layout {
	if f == trace.FormatClaude || f == trace.FormatCodex {
		return lines
	}
	for _, c := range head {
		switch c {
		case ' ', '\t', '\r', '\n':
		case '{', '[':
			if keys, _ := topKeys(head); f != trace.FormatSWEAgent && !whole(keys) && c == '{' {
				return lines
			}
			return document
		default:
			return lines
		}
	}
	return lines
}

// Next returns the next turn. After the last one the error is io.EOF. It is a
// [Problem] when the trace as a whole cannot be read: too large, empty, or
// without a single turn. A returned turn stays valid.
func (r *Reader) Next() (trace.Turn, error) {
	for len(r.queue) == 0 {
		if r.err != nil {
			return trace.Turn{}, r.err
		}
		r.queue = r.queue[:0]
		if err := r.source.next(r); err != nil && r.err == nil {
			r.err = r.end(err)
		}
	}
	t := r.queue[0]
	r.queue = r.queue[1:]
	return t, nil
}

// dispatch gives a record to the format that reads it, and counts the record.
func (r *Reader) dispatch(as record, raw []byte, at position) {
	before := r.session.Report.Skipped
	as.record(r, raw, at)
	if r.session.Report.Skipped == before {
		r.session.Report.Records++
	}
}

// end returns what the end of the source means: io.EOF, or why the trace is no
// session.
func (r *Reader) end(err error) error {
	if !errors.Is(err, io.EOF) {
		return err
	}
	if r.turns > 0 {
		return io.EOF
	}
	if report := r.session.Report; len(report.Problems) > 0 {
		first := *report.Problems[0]
		first.What = fmt.Sprintf("not one turn could be read (%d records left out); the first: %s", report.Skipped, first.What)
		first.Kind = trace.ErrUnreadable
		return &first
	}
	return empty()
}

// Session returns the session without its turns. It is complete after
// [Reader.Next] has returned io.EOF.
func (r *Reader) Session() trace.Session {
	s := r.session
	s.Report.Repaired = r.repair.repaired
	s.Hash = r.digest.String()
	s.Override(r.over)
	s.ID, s.Agent, s.Project = r.line(s.ID), r.line(s.Agent), r.line(s.Project)
	s.Dir = r.rewrite.text(clean(s.Dir))
	if s.Project == "" {
		s.Project = trace.ProjectOfDir(s.Dir)
	}
	if s.Outcome == trace.OutcomeUnknown || s.Outcome == "" {
		s.Outcome, s.Basis = r.verdict.Outcome()
		s.OutcomeInferred = s.Outcome != trace.OutcomeUnknown
	}
	return s
}

// emit queues a turn of a source. A turn without text and tool is dropped.
func (r *Reader) emit(t trace.Turn) {
	t.Text = r.rewrite.text(clean(t.Text))
	t.Tool = r.tool(t.Tool)
	if t.Text == "" && t.Tool.Name == "" && t.Role != trace.RoleTool {
		return
	}
	if t.Role == trace.RoleTool {
		t.Tool = r.answered(t.Tool)
	} else if t.Tool.Name != "" {
		r.called(&t.Tool)
	}
	if r.turns++; r.turns > r.limits.MaxTurns {
		if r.turns == r.limits.MaxTurns+1 {
			r.err = &trace.Problem{
				What:   fmt.Sprintf("the trace has more than %d turns", r.limits.MaxTurns),
				Remedy: "publish the session in parts, or raise the limit of the intake", Kind: trace.ErrTooLarge,
			}
		}
		return
	}
	t.N = r.turns
	missing := r.session.Report.Skipped + r.elsewhere
	t.Gap, r.lost = missing-r.lost, missing
	r.settle(&t)
	r.digest.Add(t)
	r.verdict.See(t)
	r.times(t.At)
	if r.session.Task == "" && t.Role == trace.RoleUser {
		r.session.Task = oneLine(t.Text, 200)
	}
	t.Text, t.Cut = cutMiddle(t.Text, r.limits.MaxText)
	r.queue = append(r.queue, t)
}

func (r *Reader) times(at time.Time) {
	if at.IsZero() {
		return
	}
	if r.session.StartedAt.IsZero() {
		r.session.StartedAt = at
	}
	r.session.EndedAt = at
}

// tool returns a tool with its names cleaned and shortened, as a turn stores
// it.
func (r *Reader) tool(tool trace.Tool) trace.Tool {
	if tool == (trace.Tool{}) {
		return tool
	}
	tool.Name, tool.Call = r.line(tool.Name), r.line(tool.Call)
	tool.Command, _ = cutMiddle(r.rewrite.text(clean(tool.Command)), maxCommand)
	return tool
}

// called completes a call and stores it until its answer arrives.
func (r *Reader) called(tool *trace.Tool) {
	tool.Kind = trace.KindOf(tool.Name, tool.Command)
	r.last = *tool
	if tool.Call != "" {
		r.calls.Add(tool.Call, *tool)
	}
}

// answered returns the call that an answer belongs to: by its id, otherwise the
// latest call. An answer without a call is from a tool without a name.
func (r *Reader) answered(tool trace.Tool) trace.Tool {
	if call, ok := r.calls.Peek(tool.Call); ok && tool.Call != "" {
		r.calls.Remove(tool.Call)
		return call
	}
	if tool.Call == "" && (tool.Name == "" || tool.Name == r.last.Name) {
		return r.last
	}
	tool.Kind = trace.KindOf(tool.Name, "")
	return tool
}

// settle derives from an answer how the call ended, where the format does not
// say so.
func (r *Reader) settle(t *trace.Turn) {
	if t.Role != trace.RoleTool || t.Settled {
		return
	}
	t.Settled, t.Error = trace.Ended(t.Tool, t.Text)
}
