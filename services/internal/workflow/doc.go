// Package workflow decides about workflows: tasks of a project that go on over several
// sessions (SPEC §12, S0.1–S0.45).
//
// It says how a workflow begins, pauses, goes on and ends, what its summary says, and
// what an agent is shown of it. Everything follows from rows: no function reads a
// clock or a store. Package operate reads and commits.
//
// Which memories belong to a workflow is no decision of this package: the commit that
// adds a memory links it (memory.Memory.JoinsWorkflow, ADR 28).
package workflow
