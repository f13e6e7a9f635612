package api_test

import (
	"maps"
	"net/url"
	"slices"
	"strings"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/winnowhq/winnow/services/internal/memory"
)

// How long a project or a scope may be, the contract over HTTP, the schemas of the tools and
// the check say alike: the longest that can be one is taken, one letter more is refused in
// words that name the field and a remedy.
func TestLengthOfProjectsAndScopes(t *testing.T) {
	t.Parallel()
	longest := "project:" + strings.Repeat("p", memory.MaxScopeID)
	over := []string{longest + "p", strings.Repeat("p", memory.MaxScopeID+1), "https://x:" + strings.Repeat("y", memory.MaxScope) + "@git.example.com/a/b"}
	if len(longest) != memory.MaxScope {
		t.Fatalf("the longest scope has %d bytes, the limit is %d", len(longest), memory.MaxScope)
	}
	b := whole(t)
	b.works()
	key := b.principal("long", memory.Permissions()...)
	list, schemas := b.contract()
	named := func(name string, schema map[string]any) bool {
		return schema["enum"] == nil && (name == "project" || name == "project_id" || name == "scope" || name == "parent")
	}
	stated := func(where string, schema map[string]any) {
		t.Helper()
		if limit, ok := schema["maxLength"].(float64); ok && int(limit) != memory.MaxScope {
			t.Errorf("%s: the contract allows %v characters, want %d", where, limit, memory.MaxScope)
		}
	}
	params := 0
	for _, op := range list {
		if op.RequestBody != nil {
			for name, property := range op.fields(schemas) {
				if schema, _ := property.(map[string]any); named(name, schema) {
					stated(op.ID+"."+name, schema)
				}
			}
		}
		for _, p := range op.Parameters {
			if p.In != "query" || !named(p.Name, p.Schema) || op.method != "GET" {
				continue
			}
			params++
			stated(op.ID+"?"+p.Name, p.Schema)
			path := op.url()
			if strings.Contains(path, "?") {
				path += "&"
			} else {
				path += "?"
			}
			if status, text, _ := b.send(op.method, path+p.Name+"="+longest, key, ""); status == 400 || status == 422 && strings.Contains(text, p.Name) {
				t.Errorf("%s?%s of %d bytes: %d %s", op.ID, p.Name, len(longest), status, text)
			}
			for _, value := range over {
				if status, text, _ := b.send(op.method, path+p.Name+"="+url.QueryEscape(value), key, ""); (status != 422 || !strings.Contains(text, strings.TrimSuffix(p.Name, "_id"))) && !(status == 404 && strings.Contains(op.path, "{id}")) {
					t.Errorf("%s?%s of %d bytes: %d %s", op.ID, p.Name, len(value), status, text)
				}
			}
		}
	}
	if params < 12 {
		t.Errorf("only %d parameters were tried", params)
	}

	a := b.agent("")
	tools, err := a.ListTools(t.Context(), nil)
	if err != nil {
		t.Fatal(err)
	}
	for _, tool := range tools.Tools {
		schema, _ := tool.InputSchema.(map[string]any)
		fields, _ := schema["properties"].(map[string]any)
		valid := map[string]any{}
		for _, name := range asList(schema["required"]) {
			valid[name] = sample(fields[name])
		}
		for _, name := range slices.Sorted(maps.Keys(fields)) {
			property, _ := fields[name].(map[string]any)
			if !named(name, property) {
				continue
			}
			stated(tool.Name+"."+name, property)
			try := func(value string) (bool, string) {
				arguments := maps.Clone(valid)
				arguments[name] = value
				r, err := a.CallTool(t.Context(), &mcp.CallToolParams{Name: tool.Name, Arguments: arguments})
				if err != nil {
					t.Fatalf("%s: %v", tool.Name, err)
				}
				return r.IsError, said(r)
			}
			if bad, text := try(longest); bad && strings.Contains(text, "want") && strings.Contains(text, "project") {
				t.Errorf("%s.%s of %d bytes: %s", tool.Name, name, len(longest), text)
			}
			for _, value := range over {
				// An unknown id may be noticed before it.
				if bad, text := try(value); !bad || !strings.Contains(text, "project") && !strings.Contains(text, "there is no such memory") {
					t.Errorf("%s.%s of %d bytes: refused %v: %s", tool.Name, name, len(value), bad, text)
				}
			}
		}
	}
}
