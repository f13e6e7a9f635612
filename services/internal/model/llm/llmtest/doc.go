// Package llmtest gives clients of language models a server to speak to.
//
// It is real HTTP and speaks POST /v1/chat/completions as scripted: well, in
// both formats, with nothing, with half an answer, too slowly, with errors, with
// inventions, and as a model that obeys whatever it reads. What it answers well
// is made of the session in the prompt, so that it is grounded in it.
//
// It remembers what it was asked, which is what a model was shown, and counts
// requests apart from questions: a request that is sent again carries the same
// key.
//
// The program in the folder below is the same server for other processes.
package llmtest
