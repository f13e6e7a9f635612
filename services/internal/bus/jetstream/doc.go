// Package jetstream is the bus over NATS JetStream. It decides what the streams
// look like, how messages are pulled so that none waits in a client, how the
// relay publishes so that a batch costs one fsync, and what a dead letter is.
//
// Facts about the server that the code rests on, all measured (2.15):
//
//   - Only Limits retention remembers message ids across a restart, so every
//     stream has it.
//   - A message that waits in a client's buffer runs into AckWait there. So a
//     source asks for what its caller takes now and never ahead.
//   - A consumer's BackOff list replaces AckWait and corrupts delayed naks. It
//     is never set.
//   - Acknowledged work is redelivered after a crash of the server (about 0.1 s
//     of it). Acks are therefore plain: the inbox makes redelivery harmless.
//   - An atomic batch costs one fsync where single messages cost one each, but
//     one known message id refuses the whole batch.
//   - A refused publish looks like a timeout; the reason only reaches the
//     connection's error handler, which logs it.
package jetstream
