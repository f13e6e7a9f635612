// Package operate holds the commands that the help lists under Operate: run
// workers, look at their state, and maintain what judging rests on (policies,
// registries, reviewers, the index and the vault).
//
// It decides how a state looks and when an operation counts as done in part; what
// an operation changes is decided in package ops and the packages below it.
package operate
