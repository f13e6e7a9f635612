// Package transcript decides how a session is kept: its turns with the origin of
// each, as lines of JSON, compressed, in chunks that a row can hold; and what
// makes two sessions the same.
//
// Writing and reading are streams. A session of any length costs its compressed
// form and one line, so that a trace of 50 MB takes the memory of what is stored
// of it. What comes here is redacted already; nothing here looks for secrets.
package transcript
