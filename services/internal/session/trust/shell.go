package trust

import (
	"net/url"
	"path"
	"regexp"
	"slices"
	"strings"
)

// command classifies a command line by each command in it. One that reaches the
// network makes the whole line reach it; one that cannot be read does too,
// because that is how a line hides what it does.
func (c Config) command(line string) Reach {
	if strings.TrimSpace(line) == "" {
		return ReachUnlisted
	}
	all, readable := commands(line)
	if !readable {
		return ReachNetwork
	}
	for _, words := range all {
		if c.network(words) {
			return ReachNetwork
		}
	}
	if inline(line) && inlineNetwork.MatchString(line) && !c.local(line) || strings.Contains(line, "/dev/tcp/") {
		return ReachNetwork
	}
	return ReachWorkspace
}

// interpreters are the programs of which inlineNetwork finds one in every match.
var interpreters = []string{"python", "node", "deno", "bun", "perl", "ruby", "php", "pwsh", "powershell"}

// inline spares the expression most command lines.
func inline(line string) bool {
	line = strings.ToLower(line)
	return slices.ContainsFunc(interpreters, func(name string) bool { return strings.Contains(line, name) })
}

// inlineNetwork finds a program written into the command line that opens a
// connection.
var inlineNetwork = regexp.MustCompile(`(?is)\b(?:python[\d.]*|node|deno|bun|perl|ruby|php|pwsh|powershell)\b.*(?:\s-\w*[ecr]\b|<<|\beval\b).*(?:urllib|requests\.|httpx|aiohttp|http\.client|socket\.|fetch\(|http\.get|https\.get|axios|net/http|open-uri|LWP|curl_|file_get_contents|Invoke-WebRequest|https?://)`)

// wrappers run the command that follows them.
var wrappers = map[string]bool{
	"sudo": true, "doas": true, "env": true, "time": true, "nice": true, "nohup": true, "exec": true, "command": true, "builtin": true,
	"xargs": true, "timeout": true, "stdbuf": true, "watch": true, "then": true, "do": true, "else": true, "if": true, "while": true, "until": true, "!": true, "{": true,
}

// shells run what they are given: an argument, or whatever is piped into them.
var shells = map[string]bool{"bash": true, "sh": true, "zsh": true, "dash": true, "ksh": true, "fish": true, "eval": true}

// network reports that one command reaches the network, or hides what it runs.
func (c Config) network(words []string) bool {
	words = unwrapped(words)
	if len(words) == 0 {
		return false
	}
	name := strings.ToLower(path.Base(words[0]))
	switch {
	case strings.HasPrefix(words[0], "$"), strings.HasPrefix(words[0], "`"):
		return true
	case shells[name]:
		return c.shell(name, words[1:])
	case matched(c.Registries, name) || len(words) > 1 && matched(c.Registries, name+" "+strings.ToLower(words[1])):
		return false
	case matched(c.Commands, name):
		return !c.local(strings.Join(words[1:], " "))
	}
	return false
}

// shell reports what a shell started within a shell does. A script of the
// workspace is the workspace's; without one it runs what it is piped.
func (c Config) shell(name string, args []string) bool {
	for i, arg := range args {
		switch {
		case name == "eval", strings.HasPrefix(arg, "-") && strings.HasSuffix(arg, "c") && i+1 < len(args):
			inner := args[i:]
			if name != "eval" {
				inner = args[i+1:]
			}
			return c.command(strings.Join(inner, " ")).External()
		case !strings.HasPrefix(arg, "-") && !strings.HasPrefix(arg, "<"):
			return false
		}
	}
	return true
}

// unwrapped drops assignments and the commands that run others.
func unwrapped(words []string) []string {
	for len(words) > 0 {
		word := words[0]
		switch {
		case wrappers[word], strings.HasPrefix(word, "-"), assignment.MatchString(word), duration.MatchString(word):
			words = words[1:]
		default:
			return words
		}
	}
	return nil
}

var (
	assignment = regexp.MustCompile(`^\w+=`)
	duration   = regexp.MustCompile(`^\d+(?:\.\d+)?[smhd]?$`)
)

// local reports that every address in a text is one of the configured hosts, and
// that there is one.
func (c Config) local(text string) bool {
	found := false
	for _, word := range strings.FieldsFunc(text, func(r rune) bool { return strings.ContainsRune(" \t\n'\"()<>,;", r) }) {
		if strings.HasPrefix(word, "-") {
			continue
		}
		if !strings.Contains(word, "://") {
			word = "http://" + word
		}
		u, err := url.Parse(word)
		if err != nil {
			return false
		}
		host := strings.ToLower(u.Hostname())
		if !matched(c.Hosts, host) {
			if strings.ContainsAny(host, ".:") || host == "localhost" {
				return false
			}
			continue
		}
		found = true
	}
	return found
}
