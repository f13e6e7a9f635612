package trace

import (
	"errors"
	"fmt"
	"net/url"
	"path"
	"strings"
)

// ErrRemote is an address that names no repository on a host.
var ErrRemote = errors.New("not the address of a git repository")

// ProjectOfRemote returns the project that a git remote names: host and path in
// one spelling, such as github.com/acme/api, whatever the protocol, user, port
// or ending. The host is in lower case, and so is the path on hosts that ignore
// its case. Credentials in the address are dropped. A local path gives
// [ErrRemote].
func ProjectOfRemote(remote string) (string, error) {
	remote = strings.TrimSpace(remote)
	host, repo := "", ""
	if strings.Contains(remote, "://") {
		u, err := url.Parse(remote)
		if err != nil || u.Scheme == "file" {
			return "", remoteProblem()
		}
		host, repo = u.Hostname(), u.Path
	} else {
		// The short form of ssh: user@host:path.
		before, after, ok := strings.Cut(remote, ":")
		if !ok || strings.ContainsAny(before, `/\`) || len(before) < 2 {
			return "", remoteProblem()
		}
		host, repo = before[strings.LastIndexByte(before, '@')+1:], after
	}
	repo = strings.TrimSuffix(strings.Trim(path.Clean("/"+repo), "/"), ".git")
	host = strings.ToLower(strings.TrimPrefix(host, "www."))
	if host == "" || repo == "" || repo == "." || strings.ContainsAny(host+repo, " \t\n\\") {
		return "", remoteProblem()
	}
	// GitHub serves ssh on 443 under another name.
	if host == "ssh.github.com" {
		host = "github.com"
	}
	switch host {
	case "github.com", "gitlab.com", "bitbucket.org", "codeberg.org":
		repo = strings.ToLower(repo)
	}
	return host + "/" + repo, nil
}

func remoteProblem() error {
	return fmt.Errorf("%w: want https://host/owner/name or git@host:owner/name", ErrRemote)
}

// nowhere holds the names of folders that many projects share.
var nowhere = map[string]bool{
	"": true, ".": true, "/": true, "tmp": true, "temp": true, "home": true, "root": true, "users": true, "workspace": true,
	"app": true, "src": true, "code": true, "repo": true, "testbed": true, "desktop": true, "downloads": true, "documents": true, "opt": true, "var": true, "mnt": true,
}

// ProjectOfDir returns the project that a folder's name suggests: its last
// element in lower case, or "" for a name that is no project's, such as /tmp or
// a home folder. It is a guess: a caller that can read the folder asks git.
func ProjectOfDir(dir string) string {
	dir = strings.TrimRight(strings.ReplaceAll(dir, `\`, "/"), "/")
	parent, name := path.Split(dir)
	name = strings.ToLower(name)
	switch path.Base(strings.ToLower(parent)) {
	case "home", "users":
		return ""
	}
	if nowhere[name] || strings.HasSuffix(name, ":") {
		return ""
	}
	name = strings.Map(func(r rune) rune {
		switch {
		case r >= 'a' && r <= 'z', r >= '0' && r <= '9', r == '.', r == '_', r == '-':
			return r
		case r > 0x7F:
			return r
		}
		return '-'
	}, name)
	return strings.Trim(name, "-.")
}
