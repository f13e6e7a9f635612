package rules

import (
	"regexp"

	"github.com/winnowhq/winnow/services/internal/session/trace"
)

// Expressions for how a command ended, where its exit status does not tell and
// there is no summary line. Each reads the last lines of an output.
var (
	// exited matches a status that was printed on purpose. The status that the
	// agent's program reports is the filter's.
	exited = regexp.MustCompile(`(?im)^\W*(?:exit(?:[ _]?(?:code|status))?|rc|status)\s*[:=]\s*(\d{1,3})\W*$`)
	// breaks matches the messages with which compilers and interpreters give
	// up.
	breaks = regexp.MustCompile(`(?m)^(?:== Compilation error|Traceback \(most recent call last\)|\*\* \(\w+|panic: |fatal: |\s*(?:[\w./-]+:\d+(?::\d+)?: )?(?:\w*[Ee]rror|ERROR)(?:\[\w+\])?: )`)
)

// maxVerdict is how many bytes of an output's end are read for a verdict.
const maxVerdict = 6000

// verdict returns how a command ended by what it printed. A count outweighs
// errors in between, which a passing test may have printed. Without either the
// end is unknown: silence after a filter is no success.
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
