package api_test

import (
	"encoding/json"
	"maps"
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/winnowhq/winnow/services/internal/httpapi"
	"github.com/winnowhq/winnow/services/internal/memory"
)

// Bad input, drawn from the contract itself: every operation with wrong types, missing
// and unknown fields, empty and oversized values, control characters, ids of nothing, of
// another tenant and of another kind. None is an error of the server, every refusal is a
// problem, and a foreign id is answered like an unknown one.
func TestBadInput(t *testing.T) {
	t.Parallel()
	b := whole(t)
	key := b.principal("fuzz", memory.Permissions()...)
	foreign := b.remember(memory.DefaultTenant, memory.Memory{Text: "No force push of theirs."})[0]
	list, schemas := b.contract()
	sent := 0
	try := func(op operation, path, body string, header ...string) (int, string) {
		t.Helper()
		sent++
		status, text, h := b.send(op.method, path, key, body, header...)
		if status >= http.StatusInternalServerError {
			t.Errorf("%s %s %.200s: %d %s", op.method, path, body, status, text)
		}
		if status >= http.StatusBadRequest && (h.Get("Content-Type") != "application/problem+json" || !json.Valid([]byte(text))) {
			t.Errorf("%s %s %.200s: %d, no problem: %s", op.method, path, body, status, text)
		}
		return status, text
	}
	for _, op := range list {
		body := "{}"
		if op.RequestBody != nil {
			body = op.example(schemas)
		}
		if strings.Contains(op.path, "{id}") {
			if !slices.ContainsFunc(op.Parameters, func(p parameter) bool { return p.In == "path" && p.Name == "id" }) {
				t.Errorf("%s: the contract does not say what {id} is", op.ID)
			}
			unknown, ofUnknown := try(op, op.url(), body)
			theirs, ofTheirs := try(op, strings.ReplaceAll(op.path, "{id}", foreign), body)
			if op.method != http.MethodPut && (unknown != theirs || withoutID(ofUnknown) != withoutID(ofTheirs)) { // a PUT makes what is missing
				t.Errorf("%s: a foreign id %d %s, an unknown one %d %s", op.ID, theirs, ofTheirs, unknown, ofUnknown)
			}
			for _, id := range []string{"x", "%00", "%F0%9F%92%A9", "..%2F..", strings.Repeat("9", 300), "run_01JD0000000000000000000000", "key_01JD0000000000000000000000", "dig_01JD0000000000000000000000", "wf_01JD0000000000000000000000", "dec_01JD%00000000000000000000000"} {
				try(op, strings.ReplaceAll(op.path, "{id}", id), body)
			}
		}
		for _, p := range op.Parameters {
			if p.In != "query" {
				continue
			}
			for _, value := range []string{"", "-1", "0", "99999999999999999999", "NaN", "1e999", "true", "%00", "%FF", "%F0%9F%92%A9", "'%3B--", strings.Repeat("x", 5000)} {
				path := op.url()
				if strings.Contains(path, "?") {
					path += "&"
				} else {
					path += "?"
				}
				try(op, path+p.Name+"="+value, body)
			}
		}
		if status, text := try(op, op.url()+"?no_such_parameter=1", body); op.method == http.MethodGet && (status != http.StatusUnprocessableEntity && op.ID != "search-memories" || op.ID == "search-memories" && status != http.StatusOK) {
			t.Errorf("%s with an unknown parameter: %d %s", op.ID, status, text)
		}
		if op.RequestBody == nil {
			continue
		}
		for _, whole := range []string{"", "null", "[]", "1", `"x"`, "{", "\x00", strings.Repeat("[", 20_000), `{"` + strings.Repeat("x", 10_000) + `":1}`} {
			try(op, op.url(), whole)
		}
		fields := op.fields(schemas)
		for _, name := range slices.Sorted(maps.Keys(fields)) {
			for _, value := range []any{nil, 1, -1, 1e300, true, "", "\x00", "\ufffe💩", strings.Repeat("x", 200_000), []any{}, []any{nil, 1}, map[string]any{}, map[string]any{"a": []any{}}} {
				var object map[string]any
				_ = json.Unmarshal([]byte(body), &object)
				object[name] = value
				raw, _ := json.Marshal(object)
				try(op, op.url(), string(raw))
				delete(object, name)
				raw, _ = json.Marshal(object)
				try(op, op.url(), string(raw), httpapi.IdempotencyKey, op.ID)
			}
		}
	}
	t.Logf("%d requests to %d operations", sent, len(list))
}

// fields returns the properties of an operation's JSON body.
func (op operation) fields(schemas map[string]map[string]any) map[string]any {
	schema := op.RequestBody.Content["application/json"].Schema
	if ref, _ := schema["$ref"].(string); ref != "" {
		schema = schemas[ref[strings.LastIndexByte(ref, '/')+1:]]
	}
	fields, _ := schema["properties"].(map[string]any)
	return fields
}

// example returns a body with every field, of the type that the contract gives it.
func (op operation) example(schemas map[string]map[string]any) string {
	object := map[string]any{}
	for name, property := range op.fields(schemas) {
		schema, _ := property.(map[string]any)
		switch {
		case name == "$schema":
		case schema["enum"] != nil:
			object[name] = schema["enum"].([]any)[0]
		case schema["type"] == "boolean":
			object[name] = true
		case schema["type"] == "integer", schema["type"] == "number":
			object[name] = 0
		case schema["type"] == "string":
			object[name] = "x"
		}
	}
	raw, _ := json.Marshal(object)
	return string(raw)
}
