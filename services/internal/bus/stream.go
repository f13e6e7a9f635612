package bus

// The streams (SPEC §4). Durables name the one that they read.
const (
	// StreamSessions holds finished sessions as published, 7 days.
	StreamSessions = "SESSIONS"
	// StreamTraces holds traces that are too large for an event, as published, in
	// pieces, for TraceAge.
	StreamTraces = "TRACES"
	// StreamIntake holds proposals and answers to digests as published, and what
	// tells that a digest is due, 14 days. Publishers and gateways write to it.
	StreamIntake = "INTAKE"
	// StreamMemory holds what Winnow says about all that, 14 days. Only the relay
	// writes to it, in atomic batches.
	StreamMemory = "MEMORY"
	// StreamDeadLetters holds what could not be handled, 90 days.
	StreamDeadLetters = "DLQ"
	// StreamAdvisories holds the server's notes about deliveries that it gave
	// up, 30 days.
	StreamAdvisories = "ADVISORIES"
)
