package rules

import (
	"regexp"

	"github.com/winnowhq/winnow/services/internal/session/trace"
)

// What outputs say of how a command ended, where its exit status does not and
// nothing is summed up. Each looks at the last of an output.
var (
	// exited is a status that was printed on purpose. What the agent's program
	// says of the status is the filter's.
	exited = regexp.MustCompile(`(?im)^\W*(?:exit(?:[ _]?(?:code|status))?|rc|status)\s*[:=]\s*(\d{1,3})\W*$`)
	// breaks is how compilers and interpreters say that they gave up.
	breaks = regexp.MustCompile(`(?m)^(?:== Compilation error|Traceback \(most recent call last\)|\*\* \(\w+|panic: |fatal: |\s*(?:[\w./-]+:\d+(?::\d+)?: )?(?:\w*[Ee]rror|ERROR)(?:\[\w+\])?: )`)
)

// maxVerdict is how many bytes of an output's end are read for a verdict.
const maxVerdict = 6000

// verdict is how a command ended by what it printed. A count outweighs errors in
// between, which a test may have printed that passed. An output that says neither
// leaves it unknown: silence behind a filter is no success.
func verdict(output string) end {
	output = output[max(0, len(output)-maxVerdict):]
	var settled, failed bool
	if m := exited.FindStringSubmatch(output); m != nil {
		settled, failed = true, m[1] != "0"
	} else {
		settled, failed = trace.Counted(output)
	}
	switch {
	case failed, !settled && breaks.MatchString(output):
		return endFailed
	case settled:
		return endPassed
	}
	return endUnknown
}
