package local_test

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	winnowv1 "github.com/winnowhq/winnow/proto/winnow/v1"
	"github.com/winnowhq/winnow/services/local"
)

// laid lays files out in a folder of the test's own.
func laid(t *testing.T, files map[string]string) string {
	t.Helper()
	dir := t.TempDir()
	for name, text := range files {
		path := filepath.Join(dir, filepath.FromSlash(name))
		if err := os.MkdirAll(filepath.Dir(path), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}

// asked is the beginning of the session s1.
const asked = `{"type":"user","sessionId":"s1","timestamp":"2026-02-05T09:00:00Z","message":{"role":"user","content":"Find the port."}}` + "\n"

// reports is the line of a session that brings a subagent's report.
func reports(agent string) string {
	return fmt.Sprintf(`{"type":"user","sessionId":"s1","message":{"role":"user","content":[{"type":"tool_result","tool_use_id":"t","content":"It is 5433."}]},"toolUseResult":{"status":"completed","agentId":%q}}`+"\n", agent)
}

// helper is a line of a subagent of the session s1. more is what else it has.
func helper(agent, text, more string) string {
	return fmt.Sprintf(`{"type":"assistant","isSidechain":true,"agentId":%q,"sessionId":"s1","message":{"role":"assistant","content":[{"type":"text","text":%q}]}%s}`+"\n", agent, text, more)
}

// reportsTo is the line of a subagent that brings the report of another.
func reportsTo(agent, other string) string {
	return helper(agent, "It asked "+other+".", fmt.Sprintf(`,"toolUseResult":{"agentId":%q}`, other))
}

// sentOf publishes a file, twice, and returns the trace that went out.
func sentOf(t *testing.T, path string) (string, local.SessionFile) {
	t.Helper()
	bus, c := recorded(t)
	var s local.SessionFile
	for _, duplicate := range []bool{false, true} {
		var err error
		if s, err = local.ReadSession(path, local.SessionOptions{}); err != nil {
			t.Fatal(err)
		}
		if r, err := local.PublishSession(t.Context(), c, s); err != nil || r.Duplicate != duplicate {
			t.Fatalf("%+v, %v", r, err)
		}
	}
	glance, err := local.ReadSession(path, local.SessionOptions{Glance: true})
	if err != nil || glance.EventID != s.EventID || glance.Subagents != s.Subagents {
		t.Errorf("a hook gives %s, a person %s, %v", glance.EventID, s.EventID, err)
	}
	event := bus.Events()[0].Message.(*winnowv1.SessionCompleted)
	trace := string(event.GetInline())
	if ref := event.GetReference(); ref != nil {
		trace = string(bus.Trace(ref.GetUri()))
	}
	if int64(len(trace)) != s.Bytes {
		t.Errorf("%d bytes went out, %d were measured", len(trace), s.Bytes)
	}
	return trace, s
}

// What a subagent said stands before its report, and what another said that it
// started stands within that; newer and older versions keep it elsewhere.
func TestASessionComesWithItsSubagents(t *testing.T) {
	t.Parallel()
	inner := helper("c3", "I read the configuration.", "")
	outer := helper("a1", "I ask another.", "")
	old := helper("b-2", "I read the page.", "")
	files := map[string]string{
		"s1.jsonl":                           asked + reports("a1") + reports("b-2") + reports("a1"),
		"s1/subagents/agent-a1.jsonl":        outer + reportsTo("a1", "c3"),
		"s1/subagents/agent-c3.jsonl":        strings.TrimSuffix(inner, "\n"),
		"s1/subagents/agent-compact-1.jsonl": helper("compact-1", "A summary.", ""),
		"agent-b-2.jsonl":                    old,
	}
	got, s := sentOf(t, filepath.Join(laid(t, files), "s1.jsonl"))
	want := asked + outer + inner + reportsTo("a1", "c3") + reports("a1") + old + reports("b-2") + reports("a1")
	if got != want {
		t.Errorf("published:\n%s\nwant:\n%s", got, want)
	}
	if s.Subagents != (local.Subagents{Woven: 3, Unused: 1}) || s.Turns != 8 || s.Session != "s1" {
		t.Errorf("%+v", s)
	}
	// Another word of a subagent is another session.
	files["agent-b-2.jsonl"] = helper("b-2", "I read nothing.", "")
	if _, other := sentOf(t, filepath.Join(laid(t, files), "s1.jsonl")); other.EventID == s.EventID {
		t.Error("two traces share an event")
	}
}

// A trace is measured with its subagents: a large one goes by reference, and one
// whose subagent speaks on meanwhile is refused.
func TestTheWovenTraceIsWhatCounts(t *testing.T) {
	t.Parallel()
	long := strings.Repeat(helper("a1", strings.Repeat("word ", 200), ""), 1000)
	dir := laid(t, map[string]string{"s1.jsonl": asked + reports("a1"), "s1/subagents/agent-a1.jsonl": long})
	path, agent := filepath.Join(dir, "s1.jsonl"), filepath.Join(dir, "s1", "subagents", "agent-a1.jsonl")
	if got, s := sentOf(t, path); got != asked+long+reports("a1") || s.Turns != 1002 {
		t.Errorf("%d bytes, %+v", len(got), s)
	}
	for _, before := range []string{long, helper("a1", "Short.", "")} {
		if err := os.WriteFile(agent, []byte(before), 0o600); err != nil {
			t.Fatal(err)
		}
		s, err := local.ReadSession(path, local.SessionOptions{})
		if err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(agent, []byte(before+long), 0o600); err != nil {
			t.Fatal(err)
		}
		_, c := recorded(t)
		if _, err := local.PublishSession(t.Context(), c, s); !errors.Is(err, local.ErrChanged) {
			t.Errorf("%v, want ErrChanged", err)
		}
	}
}

// Whatever is wrong with a subagent's file, the session itself is published as it
// is, and nothing outside of its folder is read.
func TestSubagentsThatCannotBeRead(t *testing.T) {
	t.Parallel()
	outside := written(t, "agent-out.jsonl", helper("out", "Outside.", ""))
	for name, c := range map[string]struct {
		id    string
		files map[string]string
		after func(agents string) error
	}{
		"missing":    {id: "a1"},
		"upwards":    {id: "../../agent-x", files: map[string]string{"agent-x.jsonl": helper("x", "No.", "")}},
		"a path":     {id: "b/c", files: map[string]string{"s1/subagents/agent-b/c.jsonl": helper("x", "No.", "")}},
		"absolute":   {id: outside},
		"dots":       {id: ".."},
		"long":       {id: strings.Repeat("a", 5000)},
		"other text": {id: "a1", files: map[string]string{"s1/subagents/agent-a1.jsonl": "[1, 2"}},
		"a person's": {id: "a1", files: map[string]string{"s1/subagents/agent-a1.jsonl": helper("a1", "I do.", "") + asked}},
		"a folder":   {id: "a1", files: map[string]string{"s1/subagents/agent-a1.jsonl/x": "x"}},
		"empty":      {id: "a1", files: map[string]string{"s1/subagents/agent-a1.jsonl": ""}},
		"a link": {id: "a1", after: func(agents string) error {
			return os.Symlink(outside, filepath.Join(agents, "agent-a1.jsonl"))
		}},
		"a linked folder": {id: "out", after: func(agents string) error {
			return os.Symlink(filepath.Dir(outside), filepath.Join(filepath.Dir(agents), "subagents"))
		}},
		"huge": {id: "a1", files: map[string]string{"s1/subagents/agent-a1.jsonl": helper("a1", "I do.", "")}, after: func(agents string) error {
			return os.Truncate(filepath.Join(agents, "agent-a1.jsonl"), 64<<20) // a sparse one
		}},
		"many lines": {id: "a1", files: map[string]string{"s1/subagents/agent-a1.jsonl": helper("a1", "I do.", "") + strings.Repeat("{}\n", 100_000)}},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			files := map[string]string{"s1.jsonl": asked + reports(c.id) + asked, "s1/x/y": ""}
			for name, text := range c.files {
				files[name] = text
			}
			dir := laid(t, files)
			agents := filepath.Join(dir, "s1", "subagents")
			if name != "a linked folder" {
				if err := os.MkdirAll(agents, 0o700); err != nil {
					t.Fatal(err)
				}
			}
			if c.after != nil {
				if err := c.after(agents); err != nil {
					t.Fatal(err)
				}
			}
			got, s := sentOf(t, filepath.Join(dir, "s1.jsonl"))
			if got != files["s1.jsonl"] || s.Subagents != (local.Subagents{Missing: 1}) {
				t.Errorf("%+v\n%s", s.Subagents, got)
			}
			if alone, err := local.ReadSession(written(t, "s1.jsonl", files["s1.jsonl"]), local.SessionOptions{}); err != nil || alone.EventID != s.EventID {
				t.Errorf("%s, without its neighbours %s, %v", s.EventID, alone.EventID, err)
			}
		})
	}
}

