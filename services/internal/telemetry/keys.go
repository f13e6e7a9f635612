package telemetry

// Keys of log fields. One word has one meaning in all processes, so that a
// search over their logs finds all of it.
const (
	KeyWorker     = "worker"
	KeyTenant     = "tenant"
	KeyScope      = "scope"
	KeyEvent      = "event"
	KeyTrace      = "trace" // W3C trace ids, of the events that the line is about
	KeyPrincipal  = "principal"
	KeyProposal   = "proposal"
	KeyDecision   = "decision"
	KeyMemory     = "memory"
	KeyRule       = "rule"
	KeyStream     = "stream"
	KeySequence   = "seq"
	KeySubject    = "subject"
	KeyAttempt    = "attempt"
	KeyCount      = "count"
	KeyBytes      = "bytes"
	KeyTook       = "took"
	KeyError      = "error"
	KeyReason     = "reason"
	KeyAddr       = "addr"
	KeyPoint      = "point"
	KeyDuplicates = "duplicates"
)
