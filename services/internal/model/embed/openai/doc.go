// Package openai embeds through any server that speaks POST /v1/embeddings:
// OpenAI, Ollama, vLLM, TEI, llama.cpp and others.
//
// The client library makes the request and reads the answer. What it does not
// do is done below it (package wire: an answer of bounded size, the server's
// Retry-After) and above it: batches, retries, and a look at
// every vector before it is believed.
//
// Errors carry the status and the server's error code, never its message:
// servers repeat the text that they could not embed.
package openai
