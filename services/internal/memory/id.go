package memory

import (
	"fmt"
	"strings"
)

// The typed prefixes of ids: a prefix and a ULID (D26).
const (
	PrefixMemory   = "mem_"
	PrefixProposal = "prop_"
	PrefixDecision = "dec_"
	PrefixEvidence = "evi_"
	PrefixEvent    = "evt_"
	PrefixRun      = "run_"
	PrefixSession  = "sess_"
	PrefixDigest   = "dig_"
	PrefixWorkflow = "wf_"
	PrefixSignal   = "sig_"
)

const ulidLength = 26

// ParseID returns the prefix of the id s, which must be one of prefixes. The error
// names the allowed prefixes.
func ParseID(s string, prefixes ...string) (string, error) {
	for _, p := range prefixes {
		if rest, ok := strings.CutPrefix(s, p); ok && len(rest) == ulidLength {
			return p, nil
		}
	}
	return "", fmt.Errorf("id %q: want one that starts with %s", s, strings.Join(prefixes, " or "))
}
