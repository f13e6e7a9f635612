package format_test

import (
	"errors"
	"io"
	"slices"
	"strings"
	"testing"
	"testing/iotest"
	"unicode/utf16"

	"github.com/winnowhq/winnow/services/internal/session/format"
	"github.com/winnowhq/winnow/services/internal/session/trace"
)

const (
	userLine  = `{"type":"user","sessionId":"s","uuid":"u","message":{"role":"user","content":"hello"}}`
	replyLine = `{"type":"assistant","sessionId":"s","uuid":"v","message":{"role":"assistant","content":"Grüße"}}`
)

// What is no session at all is refused with field, reason and remedy (issue 5,
// bad input).
func TestRefused(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		text    string
		options trace.Options
		want    error
		says    string
	}{
		"empty":            {"", trace.Options{}, trace.ErrEmpty, "no turn"},
		"blank":            {" \n\t\r\n", trace.Options{}, trace.ErrEmpty, "no turn"},
		"only a mark":      {"\xEF\xBB\xBF", trace.Options{}, trace.ErrEmpty, "no turn"},
		"empty list":       {"[]", trace.Options{}, trace.ErrEmpty, "no turn"},
		"no messages":      {`{"messages": []}`, trace.Options{}, trace.ErrEmpty, "no turn"},
		"bookkeeping only": {`{"type":"summary","summary":"x","leafUuid":"u"}`, trace.Options{}, trace.ErrEmpty, "no turn"},
		"unknown format":   {"hello", trace.Options{Format: "aider"}, trace.ErrUnknownFormat, "format: \"aider\" is no format of a trace; send one of winnow, claude-code"},
		"unknown JSON":     {`{"a": 1}`, trace.Options{}, trace.ErrUnknownFormat, "leave it empty"},
		"pretty JSON":      {"{\n  \"a\": [\n    {\"role\": \"user\", \"content\": \"x\"}\n  ]\n}", trace.Options{}, trace.ErrUnknownFormat, "no known format"},
		"gzip":             {"\x1F\x8B\x08\x00\x00\x00", trace.Options{}, trace.ErrNotText, "uncompressed"},
		"binary":           {strings.Repeat("\x00\x01\x02abc", 40), trace.Options{}, trace.ErrNotText, "UTF-8"},
		"not a list":       {`{"messages": "none"}`, trace.Options{}, trace.ErrUnreadable, "messages: not one turn could be read (1 records left out); the first: this is no list"},
		"no line readable": {userLine[:40] + "\n{}\n", trace.Options{Format: trace.FormatClaude}, trace.ErrUnreadable, "line 1: "},
		"too long":         {userLine + "\n" + replyLine, trace.Options{Limits: trace.Limits{MaxBytes: 100, MaxTurns: 9, MaxRecord: 1 << 20, MaxText: 1 << 20}}, trace.ErrTooLarge, "100 bytes"},
		"too many turns":   {strings.Repeat(userLine+"\n", 3), trace.Options{Limits: trace.Limits{MaxBytes: 1 << 20, MaxTurns: 2, MaxRecord: 1 << 20, MaxText: 1 << 20}}, trace.ErrTooLarge, "more than 2 turns"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			_, err := format.Read(strings.NewReader(c.text), c.options)
			var p *trace.Problem
			if !errors.Is(err, c.want) || !errors.As(err, &p) || p.Remedy == "" {
				t.Fatalf("error %v, want a problem over %v", err, c.want)
			}
			if !strings.Contains(err.Error(), c.says) {
				t.Errorf("error %q does not say %q", err, c.says)
			}
		})
	}
}

