package main

import (
	"bufio"
	"cmp"
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"regexp"
	"slices"
	"strings"
)

// event is one line of go test -json, see go doc test2json.
type event struct {
	Action     string
	Package    string
	ImportPath string // of a build's output
	Test       string
	Output     string
}

// report prints a run. Packages run concurrently; the lines of one are buffered until
// it ends, so that they are printed together.
type report struct {
	w       io.Writer
	verbose bool
	all     map[string]*run
	skipped map[string]int // by reason
}

// run is a package while it runs.
type run struct {
	lines []line
	ended map[string]string // results of its tests, by name
}

type line struct{ test, text string }

func newReport(w io.Writer, verbose bool) *report {
	return &report{w: w, verbose: verbose, all: map[string]*run{}, skipped: map[string]int{}}
}

// read reads events until the input ends. A line that is not an event, such as one of
// a crash of go itself, is printed as it is.
func (r *report) read(in io.Reader) error {
	lines := bufio.NewReader(in)
	for {
		text, err := lines.ReadString('\n')
		if text != "" {
			var e event
			if json.Unmarshal([]byte(text), &e) != nil {
				fmt.Fprint(r.w, text)
			} else {
				r.take(e)
			}
		}
		if err == io.EOF {
			return nil
		}
		if err != nil {
			return err
		}
	}
}

func (r *report) take(e event) {
	if e.Action == "build-output" {
		fmt.Fprint(r.w, e.Output)
		return
	}
	p := r.all[e.Package]
	if p == nil {
		p = &run{ended: map[string]string{}}
		r.all[e.Package] = p
	}
	switch e.Action {
	case "output":
		p.lines = append(p.lines, line{e.Test, e.Output})
	case "pass", "fail", "skip":
		p.ended[e.Test] = e.Action
		if e.Test == "" {
			r.print(p)
			delete(r.all, e.Package)
		} else if e.Action == "skip" {
			r.skipped[reason(p.of(e.Test))]++
		}
	}
}

// of returns the lines that a test printed.
func (p *run) of(test string) (said []string) {
	for _, l := range p.lines {
		if l.test == test {
			said = append(said, l.text)
		}
	}
	return said
}

// print prints a package that ended: its verdict, and everything or the output of the
// tests that did not pass.
func (r *report) print(p *run) {
	for _, l := range p.lines {
		if !r.verbose {
			how, ended := p.ended[l.test]
			// A test without a result was running when the process died.
			if l.test != "" && ended && how != "fail" || strings.HasPrefix(l.text, "=== ") || l.text == "PASS\n" {
				continue
			}
		}
		fmt.Fprint(r.w, l.text)
	}
}

// end prints the packages that never ended, and the last line.
func (r *report) end() {
	for _, name := range slices.Sorted(maps.Keys(r.all)) {
		r.print(r.all[name])
	}
	total := 0
	for _, n := range r.skipped {
		total += n
	}
	if total == 0 {
		fmt.Fprintln(r.w, "skipped 0")
		return
	}
	reasons := slices.SortedFunc(maps.Keys(r.skipped), func(a, b string) int {
		return cmp.Or(r.skipped[b]-r.skipped[a], cmp.Compare(a, b))
	})
	parts := make([]string, len(reasons))
	for i, why := range reasons {
		parts[i] = fmt.Sprintf("%d %s", r.skipped[why], why)
	}
	fmt.Fprintf(r.w, "skipped %d: %s\n", total, strings.Join(parts, ", "))
}

// said matches a line that a test itself wrote.
var said = regexp.MustCompile(`^\s+\S+\.go:\d+: (.*)`)

// maxReason is the length at which a reason is cut, in characters.
const maxReason = 60

// reason returns why a test was skipped, in few words. Of "no docker: cannot connect"
// it is the capability; of "the shared data is not here: …" it is the text before the
// error.
func reason(lines []string) string {
	for _, text := range slices.Backward(lines) {
		m := said.FindStringSubmatch(strings.TrimRight(text, "\n"))
		if m == nil {
			continue
		}
		short, _, _ := strings.Cut(m[1], ": ")
		if runes := []rune(short); len(runes) > maxReason {
			short = string(runes[:maxReason]) + "…"
		}
		return strings.ReplaceAll(short, ", ", " ")
	}
	return "without a reason"
}
