package trust

import (
	"net/url"
	"path"
	"regexp"
	"strings"

	"github.com/winnowhq/winnow/services/internal/memory"
)

// local reports whether there are addresses among the arguments and all of them
// are configured hosts.
func (s *script) local(args []word) bool {
	found := false
	for _, a := range args {
		if !a.known {
			return false
		}
		for _, part := range strings.FieldsFunc(a.text, func(r rune) bool { return strings.ContainsRune(" \t\n'\"()<>,;", r) }) {
			if strings.HasPrefix(part, "-") {
				continue
			}
			if !strings.Contains(part, "://") {
				part = "http://" + part
			}
			u, err := url.Parse(part)
			if err != nil {
				return false
			}
			host := strings.ToLower(u.Hostname())
			if !matched(s.config.Hosts, host) {
				if strings.ContainsAny(host, ".:") || host == "localhost" {
					return false
				}
				continue
			}
			found = true
		}
	}
	return found
}

var (
	userAtHost = regexp.MustCompile(`^[\w.+-]+@((?:[\w-]+\.)+[A-Za-z]{2,}|localhost)(?:[:/]|$)`)
	hostPort   = regexp.MustCompile(`^((?:[\w-]+\.)+[A-Za-z][\w-]*|localhost|\d+\.\d+\.\d+\.\d+|\[[0-9A-Fa-f:]+\]):\d{1,5}(?:/|$)`)
	bareIP     = regexp.MustCompile(`^(\d{1,3}\.\d{1,3}\.\d{1,3}\.\d{1,3})(?:/|$)`)
	goVersion  = regexp.MustCompile(`^[\w-]+(?:\.[\w-]+)+/\S+@\S+$`)
	hostFlag   = regexp.MustCompile(`^(?:-h|--?(?:host|hostname|server|endpoint|base-?url|url|remote|proxy))$`)
)

// sources holds the endings of file names that are followed by a line number.
var sources = memory.WordSet("go rs py js ts jsx tsx mjs cjs rb ex exs java kt c h cc cpp hpp cs php swift scala md feature sh lua dart vue zig hs ml")

// addressOf returns the host that an argument names.
func addressOf(text string) (host string, ok bool) {
	if at := strings.Index(text, "://"); at >= 0 {
		if strings.HasSuffix(text[:at], "file") {
			return "", false
		}
		u, err := url.Parse(text[max(strings.LastIndexAny(text[:at], "='\" ,(")+1, 0):])
		if err != nil {
			return unknown, true
		}
		return strings.ToLower(u.Hostname()), true
	}
	for _, form := range []*regexp.Regexp{userAtHost, hostPort, bareIP} {
		if m := form.FindStringSubmatch(text); m != nil {
			if form == hostPort && sources[strings.TrimPrefix(path.Ext(m[1]), ".")] {
				continue
			}
			return strings.ToLower(m[1]), true
		}
	}
	if goVersion.MatchString(text) {
		return unknown, true
	}
	return "", false
}

// addressed reports whether an argument is an address of a host that is not
// configured.
func (s *script) addressed(args []word) bool {
	for i, a := range args {
		if hostFlag.MatchString(a.text) && i+1 < len(args) && !strings.HasPrefix(args[i+1].text, "-") {
			if next := args[i+1]; !next.known || !s.trusts(next.text) {
				return true
			}
		}
		text := a.text
		if _, value, ok := strings.Cut(text, "="); ok && !strings.Contains(value, "://") {
			text = value
		}
		if host, ok := addressOf(text); ok && !matched(s.config.Hosts, host) {
			return true
		}
	}
	return false
}

// trusts reports whether the value of a host flag is a configured host.
func (s *script) trusts(text string) bool {
	if host, ok := addressOf(text); ok {
		text = host
	}
	return matched(s.config.Hosts, strings.ToLower(text))
}

// schemes reports whether an argument has an address with a scheme. Without
// one, names of packages look like hosts.
func (s *script) schemes(args []word) bool {
	for _, a := range args {
		if !strings.Contains(a.text, "://") && !strings.HasPrefix(a.text, "git@") {
			continue
		}
		if host, ok := addressOf(a.text); ok && !matched(s.config.Hosts, host) {
			return true
		}
	}
	return false
}

// starts reports whether an argument makes a program start another one.
func (s *script) starts(args []word) bool {
	for _, a := range args {
		for _, flag := range starters {
			if strings.HasPrefix(a.text, flag) || strings.HasSuffix(flag, "=") && a.text == strings.TrimSuffix(flag, "=") {
				return true
			}
		}
	}
	return false
}

// patterns holds the programs whose first operand is no file.
var patterns = memory.WordSet("grep egrep fgrep rg ag ack sed gsed awk gawk mawk nawk jq yq xq")

// excludes holds the flags whose value is left out of what is read.
var excludes = memory.WordSet("-I -g --ignore --exclude --exclude-dir --glob --iglob -not -e --regexp --grep")

// reads reports whether a printer prints what others wrote.
func (s *script) reads(name string, args []word) bool {
	if quiet[name] {
		return false
	}
	operand := !patterns[name]
	for i, a := range args {
		switch {
		case strings.HasPrefix(a.text, "-"):
			flag, value, _ := strings.Cut(a.text, "=")
			if !excludes[flag] && s.config.foreign(value, false) {
				return true
			}
		case strings.HasPrefix(a.text, "!") || i > 0 && excludes[args[i-1].text]:
		case !operand:
			operand = true
		case s.config.foreign(a.text, false):
			return true
		}
	}
	return false
}

// readsInside is reads for programs that get folders as targets to create: only
// paths inside a folder of others count.
func (s *script) readsInside(args []word) bool {
	for _, a := range args {
		if !strings.HasPrefix(a.text, "-") && s.config.foreign(a.text, true) {
			return true
		}
	}
	return false
}

// foreign reports whether a path leads to what others wrote. inside excludes
// the folder itself.
func (c *Config) foreign(file string, inside bool) bool {
	if file == "" {
		return false
	}
	file = strings.Trim(strings.ReplaceAll(file, `\`, "/"), "/")
	parts := strings.Split(file, "/")
	for _, dir := range c.Foreign {
		n := 1 + strings.Count(dir, "/")
		for at := 0; at+n <= len(parts); at++ {
			if (!inside || at+n < len(parts)) && fitsPath(parts[at:at+n], dir) {
				return true
			}
		}
	}
	return false
}

// fitsPath compares parts of a path, which may hold patterns, with a folder of as many
// parts.
func fitsPath(parts []string, dir string) bool {
	for _, part := range parts {
		want, rest, _ := strings.Cut(dir, "/")
		dir = rest
		if part == want {
			continue
		}
		if strings.Trim(part, "*") == "" || !strings.ContainsAny(part, "*?[") {
			return false
		}
		if ok, err := path.Match(part, want); err != nil || !ok {
			return false
		}
	}
	return true
}

// mentions reports whether code names a path inside a folder of others.
func (s *script) mentions(code string) bool {
	for _, dir := range s.config.Foreign {
		if strings.Contains(code, dir+"/") {
			return true
		}
	}
	return false
}
