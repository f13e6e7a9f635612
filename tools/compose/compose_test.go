package compose

import (
	"encoding/json"
	"maps"
	"os"
	"path/filepath"
	"regexp"
	"slices"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/compose-spec/compose-go/v2/cli"
	"github.com/compose-spec/compose-go/v2/types"
)

// root is the repository, as seen from this package.
const root = "../.."

// secret replaces every value that make fleet-env would generate.
const secret = "wsecret"

// environ is .env.example with its secrets filled in. A variable that the file
// lacks makes loading fail.
func environ(t *testing.T) []string {
	t.Helper()
	var all []string
	for line := range strings.Lines(read(t, ".env.example")) {
		line = strings.TrimSpace(line)
		if name, value, ok := strings.Cut(line, "="); ok && !strings.HasPrefix(line, "#") {
			if value == "" {
				value = secret + "-" + strings.ToLower(name)
			}
			all = append(all, name+"="+value)
		}
	}
	return all
}

func read(t *testing.T, name string) string {
	t.Helper()
	text, err := os.ReadFile(filepath.Join(root, filepath.FromSlash(name)))
	if err != nil {
		t.Fatal(err)
	}
	return string(text)
}

// load reads the project as docker compose does, without this machine's environment.
func load(t *testing.T, env []string, profiles ...string) (*types.Project, error) {
	t.Helper()
	options, err := cli.NewProjectOptions([]string{filepath.Join(root, "docker-compose.yml")},
		cli.WithWorkingDirectory(root), cli.WithEnv(env), cli.WithProfiles(profiles), cli.WithInterpolation(true), cli.WithResolvedPaths(true))
	if err != nil {
		t.Fatal(err)
	}
	return options.LoadProject(t.Context())
}

func project(t *testing.T, profiles ...string) *types.Project {
	t.Helper()
	p, err := load(t, environ(t), profiles...)
	if err != nil {
		t.Fatalf("docker compose would refuse the file: %v", err)
	}
	return p
}

// workers are the names in the golden topology, which a test of the fleet holds
// against the code.
func workers(t *testing.T) []string {
	t.Helper()
	var lines []struct{ Worker string }
	if err := json.Unmarshal([]byte(read(t, "services/fleet/testdata/topology.json")), &lines); err != nil {
		t.Fatal(err)
	}
	var names []string
	for _, l := range lines {
		names = append(names, l.Worker)
	}
	slices.Sort(names)
	return slices.Compact(names)
}

func TestDefaultIsTheServersAlone(t *testing.T) {
	t.Parallel()
	if got := slices.Sorted(maps.Keys(project(t).Services)); !slices.Equal(got, []string{"nats", "postgres", "qdrant"}) {
		t.Errorf("services without a profile: %v", got)
	}
}

// Every worker has a service that runs its binary as its own NATS user, waits for
// provisioning, has a readiness check, and stops in order.
func TestEveryWorkerHasAService(t *testing.T) {
	t.Parallel()
	p := project(t, "fleet")
	for _, name := range workers(t) {
		t.Run(name, func(t *testing.T) {
			s, ok := p.Services[name]
			if !ok {
				t.Fatal("docker-compose.yml has no such service")
			}
			if got := strings.Join(s.Command, " "); got != "winnow-"+name {
				t.Errorf("command %q", got)
			}
			if _, err := os.Stat(filepath.Join(root, "cmd", "winnow-"+name)); err != nil {
				t.Errorf("no such binary: %v", err)
			}
			if user := value(s, "WINNOW_NATS_USER"); user != name {
				t.Errorf("logs in to NATS as %q", user)
			}
			if s.DependsOn["provision"].Condition != types.ServiceConditionCompletedSuccessfully {
				t.Error("starts before it is provisioned")
			}
			if s.Restart != types.RestartPolicyUnlessStopped {
				t.Errorf("restart policy %q", s.Restart)
			}
			if s.HealthCheck == nil || s.HealthCheck.Disable || !slices.Contains(s.HealthCheck.Test, "healthcheck") {
				t.Errorf("health check %v", s.HealthCheck)
			}
			// drain_timeout is 25 s.
			if s.StopGracePeriod == nil || time.Duration(*s.StopGracePeriod) < 30*time.Second {
				t.Errorf("is killed after %v", s.StopGracePeriod)
			}
			// A second replica could not have the same port. The intake needs one.
			if len(s.Ports) > 0 && name != "ingest" && name != "api" {
				t.Errorf("cannot be scaled with ports %v", s.Ports)
			}
		})
	}
}

