package trust

import (
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

const (
	// maxLine is the length of a command line that is read, in bytes, and maxBrackets
	// how many brackets may be open at once. The parser calls itself for each
	// command within a command and takes up to 10 kB of stack for it: 100,000
	// brackets end the process. Brackets in quotations can hide some from the count,
	// and the length bounds those.
	maxLine     = 64 << 10
	maxBrackets = 100
	// maxNested bounds command lines within arguments of command lines.
	maxNested = 8
)

// command classifies a command line by each command in it. One command that is
// not known to print only the workspace makes the whole line reach the network.
// So does a line that cannot be parsed, because that is how a line hides what
// it does.
func (c Config) command(line string) Reach {
	switch {
	case strings.TrimSpace(line) == "":
		return ReachUnlisted
	case c.reaches(line, 0):
		return ReachNetwork
	}
	return ReachWorkspace
}

// reaches reports whether a command line may print words from outside.
func (c *Config) reaches(line string, nested int) bool {
	if nested > maxNested {
		return true
	}
	file, ok := parse(line)
	if !ok {
		return true
	}
	s := script{config: c, nested: nested, values: make(map[string]string), own: make(map[string]uint), files: make(map[string]word)}
	s.learn(file)
	found := false
	syntax.Walk(file, func(n syntax.Node) bool {
		found = found || s.node(n)
		return !found
	})
	return found
}

// parse parses a command line as bash does. ok is false for a line that the
// parser refuses.
func parse(line string) (file *syntax.File, ok bool) {
	if len(line) > maxLine || brackets(line) > maxBrackets {
		return nil, false
	}
	defer func() {
		if recover() != nil { // an untrusted line must not end the process
			file, ok = nil, false
		}
	}()
	file, err := syntax.NewParser(syntax.Variant(syntax.LangBash)).Parse(strings.NewReader(line), "")
	return file, err == nil
}

// brackets returns how many brackets are open at once at most, including those
// in quotations.
func brackets(line string) int {
	open, most := 0, 0
	for i := range len(line) {
		switch line[i] {
		case '(', '[', '{':
			open++
			most = max(most, open)
		case ')', ']', '}':
			open = max(open-1, 0)
		}
	}
	return most
}

// script is a command line that is being judged.
type script struct {
	config *Config
	nested int
	values map[string]string // of variables that the line sets once, to a text
	own    map[string]uint   // functions that the line certainly defines, to the position of the definition, where they are judged
	files  map[string]word   // what the line writes into files, as far as the line tells
}

// node judges one node of the line; the walk visits its children separately.
func (s *script) node(n syntax.Node) bool {
	switch n := n.(type) {
	case *syntax.Stmt:
		if s.redirected(n.Redirs) {
			return true
		}
		if call, ok := n.Cmd.(*syntax.CallExpr); ok && len(call.Args) > 0 {
			words := s.words(call.Args)
			if len(words) == 0 {
				return true // a name that expands to nothing
			}
			if made, ok := s.own[words[0].text]; ok && words[0].known && made < call.Args[0].Pos().Offset() {
				return s.addressed(words[1:])
			}
			return s.program(words, n.Redirs, false)
		}
	case *syntax.Assign:
		return n.Name != nil && s.assigns(n.Name.Value, s.word(n.Value))
	case *syntax.Lit:
		return connects(n.Value)
	case *syntax.SglQuoted:
		return connects(n.Value)
	}
	return false
}

// connects reports whether text is a name by which bash opens a connection as
// if it were a file.
func connects(text string) bool {
	return strings.Contains(text, "/dev/tcp/") || strings.Contains(text, "/dev/udp/")
}

// redirected judges the files that a command reads.
func (s *script) redirected(list []*syntax.Redirect) bool {
	for _, r := range list {
		if r.Op == syntax.RdrIn || r.Op == syntax.RdrInOut {
			if w := s.word(r.Word); s.config.foreign(w.text, false) {
				return true
			}
		}
	}
	return false
}

// assigns judges a variable that names a program.
func (s *script) assigns(name string, value word) bool {
	if !programVariables[name] {
		return false
	}
	text := strings.TrimPrefix(strings.TrimSpace(value.text), "|")
	return !value.known || strings.TrimSpace(text) != "" && s.config.reaches(text, s.nested+1)
}

// learn collects the functions and variables of the line, and what it writes. A
// function counts only where the line certainly defines it: in a subshell or
// behind a condition the definition may not run, and then a program of that
// name runs. An alias never counts, because shells without a terminal ignore
// it.
func (s *script) learn(file *syntax.File) {
	doubtful := make(map[string]bool)
	all, bare := false, script{config: s.config}
	doubt := func(name string) { doubtful[name] = true }
	for _, stmt := range file.Stmts {
		if f, ok := stmt.Cmd.(*syntax.FuncDecl); ok && f.Name != nil && !stmt.Background && !stmt.Negated && len(stmt.Redirs) == 0 {
			s.own[f.Name.Value] = f.Pos().Offset()
		}
	}
	syntax.Walk(file, func(n syntax.Node) bool {
		switch n := n.(type) {
		case *syntax.Stmt:
			s.learnFiles(&bare, n)
		case *syntax.DeclClause:
			for _, a := range n.Args {
				// An option can make the name stand for another one.
				all = all || n.Variant.Value == "nameref" || a.Name == nil && strings.ContainsAny(bare.word(a.Value).text, "nuilc"+unknown)
			}
		case *syntax.WordIter:
			if n.Name != nil {
				doubt(n.Name.Value)
			}
		case *syntax.ParamExp:
			if n.Param != nil && n.Exp != nil {
				doubt(n.Param.Value) // ${x:=value} sets it
			}
		case *syntax.Assign:
			if n.Name == nil {
				break
			}
			name := n.Name.Value
			all = all || name == "IFS"
			if _, before := s.values[name]; before || n.Append || n.Naked || n.Index != nil || n.Array != nil {
				doubt(name)
			}
			value := bare.word(n.Value)
			if !value.known || value.open {
				doubt(name)
			}
			s.values[name] = value.text
		case *syntax.CallExpr:
			all = s.learnCall(n, doubt) || all
		}
		return true
	})
	for name := range s.values {
		if all || doubtful[name] {
			delete(s.values, name)
		}
	}
}

// learnCall collects what a command does with names. It reports whether the
// command may set any variable.
func (s *script) learnCall(call *syntax.CallExpr, doubt func(string)) bool {
	if len(call.Args) == 0 {
		return false
	}
	for _, a := range call.Assigns {
		if a.Name != nil {
			doubt(a.Name.Value) // for this one command
		}
	}
	switch s.word(call.Args[0]).text {
	case "unset":
		clear(s.own)
	case "eval", "source", ".":
		clear(s.own)
		return true
	case "read", "mapfile", "readarray", "getopts", "printf":
		for _, w := range call.Args[1:] {
			doubt(s.word(w).text)
		}
	}
	return false
}

// learnFiles collects what a command writes into files.
func (s *script) learnFiles(bare *script, stmt *syntax.Stmt) {
	content, given := bare.given(stmt.Redirs)
	call, _ := stmt.Cmd.(*syntax.CallExpr)
	var words []word
	if call != nil {
		words = bare.words(call.Args)
	}
	if !given && len(words) > 0 && (words[0].text == "echo" || words[0].text == "printf") {
		content, given = joined(words[1:])
	}
	note := func(file word) {
		name := strings.TrimPrefix(file.text, "./")
		_, twice := s.files[name]
		s.files[name] = word{text: content, known: given && !twice}
	}
	for _, r := range stmt.Redirs {
		switch r.Op {
		case syntax.RdrOut, syntax.AppOut, syntax.RdrClob, syntax.RdrAll, syntax.AppAll:
			note(bare.word(r.Word))
		}
	}
	if len(words) > 1 && words[0].text == "tee" {
		for _, w := range words[1:] {
			note(w)
		}
	}
}

// runs judges a file that is run, by the content that the line wrote into it,
// if any.
func (s *script) runs(file string, reaches func(content string) bool) bool {
	content, ok := s.files[strings.TrimPrefix(file, "./")]
	return ok && (!content.known || reaches(content.text))
}

// lines judges a file of commands.
func (s *script) lines(content string) bool { return s.config.reaches(content, s.nested+1) }

// code judges a file of code.
func (s *script) code(content string) bool { return opens.MatchString(content) || s.mentions(content) }
