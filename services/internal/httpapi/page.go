package httpapi

import (
	"bytes"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"fmt"
	"html/template"
	"maps"
	"net/http"
	"slices"
	"strings"

	"github.com/danielgtaylor/huma/v2"
)

// style is the only style of the pages; there is no script.
const style = `body{font:16px/1.5 system-ui,sans-serif;margin:2rem auto;max-width:60rem;padding:0 1rem;color:#222;background:#fff}
h2{margin-top:2.5rem;border-bottom:1px solid #ccc}h3{margin:1.5rem 0 .25rem}code,pre{font:14px/1.4 ui-monospace,monospace;background:#f3f3f3}
pre{padding:.75rem;overflow:auto}table{border-collapse:collapse;width:100%}td,th{text-align:left;vertical-align:top;padding:.25rem .75rem .25rem 0;border-bottom:1px solid #eee}
@media(prefers-color-scheme:dark){body{color:#ddd;background:#181818}code,pre{background:#282828}a{color:#8bf}}`

// policy lets a page load nothing but its own style.
var policy = func() string {
	sum := sha256.Sum256([]byte(style))
	return "default-src 'none'; style-src 'sha256-" + base64.StdEncoding.EncodeToString(sum[:]) + "'; frame-ancestors 'none'; base-uri 'none'; form-action 'none'"
}()

// framed returns a page.
func framed(title, body string) []byte {
	return []byte(`<!doctype html><html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1"><title>` +
		title + `</title><style>` + style + `</style></head><body>` + body + "</body></html>\n")
}

// start is the page at the root.
var start = framed("Winnow", `<h1>Winnow</h1>
<p>Memory for agents: this server receives what agents and services learn, judges it, and answers what is known.</p>
<table>
<tr><td><a href="/api/docs">/api/docs</a></td><td>the HTTP API, to read</td></tr>
<tr><td><a href="/api/openapi.json">/api/openapi.json</a></td><td>the same for programs: OpenAPI 3.1</td></tr>
<tr><td><a href="/api/proto.tar.gz">/api/proto.tar.gz</a></td><td>the events of the bus: their .proto files</td></tr>
<tr><td>/mcp</td><td>agents, by the Model Context Protocol (streamable HTTP)</td></tr>
<tr><td><a href="/readyz?verbose">/readyz?verbose</a></td><td>whether it works</td></tr>
<tr><td><a href="/metrics">/metrics</a></td><td>figures for Prometheus</td></tr>
</table>
<p>Outside of a laptop every request needs an API key: <code>winnow key add</code>.</p>`)

func page(html []byte) http.Handler {
	next := static("text/html; charset=utf-8", html)
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		w.Header().Set("Content-Security-Policy", policy)
		w.Header().Set("Referrer-Policy", "no-referrer")
		next.ServeHTTP(w, r)
	})
}

func static(kind string, body []byte) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) {
		w.Header().Set("Content-Type", kind)
		w.Header().Set("X-Content-Type-Options", "nosniff")
		_, _ = w.Write(body) // a disconnected client has no reader
	})
}

// documentation returns the contract as a page for people.
func documentation(spec *huma.OpenAPI) ([]byte, error) {
	var out bytes.Buffer
	if err := docs.Execute(&out, tagsOf(spec)); err != nil {
		return nil, fmt.Errorf("write the documentation: %w", err)
	}
	return framed("Winnow: HTTP API", out.String()), nil
}

