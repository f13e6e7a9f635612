package trust

import (
	"regexp"
	"strings"

	"mvdan.cc/sh/v3/syntax"
)

// outputFlag says that a file follows, or with -O the address that names it.
var outputFlag = regexp.MustCompile(`^(?:-[a-zA-Z]*[oO]|--output|--output-document)$`)

// written are the files that a command line stores what it fetches in. Of a line
// that cannot be read it is what looks like one.
func written(line string) []string {
	file, ok := parse(line)
	if !ok {
		return writtenWords(strings.Fields(line))
	}
	s := script{}
	var files []string
	syntax.Walk(file, func(n syntax.Node) bool {
		stmt, ok := n.(*syntax.Stmt)
		if !ok {
			return true
		}
		for _, r := range stmt.Redirs {
			switch r.Op {
			case syntax.RdrOut, syntax.AppOut, syntax.RdrClob, syntax.RdrAll, syntax.AppAll:
				files = append(files, s.word(r.Word).text)
			}
		}
		if call, ok := stmt.Cmd.(*syntax.CallExpr); ok {
			var words []string
			for _, w := range s.words(call.Args) {
				words = append(words, w.text)
			}
			files = append(files, writtenWords(words)...)
			if n := len(words); n > 2 && (words[0] == "cp" || words[0] == "mv" || words[0] == "ln" || words[0] == "install") {
				files = append(files, words[n-1])
			}
		}
		return true
	})
	return files
}

func writtenWords(words []string) (files []string) {
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
	return files
}