// No two services share a NATS user, and each has only its own password.
func TestEveryServiceIsItsOwnUser(t *testing.T) {
	t.Parallel()
	p := project(t, "fleet", "cli")
	takenBy := map[string]string{}
	for name, s := range p.Services {
		user := value(s, "WINNOW_NATS_USER")
		if user == "" {
			continue
		}
		if other, taken := takenBy[user]; taken {
			t.Errorf("%s and %s are both %s", name, other, user)
		}
		takenBy[user] = name
		want := secret + "-nats_" + user + "_password"
		if got := value(s, "WINNOW_NATS_PASSWORD"); got != want {
			t.Errorf("%s has the password %q, want %q", name, got, want)
		}
		for variable := range s.Environment {
			if strings.HasPrefix(variable, "NATS_") {
				t.Errorf("%s is told %s", name, variable)
			}
		}
	}
	for name, s := range p.Services {
		owner := strings.Contains(value(s, "WINNOW_POSTGRES_OWNER_URL"), "postgres:")
		if want := name == "migrate" || name == "provision"; owner != want {
			t.Errorf("%s logs in as the database's owner: %v", name, owner)
		}
	}
}

// The server gets a password for every user of its file.
func TestServerKnowsEveryPassword(t *testing.T) {
	t.Parallel()
	nats := project(t).Services["nats"]
	mounted := slices.ContainsFunc(nats.Volumes, func(v types.ServiceVolumeConfig) bool {
		return v.ReadOnly && strings.HasSuffix(v.Source, filepath.FromSlash("deploy/nats/nats.conf")) && slices.Contains(nats.Command, v.Target)
	})
	if !mounted {
		t.Error("deploy/nats/nats.conf is not what the server reads")
	}
	variables := regexp.MustCompile(`: \$([A-Z_]+)`).FindAllStringSubmatch(read(t, "deploy/nats/nats.conf"), -1)
	if len(variables) < len(workers(t)) {
		t.Fatalf("variables %v", variables)
	}
	for _, v := range variables {
		if value(nats, v[1]) == "" {
			t.Errorf("%s is not in the environment of the server", v[1])
		}
	}
}

// An unknown setting would keep a process from starting, in a container as in a
// shell that has read .env.
func TestEverySettingExists(t *testing.T) {
	t.Parallel()
	reference := read(t, "docs/config.md")
	known := func(where, variable string) {
		if strings.HasPrefix(variable, "WINNOW_") && !strings.Contains(reference, "`"+variable+"`") {
			t.Errorf("%s sets %s, which docs/config.md does not know", where, variable)
		}
	}
	for name, s := range project(t, "fleet", "cli").Services {
		for variable := range s.Environment {
			known(name, variable)
		}
	}
	for _, line := range environ(t) {
		variable, _, _ := strings.Cut(line, "=")
		known(".env.example", variable)
	}
}

func TestContainersAreConfined(t *testing.T) {
	t.Parallel()
	for name, s := range project(t, "fleet", "cli").Services {
		image, tag, _ := strings.Cut(s.Image, ":")
		if tag == "" || tag == "latest" {
			t.Errorf("%s: image %s has the tag %q", name, image, tag)
		}
		if s.Privileged || s.NetworkMode == "host" || s.ContainerName != "" || len(s.CapAdd) > 0 {
			t.Errorf("%s: privileged %v, network %q, container name %q, added rights %v", name, s.Privileged, s.NetworkMode, s.ContainerName, s.CapAdd)
		}
		for _, port := range s.Ports {
			if port.HostIP != "127.0.0.1" {
				t.Errorf("%s publishes %s on %q", name, port.Published, port.HostIP)
			}
		}
		if image == "winnow" && (!s.ReadOnly || !slices.Contains(s.CapDrop, "ALL") || len(s.SecurityOpt) == 0) {
			t.Errorf("%s is not confined", name)
		}
	}
}

// A missing secret is an error that names the remedy, not an empty password.
func TestMissingSecretIsRefused(t *testing.T) {
	t.Parallel()
	for _, line := range environ(t) {
		name, _, _ := strings.Cut(line, "=")
		if !strings.Contains(line, secret) {
			continue
		}
		rest := slices.DeleteFunc(environ(t), func(l string) bool { return l == line })
		if _, err := load(t, rest); err == nil || !strings.Contains(err.Error(), name) || !strings.Contains(err.Error(), "make fleet-env") {
			t.Errorf("without %s: %v", name, err)
		}
	}
}

func value(s types.ServiceConfig, name string) string {
	if v := s.Environment[name]; v != nil {
		return *v
	}
	return ""
}

// Each worker has a limit of memory, with room above the peak that docs/operations.md says was
// measured: the limit is what makes the collector wait for longer, and no reason to be killed.
func TestMemoryOfWorkers(t *testing.T) {
	t.Parallel()
	peaks := map[string]int64{}
	for _, m := range regexp.MustCompile("(?m)^\\| `(\\w+)` \\| \\d+ MiB \\| (\\d+) MiB \\|").FindAllStringSubmatch(read(t, "docs/operations.md"), -1) {
		mib, err := strconv.ParseInt(m[2], 10, 64)
		if err != nil {
			t.Fatal(err)
		}
		peaks[m[1]] = mib << 20
	}
	p := project(t, "fleet")
	for _, name := range workers(t) {
		limit := int64(p.Services[name].MemLimit)
		if peak := peaks[name]; peak == 0 || limit < peak*3/2 {
			t.Errorf("%s may have %d MiB, its peak was %d MiB", name, limit>>20, peak>>20)
		}
	}
}
