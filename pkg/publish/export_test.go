package publish

// NewIDAt is NewID at a given time.
var NewIDAt = newID
