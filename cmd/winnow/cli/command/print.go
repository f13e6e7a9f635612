package command

import (
	"encoding/json"
	"fmt"
	"io"
	"maps"
	"os"
	"reflect"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/schollz/progressbar/v3"
	"golang.org/x/term"

	"github.com/winnowhq/winnow/services/ops"
)

// Show prints v as JSON with --json, else calls text. Its output loses what a terminal would
// obey, because texts of strangers are in it, and its lines fit the terminal.
func (a *App) Show(v any, text func(io.Writer)) error {
	return a.show(v, func() error {
		p := newPage(a.Out)
		text(p)
		return p.end()
	})
}

// ShowWhole is Show for what other programs read, such as a file or a path: no line is broken.
func (a *App) ShowWhole(v any, text func(io.Writer)) error {
	return a.show(v, func() error {
		text(ops.Plain(a.Out))
		return nil
	})
}

func (a *App) show(v any, text func() error) error {
	if !a.JSON {
		return text()
	}
	enc := json.NewEncoder(a.Out)
	enc.SetIndent("", "  ")
	enc.SetEscapeHTML(false)
	// nil is printed as an empty list, for programs that parse the output.
	if r := reflect.ValueOf(v); r.Kind() == reflect.Slice && r.IsNil() {
		v = []any{}
	}
	return enc.Encode(v)
}

// Say prints a message to the person, on stderr.
func (a *App) Say(format string, args ...any) {
	p := newPage(a.Err)
	fmt.Fprintf(p, format+"\n", args...)
	_ = p.end()
}

// Short returns the first line of a text, truncated to n characters.
func Short(s string, n int) string {
	s, _, _ = strings.Cut(strings.TrimSpace(s), "\n")
	if utf8.RuneCountInString(s) <= n {
		return s
	}
	return string([]rune(s)[:n-1]) + "…"
}

// Bar returns a progress bar on a terminal, and a silent one elsewhere.
func (a *App) Bar(total int, what string) *progressbar.ProgressBar {
	if !Terminal(a.Err) || total == 0 {
		return progressbar.DefaultSilent(int64(total))
	}
	return progressbar.NewOptions(total,
		progressbar.OptionSetWriter(a.Err), progressbar.OptionSetDescription(what),
		progressbar.OptionShowCount(), progressbar.OptionSetWidth(30), progressbar.OptionClearOnFinish())
}

// Terminal reports whether a stream is a terminal.
func Terminal(w any) bool {
	f, ok := w.(*os.File)
	return ok && term.IsTerminal(int(f.Fd()))
}

// Plural formats a count in English: "1 entry", "2 entries".
func Plural(n int, what string) string {
	switch {
	case n == 1:
	case strings.HasSuffix(what, "y") && !strings.HasSuffix(what, "ey"):
		what = strings.TrimSuffix(what, "y") + "ies"
	default:
		what += "s"
	}
	return fmt.Sprintf("%d %s", n, what)
}

// Size formats a number of bytes for people: "412 B", "38 MiB".
func Size(n int64) string {
	unit := 0
	v := float64(n)
	for ; v >= 1024 && unit < 4; unit++ {
		v /= 1024
	}
	return fmt.Sprintf("%.0f %s", v, []string{"B", "KiB", "MiB", "GiB", "TiB"}[unit])
}

// Counts formats counts by name: "2 merged, 1 needs review"; "none" for an empty
// map.
func Counts(m map[string]int) string {
	if len(m) == 0 {
		return "none"
	}
	var parts []string
	for _, k := range slices.Sorted(maps.Keys(m)) {
		parts = append(parts, fmt.Sprintf("%d %s", m[k], strings.ReplaceAll(k, "_", " ")))
	}
	return strings.Join(parts, ", ")
}

// DateTime is the layout of times for people, in their own zone.
const DateTime = "2006-01-02 15:04"
