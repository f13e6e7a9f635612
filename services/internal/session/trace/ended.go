package trace

import (
	"regexp"
	"strings"
)

// Ended derives from a tool's answer how the call ended, by the phrases that
// shells and test programs use. settled is false when text has none of them.
func Ended(t Tool, text string) (settled, failed bool) {
	switch t.Kind {
	case KindShell, KindTest, KindGit:
	case KindEdit:
		refused := editRefused.MatchString(text[:min(len(text), 200)])
		return refused, refused
	default:
		return false, false
	}
	if strings.HasPrefix(text, silence) {
		return true, false
	}
	// These phrases stand at the beginning or the end of an answer. In the
	// middle they are quoted prose.
	head, tail := text[:min(len(text), 400)], text[max(0, len(text)-1500):]
	for _, part := range []string{head, tail} {
		if m := exitCode.find(part); m != nil {
			return true, strings.Trim(m[1], "0") != ""
		}
	}
	if t.Kind == KindTest {
		if settled, failed = Counted(tail); settled {
			return settled, failed
		}
	}
	if commandFailed.find(head) != nil || commandFailed.find(tail) != nil {
		return true, true
	}
	return false, false
}

// Counted derives how a run of tests or a build ended from its summary line,
// independent of the exit status. settled is false without a summary.
func Counted(output string) (settled, failed bool) {
	failed = testsFailed.find(output) != nil
	return failed || testsPassed.find(output) != nil, failed
}

// silence is what SWE-agent answers for a command that printed nothing.
const silence = "Your command ran successfully and did not produce any output"

var editRefused = regexp.MustCompile(`(?i)^(?:<error>|error[: ]|your proposed edit has introduced|text not found|no replacement was performed|string to replace not found|failed to (?:apply|edit))`)

// sign is an expression with words in lower case, one of which is in every
// match. Most answers contain none of the words, so the slow expression is
// seldom run.
type sign struct {
	expr  *regexp.Regexp
	words []string
}

func (s sign) find(text string) []string {
	low := strings.ToLower(text)
	for _, w := range s.words {
		if strings.Contains(low, w) {
			return s.expr.FindStringSubmatch(text)
		}
	}
	return nil
}

var (
	exitCode = sign{words: []string{"exit", "return", "rückgabewert"}, expr: regexp.MustCompile(`(?i)\b(?:exit(?:ed)?(?: with)?[ _]?(?:code|status)|returncode|return code|exit-code|rückgabewert)"?\s*[:=>]?\s*(\d{1,3})\b`)}

	testsFailed = sign{words: []string{"fail", "error", "npm err!", "✗", "✖", "make: ***"}, expr: regexp.MustCompile(`(?m)^(?:FAIL\b|--- FAIL|FAILED\b|FAILURES!|ERROR: )|\b[1-9]\d* (?:failed|failing|failures?|errors?)\b|test result: FAILED|BUILD FAIL|npm ERR!|✗|✖|^make: \*\*\*|: error(?:\[|:| TS\d)|(?i:\bbuild failed\b)`)}
	testsPassed = sign{words: []string{"ok", "pass", "success", "✓", "0 errors", "0 fail"}, expr: regexp.MustCompile(`(?m)^(?:ok\s|PASS\b|OK \(|OK$)|\b[1-9]\d* (?:passed|passing)\b|test result: ok|BUILD SUCCESS|All checks passed|✓|\b0 (?:errors|failures|failed)\b`)}

	commandFailed = sign{words: []string{
		"traceback", "not found", "panic: ", "fatal: ", "segmentation fault", "no such file", "denied", "error: ", "exception: ", "npm err!", "make: ***",
	}, expr: regexp.MustCompile(`(?m)^Traceback \(most recent call last\)|command not found|^panic: |^fatal: |^Segmentation fault|No such file or directory\s*$|^(?:bash|sh|zsh): .*(?:denied|not found)|^\w*(?:Error|Exception): |^npm ERR!|^make: \*\*\*`)}
)
