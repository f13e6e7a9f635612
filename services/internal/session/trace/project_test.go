package trace_test

import (
	"errors"
	"testing"

	"github.com/winnowhq/winnow/services/internal/session/trace"
)

// One repository is one project, however its remote is spelled (SPEC §4).
func TestProjectOfRemote(t *testing.T) {
	t.Parallel()
	for remote, want := range map[string]string{
		"https://github.com/acme/api":                     "github.com/acme/api",
		"https://github.com/Acme/API.git":                 "github.com/acme/api",
		"https://user:token@github.com/acme/api.git/":     "github.com/acme/api",
		"git@github.com:acme/api.git":                     "github.com/acme/api",
		"ssh://git@github.com:22/acme/api.git":            "github.com/acme/api",
		"ssh://git@ssh.github.com:443/acme/api.git":       "github.com/acme/api",
		"git://www.github.com/acme//api":                  "github.com/acme/api",
		"https://git.acme.example:8443/Team/Sub/Api.git":  "git.acme.example/Team/Sub/Api",
		"gitlab.acme.example:Team/api":                    "gitlab.acme.example/Team/api",
		" https://gitlab.com/acme/tools/api.git?ref=x#y ": "gitlab.com/acme/tools/api",
		"/srv/git/api.git":                                "",
		"../api":                                          "",
		`C:\git\api`:                                      "",
		"file:///srv/git/api.git":                         "",
		"https://github.com/":                             "",
		"api":                                             "",
		"":                                                "",
	} {
		got, err := trace.ProjectOfRemote(remote)
		if got != want || (want == "") != errors.Is(err, trace.ErrRemote) {
			t.Errorf("%q: %q, %v; want %q", remote, got, err, want)
		}
	}
}

func TestProjectOfDir(t *testing.T) {
	t.Parallel()
	for dir, want := range map[string]string{
		"/home/ada/src/billing":   "billing",
		"/home/ada/src/My App/":   "my-app",
		`C:\Users\ada\src\Api`:    "api",
		"/home/ada":               "",
		"/Users/ada":              "",
		"/tmp":                    "",
		"/":                       "",
		"":                        "",
		"/home/ada/src/büro.text": "büro.text",
	} {
		if got := trace.ProjectOfDir(dir); got != want {
			t.Errorf("%q: %q, want %q", dir, got, want)
		}
	}
}
