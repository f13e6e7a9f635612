// Package foreign rewrites the transcripts of other coding agents as traces in Winnow's
// own format: Gemini CLI, OpenCode (its files, and its database), Aider and Cline.
//
// It decides which words are a person's. These agents put what tools printed, files and
// instructions of their own into the user's role, and any of that may be a stranger's. So
// a text counts as a person's only where the agent's files say so in a way that no output
// can forge: by a field, or by a second file in which the agent writes only what was
// typed. All else is an answer of a tool, or the agent's.
//
// A file that ends in the middle is rewritten as far as it goes, and its trace ends in the
// middle too, so that a reader counts what is missing. The same files always give the
// same bytes.
package foreign
