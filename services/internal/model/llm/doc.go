// Package llm is the port to language models: one question, one answer.
//
// A model gives words and never authority. Its answer is data that the caller checks;
// nothing here acts on it. Drivers are in the folders below; the wiring chooses the
// driver and its budget.
package llm
