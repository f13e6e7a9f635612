// Package confidence decides how sure Winnow is of a memory after what happened with it.
//
// Signals are observations: a person or an agent said that a memory helped, a search
// showed it, work that used it succeeded (S4.16). The confidence is the mean of a Beta
// distribution. Its prior has the strength k and the memory's initial confidence as its
// mean (D20). Each signal adds the weight of its type to one side (S4.22). The weights
// follow from how often signals of that type agreed with explicit feedback in the
// memory's scope (S4.19 to S4.21).
//
// # What one principal can do
//
// Of each type, the signals of one principal about one memory count as at most k whole
// signals, in the proportion in which they were given. Weights sum to 1, so all of a
// principal's signals together weigh at most as much as the prior, whether it gave two
// or ten thousand, in a day or over years. A confidence of c stays between c/2 and
// (1+c)/2 for one principal alone. The signals of a principal that stands for a person
// count twice; those of one below an agent do not count.
//
// # Time
//
// Signals are rows for 30 days, then sums (S4.25). The roll-up changes no confidence
// (S4.27). Evidence halves in every 90 days without a signal, so that the confidence
// returns to its initial value (D22).
//
// The package computes from values. Who reads the rows, when, and who commits the
// change, is the caller's.
package confidence
