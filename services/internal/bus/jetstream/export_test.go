package jetstream

// OutgoingMsg is what Publish sends.
var OutgoingMsg = outgoingMsg
