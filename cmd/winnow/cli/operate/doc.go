// Package operate contains the commands of the help's group Operate: run
// workers, show their state, and maintain the inputs of judging (policies,
// registries, reviewers, the index and the vault).
//
// The package decides the form of a state and when an operation counts as partly
// done. Package ops and the packages below decide what an operation changes.
package operate