// Subagents that started each other end somewhere.
func TestSubagentsInCircles(t *testing.T) {
	t.Parallel()
	dir := laid(t, map[string]string{
		"s1.jsonl":                    asked + reports("a1") + reports("b2"),
		"s1/subagents/agent-a1.jsonl": reportsTo("a1", "a1") + reportsTo("a1", "b2"),
		"s1/subagents/agent-b2.jsonl": reportsTo("b2", "a1") + reportsTo("b2", "b2"),
	})
	want := asked + reportsTo("a1", "a1") + reportsTo("b2", "a1") + reportsTo("b2", "b2") + reportsTo("a1", "b2") + reports("a1") + reports("b2")
	if got, s := sentOf(t, filepath.Join(dir, "s1.jsonl")); got != want || s.Subagents.Woven != 2 {
		t.Errorf("%+v\n%s", s.Subagents, got)
	}
	// So do those that only ever start another.
	files := map[string]string{"s1.jsonl": asked + reports("n0")}
	for n := range 100 {
		files[fmt.Sprintf("s1/subagents/agent-n%d.jsonl", n)] = reportsTo(fmt.Sprintf("n%d", n), fmt.Sprintf("n%d", n+1))
	}
	if got, s := sentOf(t, filepath.Join(laid(t, files), "s1.jsonl")); s.Subagents.Woven+s.Subagents.Unused != 100 || s.Subagents.Unused == 0 || !strings.HasSuffix(got, reports("n0")) {
		t.Errorf("%+v\n%s", s.Subagents, got)
	}
}

