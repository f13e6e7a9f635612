package consolidation

// Alike reports whether memories may be one group at all: they are of one tenant, scope,
// kind, outcome and trust (D13). Fewer than two are.
func Alike(list []Candidate) bool {
	for i := range list {
		if classOf(&list[i].Memory) != classOf(&list[0].Memory) {
			return false
		}
	}
	return true
}
