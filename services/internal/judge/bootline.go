package judge

import (
	"fmt"

	"github.com/winnowhq/winnow/services/internal/memory"
)

// BootTexts returns the lines of a boot file that a proposal could restate, by the
// ids that the candidates of decisions carry.
func BootTexts(f memory.BootFile) map[string]string {
	texts := make(map[string]string)
	for n, line := range bootLines(f.Text) {
		texts[fmt.Sprintf("%s#%d", f.ID, n+1)] = line
	}
	return texts
}