// A subagent's file that ends within a line loses that line and no other; a line
// that is too long goes through as it is, whatever it says.
func TestDamagedLinesOfSubagents(t *testing.T) {
	t.Parallel()
	cut := helper("a1", "The last words.", "")[:60]
	long := reportsTo("b2", strings.Repeat("x", 9<<20))
	dir := laid(t, map[string]string{
		"s1.jsonl":                    asked + reports("a1") + reports("b2"),
		"s1/subagents/agent-a1.jsonl": helper("a1", "The first words.", "") + cut,
		"s1/subagents/agent-b2.jsonl": helper("b2", "Words.", "") + long,
	})
	got, s := sentOf(t, filepath.Join(dir, "s1.jsonl"))
	if want := asked + helper("a1", "The first words.", "") + cut + "\n" + reports("a1") + helper("b2", "Words.", "") + long + reports("b2"); got != want {
		t.Errorf("%d bytes, want %d", len(got), len(want))
	}
	if s.Turns != 5 || s.Skipped != 2 || s.Subagents.Woven != 2 {
		t.Errorf("%+v", s)
	}
}

// Of a folder, a subagent's file is no session beside its own; without that, and
// by its name, it is one.
func TestFoldersOfSubagents(t *testing.T) {
	t.Parallel()
	dir := laid(t, map[string]string{
		"p/s1.jsonl":                            asked + reports("a1"),
		"p/s1/subagents/agent-a1.jsonl":         helper("a1", "I look.", ""),
		"p/s1/subagents/agent-a1.meta.json":     `{"agentType":"Explore"}`,
		"p/s1/subagents/runs/w1/agent-d4.jsonl": helper("d4", "I look.", ""),
		"p/s1/tool-results/b1.txt":              "all of what a command printed",
		"p/agent-b2.jsonl":                      helper("b2", "I look.", ""),
		"p/agent-smith.jsonl":                   asked,
		"p/agent-of-another.jsonl":              strings.ReplaceAll(helper("c3", "I look.", ""), `"s1"`, `"gone"`),
		"p/gone/subagents/agent-e5.jsonl":       helper("e5", "I look.", ""),
	})
	alone := filepath.Join(dir, "p", "agent-b2.jsonl")
	for _, c := range []struct {
		paths, want []string
	}{
		{[]string{dir}, []string{"p/agent-of-another.jsonl", "p/agent-smith.jsonl", "p/gone/subagents/agent-e5.jsonl", "p/s1.jsonl"}},
		{[]string{alone}, []string{"p/agent-b2.jsonl"}},
		{[]string{filepath.Join(dir, "p", "s1", "subagents", "runs")}, []string{"p/s1/subagents/runs/w1/agent-d4.jsonl"}},
	} {
		found, unread := local.FindTraces(c.paths, false)
		for i := range found {
			rel, err := filepath.Rel(dir, found[i])
			if err != nil {
				t.Fatal(err)
			}
			found[i] = filepath.ToSlash(rel)
		}
		if !slices.Equal(found, c.want) || len(unread) != 0 {
			t.Errorf("%v: %v, %v", c.paths, found, unread)
		}
	}
	if got, s := sentOf(t, alone); got != helper("b2", "I look.", "") || s.Turns != 1 {
		t.Errorf("%+v\n%s", s, got)
	}
	for name, want := range map[string]string{
		"p/s1/subagents/agent-a1.jsonl": "p/s1.jsonl", "p/agent-b2.jsonl": "p/s1.jsonl", "p/agent-smith.jsonl": "",
		"p/s1/tool-results/b1.txt": "p/s1.jsonl", "p/gone/subagents/agent-e5.jsonl": "", "p/s1.jsonl": "", "nowhere/agent-x.jsonl": "",
	} {
		session, part := local.SessionOf(filepath.Join(dir, filepath.FromSlash(name)))
		if part != (want != "") || part && session != filepath.Join(dir, filepath.FromSlash(want)) {
			t.Errorf("%s: %s, %t", name, session, part)
		}
	}
}

