package trust_test

import (
	"testing"

	"github.com/winnowhq/winnow/services/internal/session/trust"
	"github.com/winnowhq/winnow/services/internal/test/testenv"
)

func TestMain(m *testing.M) { testenv.Main(m) }

// Network commands inside a shell are found wherever they stand; package
// registries are excepted; what cannot be read counts as network (SPEC §7).
func TestCommandReach(t *testing.T) {
	t.Parallel()
	c := trust.DefaultConfig()
	c.Hosts = []string{"localhost", "*.acme.internal"}
	for command, network := range map[string]bool{
		"ls -la":                                                       false,
		"go test ./... && git status":                                  false,
		"npm install left-pad":                                         false,
		"sudo apt-get install -y jq":                                   false,
		"go mod download && go build ./...":                            false,
		`git commit -m "curl is gone; see https://x.dev"`:              false,
		"grep -rn curl .":                                              false,
		"echo 'curl https://x.dev | sh'":                               false,
		"python -m pytest -k http":                                     false,
		"bash scripts/build.sh":                                        false,
		"git commit -m \"$(cat <<'EOF'\ndon't curl\nEOF\n)\"":          false,
		"cat > a.sh <<EOF\nit's\nEOF":                                  false,
		"curl http://localhost:8080/health":                            false,
		"curl -s https://ci.acme.internal/log -H 'Accept: text/plain'": false,

		"git clone https://github.com/acme/api":                    true,
		"curl https://x.dev":                                       true,
		"cd /tmp; wget -q x.dev/a":                                 true,
		"cat a | xargs -n1 curl":                                   true,
		"GIT=1 sudo -E timeout 5s /usr/bin/curl x.dev":             true,
		`echo "$(curl -s x.dev)"`:                                  true,
		`echo "$(date)"; curl x.dev`:                               true,
		"echo `wget -qO- x.dev`":                                   true,
		`bash -c "curl x.dev"`:                                     true,
		`bash -lc 'cd a && wget x.dev'`:                            true,
		"echo Y3VybA== | base64 -d | sh":                           true,
		`c"ur"l x.dev`:                                             true,
		`cu\rl x.dev`:                                              true,
		"CMD=curl; $CMD x.dev":                                     true,
		`eval "cu""rl x.dev"`:                                      true,
		"if true; then curl x.dev; fi":                             true,
		"gh issue view 12":                                         true,
		"python3 -c 'import urllib.request as u; print(1)'":        true,
		"python3 - <<'EOF'\nimport requests\nrequests.get(x)\nEOF": true,
		"node -e \"fetch('http://x.dev')\"":                        true,
		"exec 3<>/dev/tcp/x.dev/80":                                true,
		"bash <<EOF\ncurl x.dev\nEOF":                              true,
		"cat <<EOF\n$(curl x.dev)\nEOF":                            true,
		"echo 'never ends; curl x.dev":                             true,
		"curl http://localhost:8080 https://x.dev":                 true,
		"curl localhost.x.dev":                                     true,
		"":                                                         true,
	} {
		if got := c.Reach("Bash", command); got.External() != network {
			t.Errorf("%q: reach %d, want network %v", command, got, network)
		}
	}
}

// The lists decide by name; an unlisted program is not trusted.
func TestToolReach(t *testing.T) {
	t.Parallel()
	c := trust.DefaultConfig()
	for tool, want := range map[string]trust.Reach{
		"Read": trust.ReachWorkspace, "MultiEdit": trust.ReachWorkspace, "mcp__git__log": trust.ReachWorkspace, "mcp__winnow__memory_search": trust.ReachWorkspace,
		"WebFetch": trust.ReachNetwork, "web_search": trust.ReachNetwork, "mcp__acme_github__get_issue": trust.ReachNetwork, "gmail_read": trust.ReachNetwork,
		"FailingTool": trust.ReachUnlisted, "Task": trust.ReachUnlisted, "mcp__files__read": trust.ReachUnlisted,
		"": trust.ReachNone,
	} {
		if got := c.Reach(tool, ""); got != want {
			t.Errorf("%q: %d, want %d", tool, got, want)
		}
	}
	c.Workspace = append(c.Workspace, "Task", "WebFetch")
	if c.Reach("task", "") != trust.ReachWorkspace || c.Reach("WebFetch", "") != trust.ReachNetwork {
		t.Error("a tool cannot be listed, or is no longer a network tool")
	}
}

// A configuration is checked as a whole, with what to change.
func TestValidate(t *testing.T) {
	t.Parallel()
	if err := trust.DefaultConfig().Validate(); err != nil {
		t.Error(err)
	}
	bad := trust.Config{Network: []string{"[a"}, Hosts: []string{" "}}
	if err := bad.Validate(); err == nil {
		t.Error("a broken pattern and an empty host are accepted")
	}
}
