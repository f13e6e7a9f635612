package rules

import (
	"regexp"
	"slices"
	"strings"

	"github.com/winnowhq/winnow/services/internal/session/extract"
	"github.com/winnowhq/winnow/services/internal/session/trace"
	"github.com/winnowhq/winnow/services/internal/session/transcript"
)

// end is how a tool's run ended.
type end uint8

const (
	endUnknown end = iota
	endPassed
	endFailed
)

// run is a call of a tool and its answer, as indexes into the session's lines.
type run struct {
	call, answer int
	command      string // of a shell, on one line: the core of how it was called
	called       invocation
	end          end
	edit         edit // of an editor
	thrown       bool // the command is about a throw-away file
}

// edit is a change of a file, as far as the call shows it.
type edit struct {
	file string
	line string // the single line that was written, trimmed; empty for more than one
}

// runs pairs calls with answers, in the order of the answers. Runs that brought
// words from outside are left out with everything they say.
func runs(s extract.Session) []run {
	var list []run
	open := make(map[string]int)
	last := -1
	for i, l := range s.Lines {
		switch {
		case l.Calls():
			last = i
			if l.Tool.Call != "" {
				open[l.Tool.Call] = i
			}
		case l.Role == trace.RoleTool:
			call, ok := open[l.Tool.Call]
			if !ok || l.Tool.Call == "" {
				call = last
			}
			if call < 0 || outside(l) || outside(s.Lines[call]) {
				continue
			}
			r := run{call: call, answer: i, called: invoked(extract.OneLine(l.Tool.Command))}
			r.command, r.end = r.called.core, ended(l, r.called)
			if l.Tool.Kind == trace.KindEdit {
				r.edit = editOf(s, call, i)
			} else if m := inPlace.FindStringSubmatch(r.command); m != nil {
				r.edit.file = relative(m[1], s.Project)
			}
			list = append(list, r)
			last = -1
		}
	}
	return kept(s, list)
}

// kept returns the runs without changes of the session's own throw-away files: those in a
// temporary folder, and those that the session removed again. Commands on such files are
// marked: their failure teaches nothing, but they may check a fix.
func kept(s extract.Session, list []run) []run {
	gone := make(map[string]bool)
	for _, r := range list {
		for _, m := range removes.FindAllStringSubmatch(s.Lines[r.call].Tool.Command, -1) {
			for word := range strings.FieldsSeq(m[1]) {
				if base := word[strings.LastIndexByte(word, '/')+1:]; strings.Contains(base, ".") && !strings.HasPrefix(base, "-") {
					gone[base] = true
				}
			}
		}
	}
	thrown := func(word string) bool {
		word = strings.Trim(word, `"'`)
		return temporary.MatchString(word) || gone[word[strings.LastIndexByte(word, '/')+1:]]
	}
	for i := range list {
		list[i].thrown = slices.ContainsFunc(strings.Fields(list[i].command), thrown)
	}
	return slices.DeleteFunc(list, func(r run) bool { return r.edit.file != "" && thrown(r.edit.file) })
}

var (
	removes   = regexp.MustCompile(`(?:^|[;&|]\s*)rm\s+([^;&|]+)`)
	temporary = regexp.MustCompile(`^(?:/tmp/|/var/tmp/|\$TMPDIR|/dev/shm/)`)
)

// ended returns how a run ended: as the trace says, or by the output where the
// stated end is not the command's own.
func ended(answer transcript.Line, in invocation) end {
	switch {
	case !answer.Settled:
		return endUnknown
	case in.masked:
		return verdict(answer.Text)
	case answer.Error:
		return endFailed
	}
	return endPassed
}

var (
	// editedFile matches the argument of a call, or the line of an answer, that
	// names the file.
	editedFile   = regexp.MustCompile(`(?m)^(?:file_path|path|file_name|filename|target_file|file|notebook_path): *(\S+)$|^\*\*\* (?:Update|Add) File: *(\S+)$`)
	answeredFile = regexp.MustCompile(`(?m)^\[File: (\S+)|(?:\bat: |^The file )(/?\S+)`)
	// writtenLine matches the replacement of one line, in the forms of common
	// editors.
	writtenLine = regexp.MustCompile(`(?m)^(?:new_string|new_str|replace|replacement): *(\S.*)$`)
	// lineEdit matches SWE-agent's edit: edit 15:15, the new lines,
	// end_of_edit.
	lineEdit = regexp.MustCompile(`^edit \d+:\d+\n([^\n]+)\nend_of_edit`)
	// inPlace matches an edit by a shell, for agents without an editor.
	inPlace = regexp.MustCompile(`^(?:sed|perl)\s+(?:-\S+\s+)*-(?:i|pi)\S*\s.*\s([\w./@-]*[\w-]\.\w+)$`)
	// argument matches the beginning of the next argument of a call.
	argument = regexp.MustCompile(`(?m)^[a-z_]+:(?: |$)`)
)

func editOf(s extract.Session, call, answer int) edit {
	text := s.Lines[call].Text
	var e edit
	for _, found := range [][]string{editedFile.FindStringSubmatch(text), answeredFile.FindStringSubmatch(s.Lines[answer].Text)} {
		for _, group := range found[min(1, len(found)):] {
			if e.file == "" {
				e.file = relative(group, s.Project)
			}
		}
	}
	if m := lineEdit.FindStringSubmatch(text); m != nil {
		e.line = strings.TrimSpace(m[1])
	} else if m := writtenLine.FindStringSubmatchIndex(text); m != nil {
		// One line only: the next argument, or the end of the call, must
		// follow.
		if rest := strings.TrimPrefix(text[m[3]:], "\n"); rest == "" || argument.FindStringIndex(rest) != nil && argument.FindStringIndex(rest)[0] == 0 {
			e.line = strings.TrimSpace(text[m[2]:m[3]])
		}
	}
	if !quotable(e.line) {
		e.line = ""
	}
	return e
}

