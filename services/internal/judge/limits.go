package judge

// What a proposal may measure. A proposal is one observation, not a document:
// what is longer belongs into a session, which distill reads.
const (
	MaxText     = 16 << 10 // bytes
	MaxLabel    = 256      // bytes: section, category, title, a tag, a session id
	MaxSentence = 1 << 10  // bytes of a description
	MaxTags     = 32
	MaxEvidence = 32
	MaxSpan     = 4 << 10 // bytes of one quoted span
)

// MaxConfidence is what a lesson may be recorded with: that of an explicit record
// (S4.31). Only what comes of using it can show that it deserves more.
const MaxConfidence = 0.8
