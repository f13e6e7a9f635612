package simulation

import (
	"fmt"
	"strings"
)

// Plot draws a result as SVG: the mean confidence of good and bad memories with the
// band of the middle 80 %, and the AUC, by day.
func Plot(r Result) []byte {
	const (
		width, height = 720, 400
		left, top     = 50, 20
		right, bottom = 590, 350
	)
	x := func(day int) float64 { return left + float64(right-left)*float64(day+1)/float64(len(r.Days)) }
	y := func(v float64) float64 { return bottom - float64(bottom-top)*v }
	var b strings.Builder
	fmt.Fprintf(&b, `<svg xmlns="http://www.w3.org/2000/svg" viewBox="0 0 %d %d" font-family="sans-serif" font-size="12">`+"\n", width, height)
	fmt.Fprintf(&b, `<title>Confidence of helpful and misleading memories over %d days</title>`+"\n", len(r.Days))
	fmt.Fprintf(&b, `<rect width="%d" height="%d" fill="#fff"/>`+"\n", width, height)
	for i := range 6 {
		v := float64(i) / 5
		fmt.Fprintf(&b, `<path d="M%d %.1fH%d" stroke="#ddd"/><text x="%d" y="%.1f" text-anchor="end">%.1f</text>`+"\n", left, y(v), right, left-6, y(v)+4, v)
	}
	for day := 9; day < len(r.Days); day += 20 {
		fmt.Fprintf(&b, `<text x="%.1f" y="%d" text-anchor="middle">%d</text>`+"\n", x(day), bottom+16, day+1)
	}
	fmt.Fprintf(&b, `<text x="%d" y="%d" text-anchor="middle">day</text>`+"\n", (left+right)/2, bottom+34)
	line := func(name, colour, dash string, of func(Day) float64) {
		var points []string
		for i, d := range r.Days {
			points = append(points, fmt.Sprintf("%.1f,%.1f", x(i), y(of(d))))
		}
		fmt.Fprintf(&b, `<polyline points="%s" fill="none" stroke="%s" stroke-width="2" stroke-dasharray="%s"/>`+"\n", strings.Join(points, " "), colour, dash)
		last := of(r.Days[len(r.Days)-1])
		fmt.Fprintf(&b, `<text x="%d" y="%.1f" fill="%s">%s %.2f</text>`+"\n", right+6, y(last)+4, colour, name, last)
	}
	band := func(colour string, of func(Day) [3]float64) {
		var points []string
		for i, d := range r.Days {
			points = append(points, fmt.Sprintf("%.1f,%.1f", x(i), y(of(d)[2])))
		}
		for i := len(r.Days) - 1; i >= 0; i-- {
			points = append(points, fmt.Sprintf("%.1f,%.1f", x(i), y(of(r.Days[i])[0])))
		}
		fmt.Fprintf(&b, `<polygon points="%s" fill="%s" fill-opacity="0.15"/>`+"\n", strings.Join(points, " "), colour)
	}
	const green, red, grey = "#1b7837", "#b2182b", "#555"
	band(green, func(d Day) [3]float64 { return d.Good })
	band(red, func(d Day) [3]float64 { return d.Bad })
	line("helpful", green, "none", func(d Day) float64 { return d.Good[1] })
	line("misleading", red, "none", func(d Day) float64 { return d.Bad[1] })
	line("AUC", grey, "5 4", func(d Day) float64 { return d.AUC })
	b.WriteString("</svg>\n")
	return []byte(b.String())
}
