package judge

// MaxConfidence is what a lesson may be recorded with: that of an explicit record
// (S4.31). Only what comes of using it can show that it deserves more.
const MaxConfidence = 0.8
