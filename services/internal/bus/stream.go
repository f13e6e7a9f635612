package bus

// The streams (SPEC §4). Durables name the one that they read.
const (
	// StreamSessions holds finished sessions as published, 7 days.
	StreamSessions = "SESSIONS"
	// StreamTraces holds traces that are too large for an event, as published, in
	// pieces, for TraceAge.
	StreamTraces = "TRACES"
	// StreamMemory holds proposals as published and Winnow's own events, 14
	// days.
	StreamMemory = "MEMORY"
	// StreamDeadLetters holds what could not be handled, 90 days.
	StreamDeadLetters = "DLQ"
	// StreamAdvisories holds the server's notes about deliveries that it gave
	// up, 30 days.
	StreamAdvisories = "ADVISORIES"
)
