package digest_test

import (
	"strings"
	"testing"

	"github.com/winnowhq/winnow/services/digest"
	"github.com/winnowhq/winnow/services/internal/worker"
)

// The schedule is validated together with the page's settings, and no problem is
// reported twice.
func TestConfigNamesEveryProblem(t *testing.T) {
	t.Parallel()
	if err := digest.DefaultConfig().Validate(); err != nil {
		t.Error(err)
	}
	for rule, want := range map[string]string{"": "schedule: is empty", "at nine": `schedule: rule "at nine"`} {
		c := digest.DefaultConfig()
		c.Schedule, c.Zone = rule, "Mars/Olympus"
		text := c.Validate().Error()
		if !strings.Contains(text, want) || strings.Count(text, "zone") != 2 || strings.Count(text, "\n") != 1 { // "zone: … is no time zone"
			t.Errorf("rule %q: %s", rule, text)
		}
	}
}

// An empty reviewer means the same person in every process.
func TestLocalReviewer(t *testing.T) {
	t.Parallel()
	var all worker.Configured
	if who := digest.Asking(all).Reviewer; who != "local" {
		t.Errorf("without a setting it is %q", who)
	}
	digest.Settings.Change(&all, func(c *digest.Config) { c.Reviewer = "anna" })
	if who := digest.Asking(all).Reviewer; who != "anna" {
		t.Errorf("set to anna it is %q", who)
	}
}