// One bad record does not lose the session: it is left out and counted, with
// where it stands.
func TestBadRecords(t *testing.T) {
	t.Parallel()
	long := trace.Limits{MaxBytes: 1 << 20, MaxTurns: 99, MaxRecord: 2000, MaxText: 1024}
	for name, c := range map[string]struct {
		text      string
		turns     int
		skipped   int
		truncated bool
		problem   string
	}{
		"truncated last line": {userLine + "\n" + replyLine[:50], 1, 1, true, "line 2: the file ends in the middle of a line"},
		"damaged first line":  {userLine[9:] + "\n" + userLine + "\n" + replyLine, 2, 1, false, "line 1: the line is no JSON value"},
		"blank lines":         {"\n" + userLine + "\n\n\n" + replyLine + "\n\n", 2, 0, false, ""},
		"a line too long":     {userLine + "\n" + `{"type":"user","x":"` + strings.Repeat("y", 3000) + `"}` + "\n" + replyLine, 2, 1, false, "line 2: the line has 3023 bytes, more than 2000"},
		"truncated list":      {`[{"role":"user","content":"a"},{"role":"assistant","con`, 1, 0, true, "[1]: the JSON ends or breaks off here"},
		"truncated document":  {`{"messages":[{"role":"user","content":"a"}]`, 1, 0, true, "the JSON ends or breaks off here"},
		"broken element":      {`{"messages":[{"role":"user","content":"a"},{]}`, 1, 0, true, "messages[1]: the JSON ends or breaks off here"},
		"an element too long": {`[{"role":"user","content":"a"},{"role":"user","content":"` + strings.Repeat("y", 3000) + `"}]`, 1, 1, false, "[1]: the element has"},
		"two documents":       {`{"messages":[{"role":"user","content":"a"}]} {"messages":[]}`, 1, 1, false, "something follows the end of the JSON"},
		"other types":         {`[{"role":1,"content":"a"},null,[],{"role":"user","content":7},{"role":"user","content":"a"}]`, 1, 4, false, "[0]: this is no message"},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := read(t, c.text, trace.Options{Limits: long})
			r := s.Report
			if len(s.Turns) != c.turns || r.Skipped != c.skipped || r.Truncated != c.truncated {
				t.Errorf("%d turns, %d skipped, truncated %v; want %d, %d, %v", len(s.Turns), r.Skipped, r.Truncated, c.turns, c.skipped, c.truncated)
			}
			if c.problem == "" && len(r.Problems) == 0 {
				return
			}
			if len(r.Problems) == 0 || !strings.HasPrefix(r.Problems[0].Error(), c.problem) || !errors.Is(r.Problems[0], trace.ErrRecord) {
				t.Errorf("problems %v, want %q", r.Problems, c.problem)
			}
		})
	}
}

// The turn after a lost record says that something is missing before it: nobody
// knows what stood there.
func TestGaps(t *testing.T) {
	t.Parallel()
	for text, want := range map[string][]int{
		userLine + "\n" + replyLine:                                                                    {0, 0},
		userLine + "\nnot JSON\n{}}\n" + replyLine + "\n" + userLine:                                   {0, 2, 0},
		userLine[9:] + "\n" + userLine + "\n" + replyLine:                                              {1, 0},
		`[{"role":1,"content":"a"},null,[],{"role":"user","content":7},{"role":"user","content":"a"}]`: {4},
	} {
		var got []int
		for _, turn := range read(t, text, trace.Options{}).Turns {
			got = append(got, turn.Gap)
		}
		if !slices.Equal(got, want) {
			t.Errorf("gaps %v, want %v: %.60s", got, want, text)
		}
	}
}

// A Problem stands in logs and answers, so it never quotes what it is about.
func TestProblemsQuoteNothing(t *testing.T) {
	t.Parallel()
	const secret = "hunter2hunter2"
	text := `{"type":"user","sessionId":"s","uuid":"u","message":{"content":{"` + secret + `":1}}}` + "\n" + `{"` + secret + "\n" + userLine + "\n" + `{"type":"user","message":"` + secret
	s := read(t, text, trace.Options{})
	if s.Report.Skipped != 3 {
		t.Errorf("%d skipped, want 3", s.Report.Skipped)
	}
	for _, p := range s.Report.Problems {
		if strings.Contains(p.Error(), secret) {
			t.Errorf("%q quotes the trace", p)
		}
	}
}

