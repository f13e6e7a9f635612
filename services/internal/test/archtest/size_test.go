package archtest

import (
	"maps"
	"path"
	"slices"
	"testing"
)

// mostFiles is how many production files a package may have, with doc.go and without
// generated files. In a larger package a reader does not find a file by its name, and
// the package holds more than one subject.
const mostFiles = 25

// larger are the packages that may have more, each with its own limit, so that
// they do not grow further unseen. A package that fits again fails until its line
// is removed.
var larger = map[string]struct {
	most int
	why  string
}{
	"services/internal/store/postgres": {42, "one driver: a file per table of one database, whose transactions span them"},
}

func TestPackagesAreSmall(t *testing.T) {
	t.Parallel()
	files := map[string]int{}
	for _, s := range sources(t) {
		if !s.test() {
			files[path.Dir(s.path)]++
		}
	}
	for _, p := range slices.Sorted(maps.Keys(files)) {
		most := mostFiles
		if exception, ok := larger[p]; ok {
			most = exception.most
		}
		if files[p] > most {
			t.Errorf("%s has %d production files, at most %d: split it by subject", p, files[p], most)
		}
	}
	for _, p := range slices.Sorted(maps.Keys(larger)) {
		if files[p] <= mostFiles {
			t.Errorf("%s has %d production files and needs no exception any more: remove its line", p, files[p])
		}
	}
}
