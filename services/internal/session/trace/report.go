package trace

import "errors"

// Skip counts a record that was left out, and lists the reason. A problem
// without a kind is an [ErrRecord].
func (r *Report) Skip(p *Problem) {
	r.Skipped++
	r.note(p)
}

func (r *Report) note(p *Problem) {
	if p.Kind == nil {
		p.Kind = ErrRecord
	}
	if len(r.Problems) < maxProblems {
		r.Problems = append(r.Problems, p)
	}
}

// NoteCut notes that the rest of the file is missing or out of order.
func (r *Report) NoteCut(p *Problem) {
	r.Truncated = true
	r.note(p)
}

// AsProblem returns the problem that an error wraps; false when there is none.
func AsProblem(err error) (*Problem, bool) {
	var p *Problem
	ok := errors.As(err, &p)
	return p, ok
}
