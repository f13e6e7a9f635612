package archtest

// row is one line of "Who may import whom".
//
// Patterns are import paths, those of ours below the module's home. `*` stands
// for one element, `/...` at the end for the package and everything below it,
// `std` for the standard library.
type row struct {
	from string
	may  []string // any other direct import is forbidden
	// never must not be reached at all, over any number of imports between our own
	// packages.
	never []string
	why   string
}
