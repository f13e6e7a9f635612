// Package openai embeds through any server that speaks POST /v1/embeddings:
// OpenAI, Ollama, vLLM, TEI, llama.cpp and others.
//
// The client library makes the request and parses the answer. Package wire adds a
// bounded answer and the server's Retry-After; this package adds batches, retries, and
// a check of every vector.
//
// Errors carry the status and the server's error code, never its message:
// servers repeat the text that they could not embed.
package openai
