// Package consolidate is the worker that turns many notes about one thing into one
// better note, and loses nothing while it does.
//
// A run is a plan and its steps. Asking for a run stores its row and one event. The
// event is planned: the worker reads the scope, groups what is similar, and commits one
// item and one event for each group. Each of those events is a step: the members are
// read again, merged, checked, and replaced in one transaction. So a process that is
// killed leaves whole steps only, and the next one goes on where it stopped; ten steps
// run at once, and none waits for another. A loop ends the runs that have no step left
// or no time.
//
// Which memories belong together, how they are merged and what the merge must keep is
// decided in services/internal/consolidation. When a run is due is decided in its
// package trigger; here are the clocks that ask.
package consolidate
