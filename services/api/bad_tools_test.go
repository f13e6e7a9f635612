package api_test

import (
	"encoding/json"
	"maps"
	"slices"
	"strings"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/winnowhq/winnow/services/internal/memory"
)

// Bad input to every tool, drawn from tools/list: wrong types, missing, unknown, empty and
// oversized fields, control characters, ids of nothing, of another kind and of another
// tenant. Each is an answer: an error in words, or a result; never a fault of the server,
// and a foreign id is answered like an unknown one. So it is in both lists of tools, whose
// arguments different code reads.
func TestBadInputToTools(t *testing.T) {
	t.Parallel()
	for list, least := range map[string]int{"core": 10, "all": 20} {
		t.Run(list, func(t *testing.T) {
			t.Parallel()
			badInput(t, "?toolsets="+list, least)
		})
	}
}

func badInput(t *testing.T, query string, least int) {
	t.Helper()
	b := setup(t)
	b.works() // without a judge each record waits for its verdict
	theirs := b.remember(acme, memory.Memory{Text: "No force push of theirs."})[0]
	a := b.connect("", query)
	list, err := a.ListTools(t.Context(), nil)
	if err != nil || len(list.Tools) < least {
		t.Fatalf("%d tools, %v", len(list.Tools), err)
	}
	sent, refused := 0, 0
	try := func(tool string, arguments any) (bool, string) {
		t.Helper()
		sent++
		r, err := a.CallTool(t.Context(), &mcp.CallToolParams{Name: tool, Arguments: arguments})
		if err != nil {
			if text := err.Error(); !strings.Contains(text, "unmarshal") && !strings.Contains(text, "invalid") {
				t.Errorf("%s %.200v: a fault of the protocol: %v", tool, arguments, err)
			}
			return true, err.Error()
		}
		text := said(r)
		if !r.IsError {
			return false, text
		}
		refused++
		if text == "" || len(text) > 2000 || strings.Contains(text, "Winnow failed to answer") || strings.Contains(text, "SQLSTATE") || strings.Contains(text, "panic") {
			t.Errorf("%s %.200v: %.600q", tool, arguments, text)
		}
		return true, text
	}
	for _, tool := range list.Tools {
		schema, _ := tool.InputSchema.(map[string]any)
		fields, _ := schema["properties"].(map[string]any)
		valid := map[string]any{}
		for _, name := range slices.Sorted(maps.Keys(fields)) {
			if name == "session_id" || slices.Contains(asList(schema["required"]), name) {
				valid[name] = sample(fields[name])
			}
		}
		with := func(name string, value any) map[string]any {
			changed := maps.Clone(valid)
			changed[name] = value
			return changed
		}
		for _, name := range asList(schema["required"]) {
			missing := maps.Clone(valid)
			delete(missing, name)
			if bad, text := try(tool.Name, missing); !bad || !strings.Contains(text, name) {
				t.Errorf("%s without %s: %q", tool.Name, name, text)
			}
		}
		if bad, text := try(tool.Name, with("no_such_field", 1)); !bad || !strings.Contains(text, "no_such_field") {
			t.Errorf("%s with an unknown field: %q", tool.Name, text)
		}
		for _, name := range slices.Sorted(maps.Keys(fields)) {
			kind, _ := fields[name].(map[string]any)["type"].(string)
			for _, value := range []any{7, -1, 1e300, 0.5, true, "", "\x00", "\ufffe💩\u202e", "' OR 1=1 --", strings.Repeat("x", 100_000), []any{}, []any{nil, 1}, map[string]any{"a": []any{}}, nil} {
				bad, text := try(tool.Name, with(name, value))
				if wrong := mistyped(kind, value); wrong && (!bad || !strings.Contains(text, name)) {
					t.Errorf("%s with %s = %.40v: accepted, or unnamed: %.300q", tool.Name, name, value, text)
				}
			}
			if kind == "string" && strings.HasSuffix(name, "id") && name != "session_id" && name != "project_id" || name == "ids" {
				answers := map[string]string{}
				for _, id := range []string{theirs, "mem_01JD0000000000000000000000", "wf_01JD0000000000000000000000", "run_01JD0000000000000000000000", strings.Repeat("9", 60)} {
					var value any = id
					if kind == "array" {
						value = []any{id, "mem_01JD0000000000000000000009"}
					}
					bad, text := try(tool.Name, with(name, value))
					answers[id] = strings.ReplaceAll(text, id, "ID")
					if bad && tool.Name == "memory_get" {
						t.Errorf("%s %s: %q", tool.Name, id, text)
					}
				}
				if answers[theirs] != answers["mem_01JD0000000000000000000000"] {
					t.Errorf("%s.%s: a foreign id %q, an unknown one %q", tool.Name, name, answers[theirs], answers["mem_01JD0000000000000000000000"])
				}
			}
		}
		for _, whole := range []any{[]any{1}, "x", 7} {
			try(tool.Name, json.RawMessage(mustJSON(whole)))
		}
	}
	if refused < sent/3 {
		t.Errorf("only %d of %d calls were refused", refused, sent)
	}
	t.Logf("%d calls of %d tools, %d refused", sent, len(list.Tools), refused)
}

func asList(v any) (names []string) {
	list, _ := v.([]any)
	for _, one := range list {
		if name, ok := one.(string); ok {
			names = append(names, name)
		}
	}
	return names
}

// sample returns a value that a field's schema allows.
func sample(field any) any {
	schema, _ := field.(map[string]any)
	if values, ok := schema["enum"].([]any); ok {
		return values[0]
	}
	switch schema["type"] {
	case "boolean":
		return true
	case "integer", "number":
		return 1
	case "array":
		return []any{"mem_01JD0000000000000000000000", "mem_01JD0000000000000000000001"}
	}
	return "x"
}

// mistyped reports whether a value is of another type than a field's.
func mistyped(kind string, value any) bool {
	switch value.(type) {
	case string:
		return kind != "string"
	case bool:
		return kind != "boolean"
	case int:
		return kind != "integer" && kind != "number"
	case float64:
		return kind != "number"
	case []any:
		return kind != "array"
	case map[string]any:
		return kind != "object"
	}
	return value == nil
}

func mustJSON(v any) []byte {
	raw, _ := json.Marshal(v) // of constants
	return raw
}
