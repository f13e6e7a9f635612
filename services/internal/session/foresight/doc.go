// Package foresight measures what a memory would have spared: which errors of later
// sessions an earlier session of the same project had solved, and whether the lesson would
// have been shown first (SPEC §18).
//
// It decides when two errors are the same, which lessons teach of one, and what a session
// would be shown at its start and at the error. It ranks as a search does, by the close look
// at all lessons of the project, without the candidates of an index.
package foresight
