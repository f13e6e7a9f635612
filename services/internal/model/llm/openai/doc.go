// Package openai asks any server that speaks POST /v1/chat/completions: OpenAI,
// Ollama, vLLM, llama.cpp, LiteLLM and others.
//
// The client library makes the request and parses the answer. Package wire adds a
// bounded answer, the server's Retry-After and an idempotency key; this package adds
// retries with backoff, all within one timeout ([Model.Complete]), and adapts to forms
// of a request that a server does not know ([form]).
//
// Errors carry the status and the server's error code, never its message:
// servers repeat the text that they could not take.
package openai
