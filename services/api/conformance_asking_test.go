package api_test //nolint:staticcheck // the suite asks for what the revision deprecates: sampling, roots, logging

import (
	"context"
	"crypto/hmac"
	"crypto/sha256"
	"encoding/base64"
	"fmt"
	"strings"

	"github.com/google/jsonschema-go/jsonschema"
	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// Tools of the conformance suite that ask the client back: for what a person says, for
// words of its model, for its folders. The server stays without state, so what it has to
// know in the next round travels with the client, sealed.

// sealing is the key of the fixtures' states.
var sealing = []byte("only for tests")

// sealed returns a state that a client cannot change unnoticed.
func sealed(state string) string {
	mac := hmac.New(sha256.New, sealing)
	mac.Write([]byte(state))
	return state + "." + base64.RawURLEncoding.EncodeToString(mac.Sum(nil))
}

// opened returns the state that a client brings back, or an error of the protocol.
func opened(text string) (string, error) {
	at := strings.LastIndexByte(text, '.')
	if text == "" {
		return "", nil
	}
	if at < 0 || !hmac.Equal([]byte(sealed(text[:at])), []byte(text)) {
		return "", &jsonrpc.Error{Code: jsonrpc.CodeInvalidParams, Message: "the requestState is not one of this server's"}
	}
	return text[:at], nil
}

// wants returns a question to the person with one field.
func wants(message, field, kind string) *mcp.ElicitParams {
	return &mcp.ElicitParams{Message: message, RequestedSchema: &jsonschema.Schema{
		Type: "object", Properties: map[string]*jsonschema.Schema{field: {Type: kind}}, Required: []string{field},
	}}
}

// accepted returns what the person answered, nil unless accepted.
func accepted(all mcp.InputResponseMap, name string) map[string]any {
	if r, ok := all[name].(*mcp.ElicitResult); ok && r != nil && r.Action == "accept" {
		return r.Content
	}
	return nil
}

// worded returns what the client's model said.
func worded(all mcp.InputResponseMap, name string) (string, bool) {
	r, ok := all[name].(*mcp.CreateMessageWithToolsResult)
	if !ok || r == nil {
		return "", false
	}
	for _, c := range r.Content {
		if text, ok := c.(*mcp.TextContent); ok {
			return text.Text, true
		}
	}
	return "", false
}

func asks(model string) *mcp.CreateMessageParams {
	return &mcp.CreateMessageParams{Messages: []*mcp.SamplingMessage{{Role: "user", Content: words(model)}}, MaxTokens: 100}
}

func folders(all mcp.InputResponseMap) (int, bool) {
	r, ok := all["client_roots"].(*mcp.ListRootsResult)
	if !ok || r == nil {
		return 0, false
	}
	return len(r.Roots), true
}

// asking adds the tools, and a prompt, that ask back.
func asking(s *mcp.Server) {
	const tool = "test_input_required_result_"
	say := func(format string, a ...any) *mcp.CallToolResult {
		return &mcp.CallToolResult{Content: []mcp.Content{words(fmt.Sprintf(format, a...))}}
	}
	ask := func(state string, of mcp.InputRequestMap) *mcp.CallToolResult {
		r := &mcp.CallToolResult{InputRequests: of}
		if state != "" {
			r.RequestState = sealed(state)
		}
		return r
	}
	add := func(name string, call func(given mcp.InputResponseMap, state string, has *mcp.ClientCapabilities) *mcp.CallToolResult) {
		fixture(s, tool+name, func(_ context.Context, r *mcp.CallToolRequest) (*mcp.CallToolResult, error) {
			state, err := opened(r.Params.RequestState)
			if err != nil {
				return nil, err
			}
			return call(r.Params.InputResponses, state, r.ClientCapabilities()), nil
		})
	}
	name := wants("What is your name?", "name", "string")
	add("elicitation", func(given mcp.InputResponseMap, _ string, _ *mcp.ClientCapabilities) *mcp.CallToolResult {
		if n, _ := accepted(given, "user_name")["name"].(string); n != "" {
			return say("Hello, %s!", n)
		}
		return ask("", mcp.InputRequestMap{"user_name": name})
	})
	add("sampling", func(given mcp.InputResponseMap, _ string, _ *mcp.ClientCapabilities) *mcp.CallToolResult {
		if text, ok := worded(given, "capital_question"); ok {
			return say("The model says: %s", text)
		}
		return ask("", mcp.InputRequestMap{"capital_question": asks("What is the capital of France?")})
	})
	add("list_roots", func(given mcp.InputResponseMap, _ string, _ *mcp.ClientCapabilities) *mcp.CallToolResult {
		if n, ok := folders(given); ok {
			return say("%d folders", n)
		}
		return ask("", mcp.InputRequestMap{"client_roots": &mcp.ListRootsParams{}})
	})
	for _, name := range []string{"request_state", "tampered_state"} {
		add(name, func(given mcp.InputResponseMap, state string, _ *mcp.ClientCapabilities) *mcp.CallToolResult {
			if state == name && accepted(given, "confirm") != nil {
				return say("state-ok")
			}
			return ask(name, mcp.InputRequestMap{"confirm": wants("Please confirm.", "ok", "boolean")})
		})
	}
	add("multiple_inputs", func(given mcp.InputResponseMap, _ string, _ *mcp.ClientCapabilities) *mcp.CallToolResult {
		n, _ := accepted(given, "user_name")["name"].(string)
		text, worded := worded(given, "greeting")
		if count, ok := folders(given); ok && worded && n != "" {
			return say("%s, %s: %d folders", text, n, count)
		}
		return ask("all", mcp.InputRequestMap{"user_name": name, "greeting": asks("Greet."), "client_roots": &mcp.ListRootsParams{}})
	})
	add("multi_round", func(given mcp.InputResponseMap, state string, _ *mcp.ClientCapabilities) *mcp.CallToolResult {
		before, second := strings.CutPrefix(state, "named ")
		switch {
		case second:
			return say("%s likes %v", before, accepted(given, "step2")["color"])
		case state == "begun":
			n, _ := accepted(given, "step1")["name"].(string)
			return ask("named "+n, mcp.InputRequestMap{"step2": wants("Which colour?", "color", "string")})
		}
		return ask("begun", mcp.InputRequestMap{"step1": name})
	})
	add("capabilities", func(given mcp.InputResponseMap, _ string, has *mcp.ClientCapabilities) *mcp.CallToolResult {
		of := mcp.InputRequestMap{}
		if has != nil && has.Elicitation != nil {
			of["user_name"] = name
		}
		if has != nil && has.Sampling != nil {
			of["greeting"] = asks("Greet.")
		}
		if len(given) > 0 || len(of) == 0 {
			return say("%d answers", len(given))
		}
		return ask("", of)
	})
	s.AddPrompt(&mcp.Prompt{Name: tool + "prompt", Description: "For the conformance suite."}, func(_ context.Context, r *mcp.GetPromptRequest) (*mcp.GetPromptResult, error) {
		if given := accepted(r.Params.InputResponses, "user_context"); given != nil {
			return promptOf(fmt.Sprintf("Context: %v", given["context"])), nil
		}
		return &mcp.GetPromptResult{InputRequests: mcp.InputRequestMap{"user_context": wants("Please give the context.", "context", "string")}}, nil
	})
}
