package api_test //nolint:staticcheck // the suite asks for what the revision deprecates: sampling, roots, logging

import (
	"context"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// What the conformance suite wants a server to have: tools, resources and prompts by
// names and answers of its own. They are in the tests only.

// declared declares the capabilities that the fixtures use.
func declared(o *mcp.ServerOptions) {
	o.Capabilities = &mcp.ServerCapabilities{
		Tools: &mcp.ToolCapabilities{ListChanged: true}, Prompts: &mcp.PromptCapabilities{ListChanged: true},
		Resources: &mcp.ResourceCapabilities{}, Completions: &mcp.CompletionCapabilities{},
	}
	o.CompletionHandler = func(context.Context, *mcp.CompleteRequest) (*mcp.CompleteResult, error) {
		return &mcp.CompleteResult{Completion: mcp.CompletionResultDetails{Values: []string{"test"}, Total: 1}}, nil
	}
}

// fixtures adds everything that the suite asks for.
func fixtures(s *mcp.Server) {
	for name, content := range map[string][]mcp.Content{
		"test_simple_text":       {words("This is a simple text response for testing.")},
		"test_image_content":     {image()},
		"test_audio_content":     {&mcp.AudioContent{Data: decoded(silence), MIMEType: "audio/wav"}},
		"test_embedded_resource": {attached("test://embedded-resource")},
		"test_multiple_content_types": {
			words("Multiple content types test:"), image(), attached("test://mixed-content-resource"),
		},
		"test_streaming_elicitation": {words("Only results are in this stream.")},
	} {
		fixture(s, name, func(context.Context, *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
			return &mcp.CallToolResult{Content: content}, nil
		})
	}
	fixture(s, "test_error_handling", func(context.Context, *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
		r := new(mcp.CallToolResult)
		r.SetError(errors.New("this tool intentionally returns an error for testing"))
		return r, nil
	})
	fixture(s, "test_tool_with_progress", progress)
	fixture(s, "test_logging_tool", func(ctx context.Context, r *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
		err := r.Session.Log(ctx, &mcp.LoggingMessageParams{Level: "info", Data: "not asked for"})
		return &mcp.CallToolResult{Content: []mcp.Content{words("logged")}}, err
	})
	fixture(s, "test_missing_capability", wantsSampling)
	changing(s)
	schemas(s)
	asking(s)
	sources(s)
	prompts(s)
}

// fixture adds a tool without arguments. Its errors are errors of the protocol.
func fixture(s *mcp.Server, name string, call mcp.ToolHandler) {
	s.AddTool(&mcp.Tool{Name: name, Description: "For the conformance suite.", InputSchema: json.RawMessage(`{"type":"object"}`)}, call)
}

func words(text string) *mcp.TextContent { return &mcp.TextContent{Text: text} }

// The smallest picture of one pixel, and a recording without samples.
const (
	pixel   = "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mP8z8DwHwAFBQIAX8jx0gAAAABJRU5ErkJggg=="
	silence = "UklGRiYAAABXQVZFZm10IBAAAAABAAEAQB8AAAB9AAACABAAZGF0YQIAAAA="
)

func decoded(text string) []byte {
	data, _ := base64.StdEncoding.DecodeString(text) // of the constants above
	return data
}

func image() *mcp.ImageContent {
	return &mcp.ImageContent{Data: decoded(pixel), MIMEType: "image/png"}
}

func attached(uri string) *mcp.EmbeddedResource {
	return &mcp.EmbeddedResource{Resource: &mcp.ResourceContents{URI: uri, MIMEType: "text/plain", Text: "Embedded resource content for testing."}}
}

// progress reports three steps to a client that asks for them.
func progress(ctx context.Context, r *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
	token := r.Params.GetProgressToken()
	for _, done := range []float64{0, 50, 100} {
		if token == nil {
			break
		}
		if err := r.Session.NotifyProgress(ctx, &mcp.ProgressNotificationParams{ProgressToken: token, Progress: done, Total: 100}); err != nil {
			return nil, err
		}
	}
	return &mcp.CallToolResult{Content: []mcp.Content{words("done")}}, nil
}

// wantsSampling refuses a client that does not offer its model.
func wantsSampling(_ context.Context, r *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
	if has := r.ClientCapabilities(); has != nil && has.Sampling != nil {
		return &mcp.CallToolResult{Content: []mcp.Content{words("sampling is declared")}}, nil
	}
	data, err := json.Marshal(mcp.MissingRequiredClientCapabilityData{RequiredCapabilities: &mcp.ClientCapabilities{Sampling: &mcp.SamplingCapabilities{}}})
	if err != nil {
		return nil, err
	}
	return nil, &jsonrpc.Error{Code: mcp.CodeMissingRequiredClientCapabilities, Message: "sampling is required", Data: data}
}

// changing adds tools that change the lists, of which the library tells who listens.
func changing(s *mcp.Server) {
	done := &mcp.CallToolResult{Content: []mcp.Content{words("changed")}}
	fixture(s, "test_trigger_tool_change", func(context.Context, *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
		fixture(s, "test_passing_tool", func(context.Context, *mcp.CallToolRequest) (*mcp.CallToolResult, error) { return done, nil })
		return done, nil
	})
	fixture(s, "test_trigger_prompt_change", func(context.Context, *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
		s.AddPrompt(&mcp.Prompt{Name: "test_passing_prompt", Description: "For the conformance suite."}, func(context.Context, *mcp.GetPromptRequest) (*mcp.GetPromptResult, error) {
			return promptOf("passing"), nil
		})
		return done, nil
	})
}

// schemas adds a tool whose schema has words that only JSON Schema 2020-12 knows, and
// one with an argument that clients send as a header too.
func schemas(s *mcp.Server) {
	echo := func(_ context.Context, r *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
		return &mcp.CallToolResult{Content: []mcp.Content{words(string(r.Params.Arguments))}}, nil
	}
	s.AddTool(&mcp.Tool{Name: "json_schema_2020_12_tool", Description: "For the conformance suite.", InputSchema: json.RawMessage(`{
		"$schema": "https://json-schema.org/draft/2020-12/schema", "type": "object",
		"$defs": {"address": {"$anchor": "addressDef", "type": "object", "properties": {"street": {"type": "string"}, "city": {"type": "string"}}}},
		"properties": {
			"name": {"type": "string"}, "address": {"$ref": "#/$defs/address"},
			"contactMethod": {"type": "string", "enum": ["phone", "email"]}, "phone": {"type": "string"}, "email": {"type": "string"}
		},
		"allOf": [{"anyOf": [{"required": ["phone"]}, {"required": ["email"]}]}],
		"if": {"properties": {"contactMethod": {"const": "phone"}}, "required": ["contactMethod"]},
		"then": {"required": ["phone"]}, "else": {"required": ["email"]},
		"additionalProperties": false
	}`)}, echo)
	s.AddTool(&mcp.Tool{Name: "test_x_mcp_header", Description: "For the conformance suite.", InputSchema: json.RawMessage(`{
		"type": "object", "properties": {"region": {"type": "string", "x-mcp-header": "Region"}, "level": {"type": "integer"}}
	}`)}, echo)
}

// sources adds resources.
func sources(s *mcp.Server) {
	read := func(of func(uri string) *mcp.ResourceContents) mcp.ResourceHandler {
		return func(_ context.Context, r *mcp.ReadResourceRequest) (*mcp.ReadResourceResult, error) {
			return &mcp.ReadResourceResult{Contents: []*mcp.ResourceContents{of(r.Params.URI)}}, nil
		}
	}
	s.AddResource(&mcp.Resource{URI: "test://static-text", Name: "text", Description: "A text.", MIMEType: "text/plain"}, read(func(uri string) *mcp.ResourceContents {
		return &mcp.ResourceContents{URI: uri, MIMEType: "text/plain", Text: "This is the content of the static text resource."}
	}))
	s.AddResource(&mcp.Resource{URI: "test://static-binary", Name: "binary", Description: "A picture.", MIMEType: "image/png"}, read(func(uri string) *mcp.ResourceContents {
		return &mcp.ResourceContents{URI: uri, MIMEType: "image/png", Blob: decoded(pixel)}
	}))
	s.AddResourceTemplate(&mcp.ResourceTemplate{URITemplate: "test://template/{id}/data", Name: "template", MIMEType: "application/json"}, read(func(uri string) *mcp.ResourceContents {
		id := strings.TrimSuffix(strings.TrimPrefix(uri, "test://template/"), "/data")
		return &mcp.ResourceContents{URI: uri, MIMEType: "application/json", Text: fmt.Sprintf(`{"id":%q,"templateTest":true,"data":"Data for ID: %s"}`, id, id)}
	}))
}

// promptOf returns a prompt of these texts.
func promptOf(texts ...string) *mcp.GetPromptResult {
	r := new(mcp.GetPromptResult)
	for _, text := range texts {
		r.Messages = append(r.Messages, &mcp.PromptMessage{Role: "user", Content: words(text)})
	}
	return r
}

// prompts adds prompts.
func prompts(s *mcp.Server) {
	add := func(name string, get func(*mcp.GetPromptRequest) *mcp.GetPromptResult, arguments ...string) {
		p := &mcp.Prompt{Name: name, Description: "For the conformance suite."}
		for _, a := range arguments {
			p.Arguments = append(p.Arguments, &mcp.PromptArgument{Name: a, Description: "An argument.", Required: true})
		}
		s.AddPrompt(p, func(_ context.Context, r *mcp.GetPromptRequest) (*mcp.GetPromptResult, error) { return get(r), nil })
	}
	add("test_simple_prompt", func(*mcp.GetPromptRequest) *mcp.GetPromptResult {
		return promptOf("This is a simple prompt for testing.")
	})
	add("test_prompt_with_arguments", func(r *mcp.GetPromptRequest) *mcp.GetPromptResult {
		return promptOf(fmt.Sprintf("Prompt with arguments: arg1='%s', arg2='%s'", r.Params.Arguments["arg1"], r.Params.Arguments["arg2"]))
	}, "arg1", "arg2")
	add("test_prompt_with_embedded_resource", func(r *mcp.GetPromptRequest) *mcp.GetPromptResult {
		p := promptOf("Please process the embedded resource above.")
		p.Messages = append([]*mcp.PromptMessage{{Role: "user", Content: attached(r.Params.Arguments["resourceUri"])}}, p.Messages...)
		return p
	}, "resourceUri")
	add("test_prompt_with_image", func(*mcp.GetPromptRequest) *mcp.GetPromptResult {
		p := promptOf("Please analyze the image above.")
		p.Messages = append([]*mcp.PromptMessage{{Role: "user", Content: image()}}, p.Messages...)
		return p
	})
}
