package main

import (
	"strings"
	"testing"
)

// Two packages that run concurrently: one passes with skips, one fails.
const two = `{"Action":"start","Package":"a"}
{"Action":"start","Package":"b"}
{"Action":"run","Package":"a","Test":"TestOne"}
{"Action":"output","Package":"a","Test":"TestOne","Output":"=== RUN   TestOne\n"}
{"Action":"output","Package":"b","Test":"TestBad","Output":"=== RUN   TestBad\n"}
{"Action":"output","Package":"a","Test":"TestOne","Output":"    a_test.go:3: no docker: cannot connect\n"}
{"Action":"output","Package":"b","Test":"TestBad","Output":"    b_test.go:7: want 1, got 2\n"}
{"Action":"output","Package":"a","Test":"TestOne","Output":"--- SKIP: TestOne (0.00s)\n"}
{"Action":"skip","Package":"a","Test":"TestOne"}
{"Action":"output","Package":"a","Test":"TestTwo","Output":"    a_test.go:9: no docker: another error\n"}
{"Action":"skip","Package":"a","Test":"TestTwo"}
{"Action":"output","Package":"a","Test":"TestLog","Output":"    a_test.go:12: chatter\n"}
{"Action":"pass","Package":"a","Test":"TestLog"}
{"Action":"output","Package":"b","Test":"TestBad","Output":"--- FAIL: TestBad (0.01s)\n"}
{"Action":"fail","Package":"b","Test":"TestBad"}
{"Action":"output","Package":"a","Output":"PASS\n"}
{"Action":"output","Package":"a","Output":"ok  \ta\t0.1s\n"}
{"Action":"pass","Package":"a"}
{"Action":"output","Package":"b","Output":"FAIL\n"}
{"Action":"output","Package":"b","Output":"FAIL\tb\t0.2s\n"}
{"Action":"fail","Package":"b"}
{"ImportPath":"c","Action":"build-output","Output":"c.go:1: undefined: x\n"}
{"Action":"skip","Package":"d"}
{"Action":"output","Package":"d","Test":"TestDies","Output":"panic: boom\n"}
what is no event
`

func TestReport(t *testing.T) {
	for verbose, want := range map[bool]string{
		false: "ok  \ta\t0.1s\n" +
			"    b_test.go:7: want 1, got 2\n--- FAIL: TestBad (0.01s)\nFAIL\nFAIL\tb\t0.2s\n" +
			"c.go:1: undefined: x\nwhat is no event\npanic: boom\nskipped 2: 2 no docker\n",
		true: "=== RUN   TestOne\n    a_test.go:3: no docker: cannot connect\n--- SKIP: TestOne (0.00s)\n" +
			"    a_test.go:9: no docker: another error\n    a_test.go:12: chatter\nPASS\nok  \ta\t0.1s\n" +
			"=== RUN   TestBad\n    b_test.go:7: want 1, got 2\n--- FAIL: TestBad (0.01s)\nFAIL\nFAIL\tb\t0.2s\n" +
			"c.go:1: undefined: x\nwhat is no event\npanic: boom\nskipped 2: 2 no docker\n",
	} {
		var out strings.Builder
		r := newReport(&out, verbose)
		if err := r.read(strings.NewReader(two)); err != nil {
			t.Fatal(err)
		}
		r.end()
		if out.String() != want {
			t.Errorf("verbose %v:\n%s\nwant:\n%s", verbose, &out, want)
		}
	}
}

func TestReason(t *testing.T) {
	for want, lines := range map[string][]string{
		"no shared data": {"=== RUN   TestX\n", "    x_test.go:10: no shared data: pairs is not beside the repository\n", "--- SKIP: TestX (0.00s)\n"},
		"reads 300 MB":   {"    large_test.go:79: reads 300 MB\n"},
		"without a reason": {
			"--- SKIP: TestX (0.00s)\n",
		},
	} {
		if got := reason(lines); got != want {
			t.Errorf("%q: %q, want %q", lines, got, want)
		}
	}
}
