// Package qdrant is the vector index on a Qdrant server.
//
// One collection per generation holds all tenants; an alias, known as
// memory_observations (S3.30), points at the active generation. A point is the ULID of
// a document as a UUID, with a named vector "dense", a sparse one "bm25", and a payload
// of the fields that filters test. The text stays in Postgres.
//
// How it stays consistent:
//
//   - A write replaces the whole point, guarded by a filter that only an older
//     version passes. Such writes end in the same state in whatever order
//     replicas apply them, so weak ordering is enough.
//   - A deletion is a write as well, of a point without vectors: removing the
//     point would let a late write bring it back.
//   - Every request is built in query.go, from a filter that has a tenant or
//     not at all.
//   - Qdrant orders neither ties nor what its float32 rounds together. The
//     driver asks for a little more than it needs, orders, and cuts; where a
//     threshold decides, it computes the cosine itself.
//
// An older server silently ignores fields that it does not know, the guard of a write
// among them. So the driver refuses servers before 1.19.
package qdrant
