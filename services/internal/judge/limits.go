package judge

// MaxConfidence is the highest confidence that a lesson may be recorded with: that of
// an explicit record (S4.31). Only outcomes of its use can raise it further.
const MaxConfidence = 0.8
