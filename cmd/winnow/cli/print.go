package cli

import (
	"encoding/json"
	"fmt"
	"io"
	"reflect"
	"strings"
	"text/tabwriter"
	"unicode/utf8"

	"github.com/schollz/progressbar/v3"
)

// show prints v as JSON when that was asked for, else calls text.
func (a *app) show(v any, text func(io.Writer)) error {
	if a.json {
		enc := json.NewEncoder(a.out)
		enc.SetIndent("", "  ")
		enc.SetEscapeHTML(false)
		// An empty list is a list, for whoever reads it with a program.
		if r := reflect.ValueOf(v); r.Kind() == reflect.Slice && r.IsNil() {
			v = []any{}
		}
		return enc.Encode(v)
	}
	text(a.out)
	return nil
}

// say talks to the person, apart from the data.
func (a *app) say(format string, args ...any) { fmt.Fprintf(a.err, format+"\n", args...) }

// table prints rows under a head, in columns.
func table(w io.Writer, head []string, rows [][]string) {
	t := tabwriter.NewWriter(w, 0, 4, 2, ' ', 0)
	if len(head) > 0 {
		fmt.Fprintln(t, strings.Join(head, "\t"))
	}
	for _, r := range rows {
		fmt.Fprintln(t, strings.Join(r, "\t"))
	}
	_ = t.Flush()
}

// short is the first line of a text, cut to n characters.
func short(s string, n int) string {
	s, _, _ = strings.Cut(strings.TrimSpace(s), "\n")
	if utf8.RuneCountInString(s) <= n {
		return s
	}
	return string([]rune(s)[:n-1]) + "…"
}

// bar is a progress bar on a terminal; elsewhere it is silent.
func (a *app) bar(total int, what string) *progressbar.ProgressBar {
	if !terminal(a.err) || total == 0 {
		return progressbar.DefaultSilent(int64(total))
	}
	return progressbar.NewOptions(total,
		progressbar.OptionSetWriter(a.err), progressbar.OptionSetDescription(what),
		progressbar.OptionShowCount(), progressbar.OptionSetWidth(30), progressbar.OptionClearOnFinish())
}
