package trust

import (
	"regexp"
	"strings"
)

// commands cuts a line into its commands and these into words, with quotes
// removed. What stands in $( ) or backticks is a command of its own. ok is false
// where a quotation does not end: then nobody knows what the shell makes of it.
func commands(line string) (all [][]string, ok bool) {
	line = withoutHeredocs(line)
	s := splitter{}
	for i := 0; i < len(line); i++ {
		i += s.take(line, i)
	}
	s.endCommand()
	return s.commands, s.quote == 0 && len(s.open) == 0
}

var heredoc = regexp.MustCompile(`<<-?[ \t]*(['"\\]?)(\w+)`)

// withoutHeredocs drops the text that a command is fed: it is data, such as the
// message of a commit. One that the shell looks for commands in is kept.
func withoutHeredocs(line string) string {
	var kept []string
	rows := strings.Split(line, "\n")
	for i := 0; i < len(rows); i++ {
		kept = append(kept, rows[i])
		m := heredoc.FindStringSubmatch(rows[i])
		if m == nil || strings.Contains(rows[i], "<<<") {
			continue
		}
		end := i + 1
		for end < len(rows) && strings.TrimSpace(rows[end]) != m[2] {
			end++
		}
		body := strings.Join(rows[i+1:min(end, len(rows))], "\n")
		if end == len(rows) || m[1] == "" && (strings.Contains(body, "$(") || strings.Contains(body, "`")) {
			continue
		}
		i = end
	}
	return strings.Join(kept, "\n")
}

type splitter struct {
	commands [][]string
	words    []string
	word     strings.Builder
	started  bool // the word has begun, though it may be empty
	quote    byte
	open     []saved // commands within commands
}

// saved is the quotation that a command within a command stands in.
type saved struct{ opener, quote byte }

func (s *splitter) descend(opener byte) {
	s.endCommand()
	s.open = append(s.open, saved{opener, s.quote})
	s.quote = 0
}

// ascend reports whether the opener was the last one.
func (s *splitter) ascend(opener byte) bool {
	n := len(s.open) - 1
	if n < 0 || s.open[n].opener != opener {
		return false
	}
	s.endCommand()
	s.quote = s.open[n].quote
	s.open = s.open[:n]
	return true
}

// take reads the byte at i and returns how many more it used up.
func (s *splitter) take(line string, i int) int {
	b := line[i]
	next := byte(0)
	if i+1 < len(line) {
		next = line[i+1]
	}
	switch {
	case s.quote == '\'' && b != '\'', s.quote == '"' && b != '"' && b != '\\' && b != '`' && (b != '$' || next != '('):
		s.word.WriteByte(b)
	case b == '\'' || b == '"':
		s.started = true
		if s.quote == 0 { // inside the other kind it was taken above
			s.quote = b
		} else {
			s.quote = 0
		}
	case b == '\\':
		if next == '\n' || next == 0 {
			return 1
		}
		s.word.WriteByte(next)
		s.started = true
		return 1
	case b == '$' && next == '(':
		// Substituted commands are read as if they stood alone, quoted or not.
		s.descend('(')
		return 1
	case b == ')' && s.ascend('('), b == '`' && s.ascend('`'):
	case b == '`':
		s.descend('`')
	case b == ';', b == '&', b == '|', b == '\n', b == '(', b == ')':
		s.endCommand()
	case b == '#' && !s.started && s.word.Len() == 0:
		for n := i; n < len(line); n++ {
			if line[n] == '\n' {
				return n - i - 1
			}
		}
		return len(line) - i
	case b == ' ' || b == '\t' || b == '\r':
		s.endWord()
	default:
		s.word.WriteByte(b)
	}
	return 0
}

func (s *splitter) endWord() {
	if s.word.Len() > 0 || s.started {
		s.words = append(s.words, s.word.String())
	}
	s.word.Reset()
	s.started = false
}

func (s *splitter) endCommand() {
	s.endWord()
	if len(s.words) > 0 {
		s.commands = append(s.commands, s.words)
	}
	s.words = nil
}

// outputFlag says that a file follows, or with -O the address that names it.
var outputFlag = regexp.MustCompile(`^(?:-[a-zA-Z]*[oO]|--output|--output-document)$`)

// written are the files that a command line stores what it fetches in.
func written(line string) []string {
	var files []string
	all, _ := commands(line)
	for _, words := range all {
		for i, word := range words {
			switch {
			case i+1 < len(words) && (outputFlag.MatchString(word) || word == ">" || word == ">>" || word == "tee"):
				files = append(files, words[i+1])
			case strings.HasPrefix(word, "--output="):
				files = append(files, strings.TrimPrefix(word, "--output="))
			case len(word) > 1 && word[0] == '>':
				files = append(files, strings.TrimLeft(word, ">"))
			}
		}
	}
	return files
}
