// Package jetstream implements the bus over NATS JetStream. It decides the
// configuration of the streams, how messages are pulled so that none waits in a client,
// how the relay publishes so that a batch costs one fsync, and the format of a dead
// letter.
//
// The code relies on these facts about the server, all measured (2.15):
//
//   - Only Limits retention remembers message ids across a restart, so every
//     stream has it.
//   - AckWait runs while a message waits in a client's buffer. So a source requests
//     only what its caller handles now, and prefetches nothing.
//   - A consumer's BackOff list replaces AckWait and corrupts delayed naks. It
//     is never set.
//   - A crash of the server loses about 0.1 s of acknowledgements, and those messages
//     are redelivered. Acks therefore do not wait for the server: the inbox makes
//     redelivery harmless.
//   - An atomic batch costs one fsync where single messages cost one each, but
//     one known message id makes the server refuse the whole batch.
//   - A publish that the server denies looks like a timeout. Only the connection's
//     error handler receives the reason, and logs it.
package jetstream