var docs = template.Must(template.New("docs").Parse(`<h1>Winnow: HTTP API</h1>
<p><a href="/api/openapi.json">OpenAPI 3.1</a>. Send <code>Authorization: Bearer KEY</code>; on loopback <code>winnow dev</code> needs none. Errors are problems of RFC 9457 with the field and the remedy.</p>
{{range .}}<h2>{{.Name}}</h2>{{range .Operations}}
<h3 id="{{.ID}}"><code>{{.Method}} {{.Path}}</code></h3>
<p>{{.Summary}}. {{.Description}}</p>
{{with .Fields}}<table><tr><th>field</th><th>where</th><th>what</th></tr>{{range .}}<tr><td><code>{{.Name}}</code></td><td>{{.In}}</td><td>{{.Kind}}{{if .Required}}, required{{end}}. {{.Description}}</td></tr>{{end}}</table>{{end}}
{{with .Answer}}<p>Answers:</p><table>{{range .}}<tr><td><code>{{.Name}}</code></td><td>{{.Kind}}. {{.Description}}</td></tr>{{end}}</table>{{end}}
{{end}}{{end}}`))

// docTag is the operations of one heading.
type docTag struct {
	Name       string
	Operations []docOperation
}

type docOperation struct {
	ID, Method, Path, Summary, Description string
	Fields, Answer                         []docField
}

type docField struct {
	Name, In, Kind, Description string
	Required                    bool
}

func tagsOf(spec *huma.OpenAPI) []docTag {
	var tags []docTag
	for _, path := range slices.Sorted(maps.Keys(spec.Paths)) {
		item := spec.Paths[path]
		for _, op := range []*huma.Operation{item.Get, item.Post, item.Put, item.Delete} {
			if op == nil {
				continue
			}
			at := slices.IndexFunc(tags, func(t docTag) bool { return t.Name == op.Tags[0] })
			if at < 0 {
				tags = append(tags, docTag{Name: op.Tags[0]})
				at = len(tags) - 1
			}
			tags[at].Operations = append(tags[at].Operations, operationOf(spec, op))
		}
	}
	return tags
}

func operationOf(spec *huma.OpenAPI, op *huma.Operation) docOperation {
	d := docOperation{ID: op.OperationID, Method: op.Method, Path: op.Path, Summary: op.Summary, Description: op.Description}
	for _, p := range op.Parameters {
		description := p.Description
		if description == "" {
			description = p.Schema.Description
		}
		d.Fields = append(d.Fields, docField{Name: p.Name, In: p.In, Kind: kindOf(p.Schema), Description: description, Required: p.Required})
	}
	if op.RequestBody != nil {
		for _, f := range fieldsOf(spec, op.RequestBody.Content["application/json"]) {
			f.In = "body"
			d.Fields = append(d.Fields, f)
		}
	}
	for _, status := range []string{"200", "201", "202"} {
		if answer := op.Responses[status]; answer != nil {
			d.Answer = fieldsOf(spec, answer.Content["application/json"])
		}
	}
	return d
}

func fieldsOf(spec *huma.OpenAPI, media *huma.MediaType) []docField {
	if media == nil || media.Schema == nil {
		return nil
	}
	schema := media.Schema
	if schema.Ref != "" {
		schema = spec.Components.Schemas.SchemaFromRef(schema.Ref)
	}
	var list []docField
	for _, name := range slices.Sorted(maps.Keys(schema.Properties)) {
		p := schema.Properties[name]
		list = append(list, docField{Name: name, Kind: kindOf(p), Description: p.Description, Required: slices.Contains(schema.Required, name)})
	}
	return list
}

// kindOf returns the type of a value in words.
func kindOf(s *huma.Schema) string {
	kind := s.Type
	switch {
	case s.Ref != "":
		kind = s.Ref[strings.LastIndexByte(s.Ref, '/')+1:]
	case s.Type == huma.TypeArray && s.Items != nil:
		kind = "list of " + kindOf(s.Items)
	case kind == "":
		kind = "any"
	}
	if len(s.Enum) > 0 {
		var values []string
		for _, v := range s.Enum {
			values = append(values, fmt.Sprint(v))
		}
		kind += ": " + strings.Join(values, ", ")
	}
	if s.Default != nil {
		value, _ := json.Marshal(s.Default) // of the contract, which can be written
		kind += ", default " + string(value)
	}
	return kind
}