// An adoption reads what a publication would.
func TestAdoptionReadsSubagentsWithTheirSessions(t *testing.T) {
	t.Parallel()
	home := laid(t, map[string]string{
		".claude/projects/-p/s1.jsonl":                    asked + reports("a1"),
		".claude/projects/-p/s1/subagents/agent-a1.jsonl": helper("a1", "I look.", ""),
		".claude/projects/-p/s1/subagents/notes.json":     `{"agentType":"Explore"}`,
		".claude/projects/-p/agent-gone.jsonl":            helper("gone", "I look.", ""),
	})
	plan := planned(t, local.Home{Dir: home})
	if plan.Sessions != 1 || plan.Turns != 3 || plan.Parts != 3 || len(plan.Unreadable) != 0 {
		t.Errorf("%+v", plan)
	}
	if files := plan.Files(); len(files) != 1 || files[0].Subagents.Woven != 1 {
		t.Errorf("%+v", files)
	}
}

// A session without subagents goes out byte for byte, whatever its lines look
// like.
func TestSessionsAreNotTouched(t *testing.T) {
	t.Parallel()
	text := "\r\n" + strings.ReplaceAll(asked, "\n", "\r\n") + "\n\n{\"toolUseResult\":\"agentId\"}\n" +
		`{"type":"user","toolUseResult":["agentId"]}` + "\n" + `{"type":"user","toolUseResult":{"agentId":7}}` + "\n" +
		strings.Repeat("x", 64<<10) + "\n" + strings.TrimSuffix(asked, "\n")
	if got, s := sentOf(t, written(t, "s1.jsonl", text)); got != text || s.Subagents != (local.Subagents{}) {
		t.Errorf("%+v\n%q", s, got)
	}
}
