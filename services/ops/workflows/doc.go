// Package workflows is the command line's side of workflows: the operations of agents
// in the name of a person.
package workflows
