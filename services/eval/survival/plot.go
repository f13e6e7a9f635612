package survival

import (
	"cmp"
	"fmt"
	"slices"
	"strings"
)

// Plots returns the pictures of the documents, by file name: SVG that follows the reader's
// light or dark scheme. Equal reports give equal bytes.
func (r *Report) Plots() map[string]string {
	return map[string]string{"survival-year.svg": r.Year.plot(), "survival-month.svg": r.Month.plot()}
}

// The plane of a plot, in pixels, with room for labels around it.
const (
	plotWidth  = 760
	plotHeight = 340
	plotLeft   = 56
	plotRight  = 200
	plotTop    = 44
	plotBottom = 46
)

// plotStyle names colours for both schemes. A band or line is also told apart by its label
// and its place, for readers who see no colours.
const plotStyle = `  <style>
    text { fill: #1f2328; font: 13px system-ui, sans-serif } .title { font-weight: 600; font-size: 15px } .small { fill: #57606a; font-size: 12px }
    .grid { stroke: #d0d7de; stroke-width: 1 } .limit { stroke: #cf222e; stroke-width: 1.4; stroke-dasharray: 6 4 }
    .a { fill: #54aeff } .b { fill: #b6e3ff } .c { fill: #d4a72c } .line { fill: none; stroke: #1f2328; stroke-width: 2 } .thin { fill: none; stroke: #57606a; stroke-width: 1.6; stroke-dasharray: 2 3 }
    @media (prefers-color-scheme: dark) {
      text { fill: #e6edf3 } .small { fill: #9da7b1 } .grid { stroke: #30363d } .limit { stroke: #ff7b72 }
      .a { fill: #1f6feb } .b { fill: #0c2d6b } .c { fill: #9e6a03 } .line { stroke: #e6edf3 } .thin { stroke: #9da7b1 }
    }
  </style>
`

// canvas is one plot: x from 1 to n, y from 0 to top.
type canvas struct {
	b   strings.Builder
	n   int
	top float64

	labels []label
}

func newCanvas(title, description string, n int, top float64) *canvas {
	c := &canvas{n: n, top: top}
	fmt.Fprintf(&c.b, "<svg xmlns=\"http://www.w3.org/2000/svg\" viewBox=\"0 0 %d %d\" role=\"img\" aria-label=\"%s. %s\">\n", plotWidth, plotHeight, title, description)
	c.b.WriteString(plotStyle)
	fmt.Fprintf(&c.b, "  <text class=\"title\" x=\"%d\" y=\"24\">%s</text>\n", plotLeft, title)
	return c
}

func (c *canvas) x(i int) float64 {
	return plotLeft + float64(i-1)*float64(plotWidth-plotLeft-plotRight)/float64(max(c.n-1, 1))
}

func (c *canvas) y(v float64) float64 {
	return plotHeight - plotBottom - v/c.top*float64(plotHeight-plotTop-plotBottom)
}

// axes draws lines at the given values and labels for both axes.
func (c *canvas) axes(values []float64, format func(float64) string, every int, unit string) {
	for _, v := range values {
		fmt.Fprintf(&c.b, "  <path class=\"grid\" d=\"M%d %.1fH%d\"/><text class=\"small\" x=\"%d\" y=\"%.1f\" text-anchor=\"end\">%s</text>\n",
			plotLeft, c.y(v), plotWidth-plotRight, plotLeft-8, c.y(v)+4, format(v))
	}
	for i := every; i <= c.n; i += every {
		fmt.Fprintf(&c.b, "  <text class=\"small\" x=\"%.1f\" y=\"%d\" text-anchor=\"middle\">%d</text>\n", c.x(i), plotHeight-plotBottom+18, i)
	}
	fmt.Fprintf(&c.b, "  <text class=\"small\" x=\"%.1f\" y=\"%d\" text-anchor=\"middle\">%s</text>\n", (c.x(1)+c.x(c.n))/2, plotHeight-8, unit)
}

// band fills the area between two series.
func (c *canvas) band(class string, low, high func(int) float64) {
	c.b.WriteString("  <path class=\"" + class + "\" d=\"M")
	for i := 1; i <= c.n; i++ {
		fmt.Fprintf(&c.b, "%.1f %.1f ", c.x(i), c.y(high(i)))
	}
	for i := c.n; i >= 1; i-- {
		fmt.Fprintf(&c.b, "%.1f %.1f ", c.x(i), c.y(low(i)))
	}
	c.b.WriteString("Z\"/>\n")
}

func (c *canvas) line(class string, v func(int) float64) {
	c.b.WriteString("  <path class=\"" + class + "\" d=\"M")
	for i := 1; i <= c.n; i++ {
		fmt.Fprintf(&c.b, "%.1f %.1f ", c.x(i), c.y(v(i)))
	}
	c.b.WriteString("\"/>\n")
}

