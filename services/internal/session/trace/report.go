package trace

import "errors"

// skip counts a record that is left out.
func (r *Report) skip(p *Problem) {
	r.Skipped++
	r.note(p)
}

func (r *Report) note(p *Problem) {
	if p.kind == nil {
		p.kind = ErrRecord
	}
	if len(r.Problems) < maxProblems {
		r.Problems = append(r.Problems, p)
	}
}

// truncated notes that the rest of the file is missing or out of order.
func (r *Report) truncated(p *Problem) {
	r.Truncated = true
	r.note(p)
}

// asProblem finds the problem in an error.
func asProblem(err error) (*Problem, bool) {
	var p *Problem
	ok := errors.As(err, &p)
	return p, ok
}
