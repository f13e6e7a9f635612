package trace

import (
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// The words of a sign only save work: every match of its expression has one.
func TestSignsHideNothing(t *testing.T) {
	t.Parallel()
	pieces := []string{
		"Exit code: 2", "exited with status 1", "returncode=0", "<returncode>1</returncode>", "Return Code 3", "exit-code: 1", "Rückgabewert: 1", "RÜCKGABEWERT 7",
		"FAIL", "--- FAIL: TestX", "FAILED", "FAILURES!", "ERROR: x", "3 failed", "1 failing", "2 failures", "4 errors", "test result: FAILED", "BUILD FAIL",
		"npm ERR! x", "✗ x", "✖", "make: *** [x]", "a.c: error: x", "x.ts: error TS2304", "a: error[E0308]", "Build Failed",
		"ok  \tacme", "PASS", "OK (3 tests)", "OK", "5 passed", "2 passing", "test result: ok", "BUILD SUCCESS", "All checks passed", "✓ x", "0 errors", "0 failures", "0 failed",
		"Traceback (most recent call last)", "x: command not found", "panic: x", "fatal: x", "Segmentation fault", "No such file or directory",
		"bash: x: Permission denied", "zsh: x not found", "ValueError: x", "MyException: x", "nothing", "", "42",
	}
	rapid.Check(t, func(t *rapid.T) {
		text := strings.Join(rapid.SliceOfN(rapid.SampledFrom(pieces), 1, 6).Draw(t, "pieces"), rapid.SampledFrom([]string{"\n", " ", ""}).Draw(t, "joint"))
		for _, s := range []sign{exitCode, testsFailed, testsPassed, commandFailed} {
			if s.expr.MatchString(text) != (s.find(text) != nil) {
				t.Fatalf("%v hides %q", s.words, text)
			}
		}
	})
}
