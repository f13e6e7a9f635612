package lexical

import (
	"fmt"
	"testing"
)

// A text that is compared with all others is analysed once.
func TestAlikeKeepsWhatIsInUse(t *testing.T) {
	t.Parallel()
	texts := newDocCache(NewAnalyzer())
	const outside = "The gateway reads its routes from config/routes.yaml."
	first := texts.read(outside)
	for i := range 2 * maxAlike {
		texts.read(fmt.Sprint("sentence ", i))
		if texts.read(outside) != first {
			t.Fatalf("taken apart again after %d others", i+1)
		}
	}
	if n := texts.docs.Len(); n > maxAlike {
		t.Errorf("%d texts are remembered, at most %d should be", n, maxAlike)
	}
}