// relative removes the folder that the project was checked out in.
func relative(file, project string) string {
	if file = strings.TrimRight(file, ".,:;)"); !strings.HasPrefix(file, "/") {
		return strings.TrimPrefix(file, "./")
	}
	name := project[strings.LastIndexByte(project, '/')+1:]
	if name == "" {
		return file
	}
	if i := strings.Index(strings.ToLower(file), "/"+strings.ToLower(name)+"/"); i >= 0 {
		return file[i+len(name)+2:]
	}
	return file
}

// looks matches commands that look around or tidy up: how they end says
// nothing.
var looks = regexp.MustCompile(`^\s*(?:ls|ll|dir|cat|head|tail|less|more|grep|rg|ag|find|fd|pwd|cd|echo|which|type|wc|stat|file|tree|du|df|ps|env|date|whoami|rm|mkdir|touch|cp|mv|chmod|sed|awk|diff|sleep|kill|pkill|git|patch|submit|clear|history)\b`)

// inline matches code that was written for one run.
var inline = regexp.MustCompile(`^\s*(?:python[\d.]*|node|deno|ruby|perl|php|bash|sh|zsh)\s+(?:-\w+\s+)*(?:-\w*[ce]\b|-\s|<<|eval\b)`)

// works reports whether the end of a run is a sign of how the work went.
func (r run) works() bool {
	return r.command != "" && !looks.MatchString(r.command) && !inline.MatchString(r.command)
}

var (
	// errorLine matches a line that says what went wrong.
	errorLine = regexp.MustCompile(`(?i)^(?:[\w./:-]+:\d+(?::\d+)?:?\s+)?(?:E\s+)?(?:\*\* \()?(?:[\w.]*(?:error|exception|panic|fatal)\b\)?(?:\[\w+\])?\s*:?|ERR_[A-Z_]{4,}\s|(?:FAILED|Failure): \w|.*\b(?:command not found|no such file or directory|permission denied|connection refused|undefined: |undefined reference|cannot find|could not (?:find|resolve|connect|open|import)|not (?:found|installed|recognized|set|defined)|(?:unknown|unexpected|invalid|illegal|no such) (?:flag|option|switch|argument|(?:sub)?command|revision)|unrecognized|is required|missing|already in use|unsupported|incompatible|mismatch|out of memory|timed out|no space left|does(?:n't| not) exist|already exists|deadline exceeded|not (?:implemented|exported|supported|allowed|permitted|assignable|reachable)|refused|could not|violates|denied|nicht gefunden|ungültig)\b).*$`)
	// plainFailure matches a test's result, which is about the work of the day
	// only.
	plainFailure = regexp.MustCompile(`(?i)^(?:[\w./:-]+:\d+(?::\d+)?:?\s+)?(?:E\s+)?(?:assert|assertionerror\b|--- FAIL|FAIL\b|FAILED(?:$|[^:\w]|:\s*$)|\d+ (?:failed|errors?)\b|expected\b|want\b|got\b|npm ERR! (?:code|errno|test)|error: test failed|make: \*\*\*)`)
	// orders matches lines that give an order. They are never a lesson.
	// An agent's explanation may say "never" and "the agent": see urges.
	orders = regexp.MustCompile(`(?i)https?://|\b(?:you (?:must|should|need|have to|can|may)|please|run|execute|curl|wget|sudo|ignore|always|never|agent|assistant|remember|download|disable|bitte|führe|installiere)\b`)
)

const maxErrorLine = 140

// position matches where a compiler saw an error. A title is better without it.
var position = regexp.MustCompile(`^(?:\(eval\)|[\w./-]+):\d+(?::\d+)?:?\s+`)

// tested matches the mark that a test runner puts before what a test raised.
var tested = regexp.MustCompile(`^E {2,}`)

// atEnd matches outputs that name the error in their last lines.
var atEnd = regexp.MustCompile(`(?m)^(?:Traceback |ImportError while loading conftest)`)

// advice matches the polite end of an error, which says no more than the error.
var advice = regexp.MustCompile(`(?i)\s*[-–,;.]+\s*please (?:make sure|ensure|check|verify|specify|provide|see)\b.*$`)

// wentWrong returns the line of an output that says what went wrong, or "". A
// line that gives an order is left out.
func wentWrong(text string) string {
	found := ""
	heading := false // found only announces the error
	for line := range strings.SplitSeq(text[max(0, len(text)-6000):], "\n") {
		line = strings.TrimSpace(tested.ReplaceAllString(line, ""))
		line = advice.ReplaceAllString(line, "")
		if len(line) < minSentence || len(line) > 400 || strings.ContainsAny(line, "“”") || strings.Count(line, "`")%2 == 1 || !errorLine.MatchString(line) || plainFailure.MatchString(line) || orders.MatchString(line) || steers(line) {
			continue
		}
		// Tracebacks end with the error, compilers begin with it.
		if found == "" || heading || atEnd.MatchString(text) {
			found, heading = line, strings.HasSuffix(line, ":")
		}
	}
	if len([]rune(found)) > maxErrorLine {
		found = strings.TrimSuffix(extract.Ellipsis(found, maxErrorLine), "…")
	}
	return strings.TrimRight(found, " .,:;")
}
