package survival

import (
	"encoding/xml"
	"errors"
	"io"
	"strings"
	"testing"
)

// The pictures are well formed, carry their figures as text, and have colours for both
// schemes. That they are up to date is checked where the documents are.
func TestPlots(t *testing.T) {
	t.Parallel()
	r := simulated(t)
	for name, svg := range r.Plots() {
		dec := xml.NewDecoder(strings.NewReader(svg))
		var err error
		for err == nil {
			_, err = dec.Token()
		}
		if !errors.Is(err, io.EOF) {
			t.Errorf("%s: %v", name, err)
		}
		for _, want := range []string{"prefers-color-scheme: dark", `role="img"`, "aria-label", "NaN"} {
			if strings.Contains(svg, want) == (want == "NaN") {
				t.Errorf("%s: %q", name, want)
			}
		}
		if again := r.Plots()[name]; again != svg {
			t.Errorf("%s differs when it is drawn again", name)
		}
	}
	if !strings.Contains(r.Plots()["survival-year.svg"], "0 rows were deleted") {
		t.Error("the picture of the year does not say what was lost")
	}
}