// Whatever the bytes are, the text is UTF-8 without what only a terminal
// understands.
func TestEncodings(t *testing.T) {
	t.Parallel()
	wide := func(text string, order func(uint16) (byte, byte), mark string) string {
		var b strings.Builder
		b.WriteString(mark)
		for _, u := range utf16.Encode([]rune(text)) {
			first, second := order(u)
			b.WriteByte(first)
			b.WriteByte(second)
		}
		return b.String()
	}
	little := func(u uint16) (byte, byte) { return byte(u), byte(u >> 8) }
	big := func(u uint16) (byte, byte) { return byte(u >> 8), byte(u) }
	for name, c := range map[string]struct {
		text     string
		want     string
		repaired int
	}{
		"UTF-8":                {replyLine, "Grüße", 0},
		"byte order mark":      {"\xEF\xBB\xBF" + replyLine, "Grüße", 0},
		"UTF-16 little endian": {wide(replyLine, little, "\xFF\xFE"), "Grüße", 0},
		"UTF-16 big endian":    {wide(replyLine, big, "\xFE\xFF"), "Grüße", 0},
		"Windows-1252":         {strings.ReplaceAll(replyLine, "Grüße", "Gr\xFC\xDFe \x80"), "Grüße €", 3},
		"mixed":                {strings.ReplaceAll(replyLine, "Grüße", "Grüße Gr\xFC\xDFe"), "Grüße Grüße", 2},
		"raw control":          {strings.ReplaceAll(replyLine, "Grüße", "a\x00b\x1b[31mc\x1b[0m\x07"), "abc", 0},
		"escaped control":      {strings.ReplaceAll(replyLine, "Grüße", `a\u0000\u001b]0;title\u0007b\u001b[2K\u001b(Bc\u001b`), "abc", 0},
		"line ends":            {strings.ReplaceAll(replyLine, "Grüße", `\n\na\r\nb\rc \t\n`), "a\nb\nc", 0},
		"lone surrogate":       {strings.ReplaceAll(replyLine, "Grüße", `a\ud800b`), "a\uFFFDb", 0},
		"prose with colours":   {"Assistant: \x1b[1mfett\x1b[0m", "fett", 0},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			s := read(t, c.text, trace.Options{})
			if got := s.Turns[len(s.Turns)-1].Text; got != c.want || s.Report.Repaired != c.repaired {
				t.Errorf("%q with %d bytes repaired, want %q with %d", got, s.Report.Repaired, c.want, c.repaired)
			}
		})
	}
}

// A connection that breaks is no broken file: nothing is taken for the end.
func TestReadError(t *testing.T) {
	t.Parallel()
	broken := errors.New("connection reset")
	for _, start := range []string{"", userLine + "\n", `[{"role":"user","content":"a"},`, "User: hello\n"} {
		_, err := format.Read(io.MultiReader(strings.NewReader(start), iotest.ErrReader(broken)), trace.Options{})
		var p *trace.Problem
		if !errors.Is(err, broken) || errors.As(err, &p) {
			t.Errorf("after %q: %v", start, err)
		}
	}
}

// The size of a reader's pieces changes nothing.
func TestOneByteAtATime(t *testing.T) {
	t.Parallel()
	text := strings.ReplaceAll(userLine+"\n"+replyLine, "hello", "h\xFCllo")
	whole := read(t, text, trace.Options{})
	s, err := format.Read(iotest.OneByteReader(strings.NewReader(text)), trace.Options{})
	if err != nil || s.Hash != whole.Hash || s.Report.Repaired != 1 {
		t.Errorf("hash %s, want %s; %+v; %v", s.Hash, whole.Hash, s.Report, err)
	}
}

// Of a text over the limit the middle goes, never half a letter.
func TestCut(t *testing.T) {
	t.Parallel()
	text := "begin " + strings.Repeat("ü", 5000) + " end"
	limits := trace.DefaultLimits()
	limits.MaxText = 1025
	turn := read(t, "User: "+text, trace.Options{Limits: limits}).Turns[0]
	if !strings.HasPrefix(turn.Text, "begin ü") || !strings.HasSuffix(turn.Text, "ü end") || strings.Contains(turn.Text, "\uFFFD") {
		t.Errorf("cut to %.20q…", turn.Text)
	}
	if kept := len(turn.Text) - len("\n[…]\n"); turn.Cut+kept != len(text) || kept > 1025 {
		t.Errorf("cut %d of %d bytes and kept %d", turn.Cut, len(text), kept)
	}
}
