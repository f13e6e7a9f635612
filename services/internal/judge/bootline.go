package judge

import (
	"fmt"

	"github.com/winnowhq/winnow/services/internal/memory"
)

// BootTexts are the lines of a boot file that could be echoed, by the ids that
// candidates of decisions carry.
func BootTexts(f memory.BootFile) map[string]string {
	texts := make(map[string]string)
	for n, line := range bootLines(f.Text) {
		texts[fmt.Sprintf("%s#%d", f.ID, n+1)] = line
	}
	return texts
}
