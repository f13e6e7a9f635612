package memory

import (
	"strings"
	"testing"
)

// D26: an id is a known prefix and a ULID; the error names what was wanted.
func TestParseID(t *testing.T) {
	t.Parallel()
	const ulid = "01JCZ8Q6V3M4N5P6R7S8T9VWXY"
	for _, prefix := range []string{
		PrefixMemory, PrefixProposal, PrefixDecision, PrefixEvidence, PrefixEvent, PrefixRun, PrefixSession, PrefixDigest, PrefixWorkflow,
	} {
		if got, err := ParseID(prefix+ulid, PrefixMemory, prefix); err != nil || got != prefix {
			t.Errorf("%s: %q, %v", prefix+ulid, got, err)
		}
	}
	for _, bad := range []string{
		"", ulid, "mem_", "mem_" + ulid[1:], "mem_" + ulid + "0", "mem" + ulid, "MEM_" + ulid, "prop_" + ulid, " mem_" + ulid,
	} {
		got, err := ParseID(bad, PrefixMemory, PrefixDecision)
		if err == nil || got != "" || !strings.Contains(err.Error(), "mem_ or dec_") {
			t.Errorf("%q: %q, %v; want an error that names mem_ and dec_", bad, got, err)
		}
	}
}

// D26: the prefixes are those of the specification and no one begins another,
// so that an id has one type.
func TestPrefixes(t *testing.T) {
	t.Parallel()
	want := map[string]string{
		"mem_": PrefixMemory, "prop_": PrefixProposal, "wf_": PrefixWorkflow, "sess_": PrefixSession,
		"run_": PrefixRun, "dig_": PrefixDigest, "evt_": PrefixEvent,
	}
	for spelt, prefix := range want {
		if spelt != prefix {
			t.Errorf("prefix %q, want %q", prefix, spelt)
		}
		for other := range want {
			if other != spelt && strings.HasPrefix(other, spelt) {
				t.Errorf("%q begins %q", spelt, other)
			}
		}
	}
}
