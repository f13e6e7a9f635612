// Package llm is the port to language models: one question, one answer.
//
// A model is asked for words and never for authority. What it answers is data
// that somebody checks; nothing here acts on it. Drivers are in the folders
// below; which one, and what it may cost, is wired elsewhere.
package llm
