// Package llmtest provides a server for clients of language models.
//
// It is real HTTP and answers POST /v1/chat/completions as scripted: correctly in both
// formats, with nothing, with half an answer, too slowly, with errors, with inventions,
// and as a model that obeys all that it reads. Correct answers are made from the
// session in the prompt, so that they are grounded.
//
// It records the requests, which are what a model was shown, and counts requests apart
// from questions: a repeated request has the same key.
//
// The program in the folder below is the same server for other processes.
package llmtest