// label is a text of two lines beside the right end of the plane.
type label struct {
	at         float64 // pixels from the top
	text, more string
}

const labelHeight = 38

// label adds a text at the height of a value. Texts that would overlap move apart.
func (c *canvas) label(v float64, text, more string) {
	c.labels = append(c.labels, label{at: c.y(v), text: text, more: more})
}

// done writes the labels, from the lowest up, and the end of the picture.
func (c *canvas) done() string {
	slices.SortFunc(c.labels, func(a, b label) int { return cmp.Compare(b.at, a.at) })
	free := float64(plotHeight - plotBottom)
	for _, l := range c.labels {
		at := min(l.at, free-15)
		free = at - labelHeight + 15
		fmt.Fprintf(&c.b, "  <text x=\"%d\" y=\"%.1f\">%s</text><text class=\"small\" x=\"%d\" y=\"%.1f\">%s</text>\n",
			plotWidth-plotRight+10, at, l.text, plotWidth-plotRight+10, at+15, l.more)
	}
	return c.b.String() + "</svg>\n"
}

// steps returns about five round values up to top.
func steps(top float64) []float64 {
	step := 1.0
	for _, s := range []float64{1, 2, 5, 10, 20, 50, 100, 200, 500} {
		if step = s; top/s <= 6 {
			break
		}
	}
	var out []float64
	for v := 0.0; v <= top; v += step {
		out = append(out, v)
	}
	return out
}

func (y *YearReport) plot() string {
	s := y.Series
	top := float64(s[len(s)-1].Originals)
	c := newCanvas("A year of weekly runs by a model that is wrong in one of twenty judgements",
		fmt.Sprintf("Of %d recorded memories %d rows were deleted. At the end %d were merged into a successor, %d were archived without one, and every one of them can be restored",
			y.Originals, y.RowsDeleted, s[len(s)-1].Merged, s[len(s)-1].Archived), len(s), top)
	place := func(w YearWeek) (untouched, merged float64) {
		untouched = float64(w.Originals - w.Merged - w.Archived)
		return untouched, untouched + float64(w.Merged)
	}
	at := func(i int) YearWeek { return s[i-1] }
	zero := func(int) float64 { return 0 }
	low := func(i int) float64 { v, _ := place(at(i)); return v }
	mid := func(i int) float64 { _, v := place(at(i)); return v }
	all := func(i int) float64 { return float64(at(i).Originals) }
	c.axes(steps(top), func(v float64) string { return fmt.Sprintf("%.0f", v) }, 4, "week")
	c.band("a", zero, low)
	c.band("b", low, mid)
	c.band("c", mid, all)
	c.line("line", func(i int) float64 { return float64(at(i).Active) })
	n := len(s)
	last := s[n-1]
	c.label((mid(n)+all(n))/2, fmt.Sprintf("archived: %d", last.Archived), fmt.Sprintf("%d wrongly; all can be restored", y.NeededArchived))
	c.label((low(n)+mid(n))/2, fmt.Sprintf("merged: %d", last.Merged), "a successor says it")
	c.label(float64(last.Active), fmt.Sprintf("active now: %d", last.Active), "with the merged ones (line)")
	c.label(low(n)/2, fmt.Sprintf("as recorded: %d", last.Originals-last.Merged-last.Archived), "untouched")
	return c.done()
}

// junkLimit is the share of junk that a store may have.
const junkLimit = 0.10

func (m *JunkReport) plot() string {
	s := m.Series
	c := newCanvas("Junk in what is sent, and in what is remembered",
		fmt.Sprintf("In %d days %.0f %% of %d proposals were junk, and %.1f %% of the %d memories at the end", m.Days, 100*m.JunkOffered, m.Proposals, 100*m.JunkShare, m.Active), len(s), 1)
	at := func(i int) JunkDay { return s[i-1] }
	n := len(s)
	c.axes([]float64{0, 0.2, 0.4, 0.6, 0.8, 1}, func(v float64) string { return fmt.Sprintf("%.0f %%", 100*v) }, 4, "day")
	c.band("a", func(int) float64 { return 0 }, func(i int) float64 { return at(i).Share })
	fmt.Fprintf(&c.b, "  <path class=\"limit\" d=\"M%d %.1fH%d\"/>\n", plotLeft, c.y(junkLimit), plotWidth-plotRight)
	c.line("thin", func(i int) float64 { return at(i).Offered })
	c.line("line", func(i int) float64 { return at(i).Share })
	c.label(at(n).Offered, fmt.Sprintf("sent: %.0f %% junk", 100*m.JunkOffered), fmt.Sprintf("%d proposals", m.Proposals))
	c.label(junkLimit, "limit: 10 %", "of the memories")
	c.label(at(n).Share, fmt.Sprintf("remembered: %.1f %% junk", 100*m.JunkShare), fmt.Sprintf("%d of %d memories", m.JunkActive, m.Active))
	return c.done()
}
