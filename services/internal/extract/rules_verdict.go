package extract

import "regexp"

// What outputs say of how a command ended, where its exit status does not. Each
// looks at the last of an output, where programs sum up.
var (
	// exited is a status that was printed on purpose.
	exited = regexp.MustCompile(`(?im)^\W*(?:exit(?:[ _]?(?:code|status))?|rc|status)\s*[:=]\s*(\d{1,3})\W*$`)
	// returned is a status that an agent's program puts before an output.
	returned = regexp.MustCompile(`^\s*<returncode>(\d{1,3})</returncode>`)
	// countsFailures sums up a run with failures in it.
	countsFailures = regexp.MustCompile(`(?im)\b[1-9]\d* (?:failures?|failed|failing|errors?)\b|^\s*(?:---\s)?FAIL(?:ED)?\b|\btest result: FAILED|\bBUILD FAIL|^make: \*\*\*|^npm ERR!`)
	// countsNone sums up a run without.
	countsNone = regexp.MustCompile(`(?im)\b0 (?:failures?|failed|failing|errors?)\b|\b[1-9]\d* (?:tests? )?pass(?:ed|ing)\b|^(?:ok\s+\S|PASS\b)|\btest result: ok\b|\b(?:found )?no issues\b|\bBUILD SUCCESS`)
	// breaks is how compilers and interpreters say that they gave up.
	breaks = regexp.MustCompile(`(?m)^(?:== Compilation error|Traceback \(most recent call last\)|\*\* \(\w+|panic: |fatal: |\s*(?:[\w./-]+:\d+(?::\d+)?: )?(?:\w*[Ee]rror|ERROR)(?:\[\w+\])?: )`)
)

// status is an end by what a program returned.
func status(code string) end {
	if code == "0" {
		return endPassed
	}
	return endFailed
}

// maxVerdict is how many bytes of an output's end are read for a verdict.
const maxVerdict = 6000

// verdict is how a command ended by what it printed. A count outweighs errors in
// between, which a test may have printed that passed. An output that says neither
// leaves it unknown: silence behind a filter is no success.
func verdict(output string) end {
	output = output[max(0, len(output)-maxVerdict):]
	if m := exited.FindStringSubmatch(output); m != nil {
		return status(m[1])
	}
	switch {
	case countsFailures.MatchString(output):
		return endFailed
	case countsNone.MatchString(output):
		return endPassed
	case breaks.MatchString(output):
		return endFailed
	}
	return endUnknown
}
