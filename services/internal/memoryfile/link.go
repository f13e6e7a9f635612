package memoryfile

import (
	"iter"
	"net/url"
	"path"
	"regexp"
	"strings"
)

var (
	inline  = regexp.MustCompile(`\[[^\[\]]*\]\(<?([^)\s>]+)>?(?:[ \t]+["'][^)]*)?\)`)
	include = regexp.MustCompile(`(?:^|\s)@([\w.~/-]+\.(?:md|markdown))`)
	code    = regexp.MustCompile("`[^`]*`")
)

// links returns the files that an entry refers to: [text](topics/x.md), and
// @topics/x.md as CLAUDE.md files include others. Only Markdown files by relative paths
// count; links in code are examples.
func links(text string, line int) []Link {
	var out []Link
	closing := ""
	for line, row := range lines(text, line) {
		if closing != "" {
			if closes(row, closing) {
				closing = ""
			}
			continue
		}
		if mark, ok := fence(strings.TrimSpace(row)); ok {
			closing = mark
			continue
		}
		row = code.ReplaceAllString(row, "")
		for i, pattern := range []*regexp.Regexp{inline, include} {
			for _, m := range pattern.FindAllStringSubmatch(row, -1) {
				if to := target(m[1]); to != "" {
					out = append(out, Link{Line: line, Target: to, Alone: strings.TrimSpace(m[0]) == text, Include: i == 1})
				}
			}
		}
	}
	return out
}

// lines numbers the lines of a text that begins at line first.
func lines(text string, first int) iter.Seq2[int, string] {
	return func(yield func(int, string) bool) {
		for row := range strings.SplitSeq(text, "\n") {
			if !yield(first, row) {
				return
			}
			first++
		}
	}
}

// target returns a link as a path, empty for one that leads elsewhere.
func target(link string) string {
	u, err := url.Parse(link)
	if err != nil || u.Scheme != "" || u.Host != "" || u.Path == "" {
		return ""
	}
	switch strings.ToLower(path.Ext(u.Path)) {
	case ".md", ".markdown":
		return u.Path
	}
	return ""
}
