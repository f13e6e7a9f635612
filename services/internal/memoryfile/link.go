package memoryfile

import (
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

// links finds what an entry refers to: [text](topics/x.md), and @topics/x.md as
// CLAUDE.md files include others. Only Markdown files that are named by a
// relative path count; code is somebody's example.
func links(text string, line int) []Link {
	var out []Link
	closing := ""
	for i, row := range strings.Split(text, "\n") {
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
		for _, m := range append(inline.FindAllStringSubmatch(row, -1), include.FindAllStringSubmatch(row, -1)...) {
			if target := target(m[1]); target != "" {
				alone := strings.TrimSpace(strings.Replace(text, strings.TrimSpace(m[0]), "", 1)) == ""
				out = append(out, Link{Line: line + i, Target: target, Alone: alone})
			}
		}
	}
	return out
}

// target is a link as a path, empty when it leads elsewhere.
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
