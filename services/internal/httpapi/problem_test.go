package httpapi_test

import (
	"fmt"
	"net/http"
	"strings"
	"testing"

	"github.com/winnowhq/winnow/services/internal/httpapi"
	"github.com/winnowhq/winnow/services/internal/store"
)

// A server whose login is no operator's says who can do it, and not that it failed.
func TestNoOperatorIsForbidden(t *testing.T) {
	t.Parallel()
	p, logged := httpapi.Of(fmt.Errorf("register bot: %w", store.ErrNotOperator))
	if p.Status != http.StatusForbidden || logged || !strings.Contains(p.Detail, "winnow principal add") {
		t.Errorf("%d %q, logged %v; want 403 that names the command", p.Status, p.Detail, logged)
	}
}
