// Package openai asks any server that speaks POST /v1/chat/completions: OpenAI,
// Ollama, vLLM, llama.cpp, LiteLLM and others.
//
// The client library makes the request and reads the answer. What it does not
// do is done around it: an answer of bounded size, the server's Retry-After and
// a key that makes a repeated request the same one (package wire); tries with
// pauses in between, all of them within one timeout ([Model.Complete]); and the
// forms of a request that a server turned out not to know ([manner]).
//
// Errors carry the status and the server's error code, never its message:
// servers repeat the text that they could not take.
package openai
