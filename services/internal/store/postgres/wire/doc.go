// Package wire encodes what a batch of decisions sends to PostgreSQL: arrays of text, a
// megabyte at a time. The driver boxes each string and grows its two buffers by a quarter
// at a time, which was a quarter of all memory that triage allocated. Here an array is
// encoded at once, into a buffer of its length. The bytes are the driver's.
package wire
