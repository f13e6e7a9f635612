package testenv

import (
	"os"
	"os/exec"
	"slices"
	"strings"
	"testing"
)

// Names of capabilities that tests ask for. Others may be used freely.
const (
	CapabilityPostgres = "postgres"
	CapabilityNATS     = "nats"
	CapabilityGit      = "git"
	CapabilityChromium = "chromium"
	CapabilityShared   = "shared"
)

// RequireVariable lists, separated by commas, what must not be skipped.
const RequireVariable = "WINNOW_REQUIRE"

// Skip skips the test for want of a capability, or fails it when WINNOW_REQUIRE
// lists that. It does not return.
func Skip(t testing.TB, capability, reason string) {
	t.Helper()
	if required(capability) {
		t.Fatalf("%s is required by %s: %s", capability, RequireVariable, reason)
	}
	t.Skipf("no %s: %s", capability, reason)
}

// Require skips (see Skip) unless the machine has the capability: a program of
// that name on the PATH; for chromium any of its usual names; for postgres a
// server that starts. NATS is compiled in and always there.
func Require(t testing.TB, capability string) {
	t.Helper()
	switch capability {
	case CapabilityNATS:
	case CapabilityPostgres:
		server(t)
	case CapabilityChromium:
		requireProgram(t, capability, "chromium", "chromium-browser", "google-chrome", "chrome")
	default:
		requireProgram(t, capability, capability)
	}
}

func requireProgram(t testing.TB, capability string, names ...string) {
	t.Helper()
	for _, name := range names {
		if _, err := exec.LookPath(name); err == nil {
			return
		}
	}
	Skip(t, capability, strings.Join(names, ", ")+" not on the PATH")
}

func required(capability string) bool {
	return slices.ContainsFunc(strings.Split(os.Getenv(RequireVariable), ","), func(name string) bool {
		return strings.TrimSpace(name) == capability
	})
}
