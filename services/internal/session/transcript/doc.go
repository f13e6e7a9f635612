// Package transcript decides how a session is stored: its turns with the origin
// of each, as lines of JSON, compressed, in chunks that a row can hold. It also
// decides what makes two sessions the same.
//
// Writing and reading are streams. A session of any length costs its compressed
// form and one line of memory. A trace of 50 MB thus takes only the memory of
// what is stored of it. The input is already redacted; nothing here looks for
// secrets.
package transcript
