package bus

// The streams (SPEC §4). Each durable names the stream that it reads.
const (
	// StreamSessions holds finished sessions as published, 7 days.
	StreamSessions = "SESSIONS"
	// StreamTraces holds traces that are too large for an event, as published, in
	// pieces, for TraceAge.
	StreamTraces = "TRACES"
	// StreamIntake holds proposals and answers to digests as published, and the events
	// that a digest is due, 14 days. Publishers and gateways write to it.
	StreamIntake = "INTAKE"
	// StreamMemory holds the events that Winnow emits, 14 days. Only the relay writes
	// to it, in atomic batches.
	StreamMemory = "MEMORY"
	// StreamDeadLetters holds dead letters, 90 days.
	StreamDeadLetters = "DLQ"
	// StreamAudit holds signed heads of the audit, for ever. Only the relay writes to it,
	// and the server deletes none of its messages.
	StreamAudit = "AUDIT"
	// StreamAdvisories holds the server's advisories about deliveries that it gave up,
	// 30 days.
	StreamAdvisories = "ADVISORIES"
)

// SubjectAuditHead starts the subject of a signed head of the audit; the tenant follows.
const SubjectAuditHead = "winnow.audit.head."
