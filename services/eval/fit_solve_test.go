package eval

import (
	"math"
	"slices"
)

// fitRidge pulls the weights towards the shipped ones, per variance of a term.
const fitRidge = 0.001

func along(a, b []float64) (sum float64) {
	for i := range a {
		sum += a[i] * b[i]
	}
	return sum
}

// fit returns weights that differ from the given ones in the free terms, by Newton's method.
func fit(all []fitQuestion, from []float64, free []int) []float64 {
	w := slices.Clone(from)
	n, total := len(free), 0.0
	mean, spread := make([]float64, n), make([]float64, n)
	for i := range all {
		total += all[i].weight
	}
	rows := 0.0
	for i := range all {
		for _, x := range all[i].x {
			rows++
			for a, f := range free {
				mean[a] += x[f]
				spread[a] += x[f] * x[f]
			}
		}
	}
	for a := range free {
		spread[a] = spread[a]/rows - mean[a]*mean[a]/rows/rows + 1e-9
	}
	for range 40 {
		slope, bend := make([]float64, n), make([][]float64, n)
		for a, f := range free {
			bend[a] = make([]float64, n)
			slope[a], bend[a][a] = fitRidge*(w[f]-from[f])*spread[a], fitRidge*spread[a]
		}
		for i := range all {
			all[i].bend(w, free, all[i].weight/total, slope, bend)
		}
		most := 0.0
		for a, step := range solved(bend, slope) {
			w[free[a]] -= step
			most = max(most, math.Abs(step)*math.Sqrt(spread[a]))
		}
		if most < 1e-5 {
			break
		}
	}
	return w
}

// bend adds the question's share of the first and second derivatives of the loss.
func (q *fitQuestion) bend(w []float64, free []int, share float64, slope []float64, bend [][]float64) {
	p := make([]float64, len(q.x))
	top, sum, hit := math.Inf(-1), 0.0, 0.0
	for i := range q.x {
		p[i] = along(w, q.x[i])
		top = max(top, p[i])
	}
	for i := range p {
		p[i] = math.Exp(p[i] - top)
		if sum += p[i]; q.right[i] {
			hit += p[i]
		}
	}
	if hit == 0 {
		return
	}
	mean := make([]float64, len(free))
	for i, x := range q.x {
		target := 0.0
		if q.right[i] {
			target = p[i] / hit
		}
		for a, f := range free {
			mean[a] += p[i] / sum * x[f]
			slope[a] += share * (p[i]/sum - target) * x[f]
			for b, g := range free {
				bend[a][b] += share * p[i] / sum * x[f] * x[g]
			}
		}
	}
	for a := range free {
		for b := range free {
			bend[a][b] -= share * mean[a] * mean[b]
		}
	}
}

// solved solves a system of linear equations, which it changes.
func solved(m [][]float64, y []float64) []float64 {
	for c := range m {
		best := c
		for r := c + 1; r < len(m); r++ {
			if math.Abs(m[r][c]) > math.Abs(m[best][c]) {
				best = r
			}
		}
		m[c], m[best], y[c], y[best] = m[best], m[c], y[best], y[c]
		for r := range m {
			if r == c || m[c][c] == 0 {
				continue
			}
			factor := m[r][c] / m[c][c]
			for k := c; k < len(m); k++ {
				m[r][k] -= factor * m[c][k]
			}
			y[r] -= factor * y[c]
		}
	}
	for c := range m {
		if m[c][c] != 0 {
			y[c] /= m[c][c]
		}
	}
	return y
}
