package format_test

import (
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/winnowhq/winnow/services/internal/session/format"
	"github.com/winnowhq/winnow/services/internal/session/trace"
)

// How do I read a trace that may be large?
func ExampleOpen() {
	const transcript = `{"id": "s-1", "remote": "git@github.com:acme/api.git"}
{"role": "user", "text": "The build fails."}
{"role": "assistant", "tool": "Bash", "command": "make build"}
{"role": "tool", "text": "missing go.sum entry", "exit_code": 2}
{"role": "assistant", "te`
	r, err := format.Open(strings.NewReader(transcript), trace.Options{})
	if err != nil {
		fmt.Println(err)
		return
	}
	for {
		turn, err := r.Next()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			fmt.Println(err)
			return
		}
		fmt.Println(turn.N, turn.Role, turn.Tool.Name, turn.Text)
	}
	s := r.Session()
	fmt.Println(s.Format, s.Project, s.Outcome, s.Basis)
	fmt.Println(s.Report.Problems[0])
	// Output:
	// 1 user  The build fails.
	// 2 assistant Bash make build
	// 3 tool Bash missing go.sum entry
	// winnow github.com/acme/api failure last test
	// line 5: the file ends in the middle of a line; publish the session when its file is closed
}
