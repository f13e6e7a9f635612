package testenv

import "testing"

// Amount returns full, the amount of work that a benchmark's figures are quoted for, or
// short with -short, where only that the benchmark still runs is of interest.
func Amount(full, short int) int {
	if testing.Short() {
		return short
	}
	return full
}

// Amounts returns the sizes of a benchmark's cases, from small to large. With -short only
// the first remains.
func Amounts(sizes ...int) []int { return sizes[:Amount(len(sizes), 1)] }
