package digest

import (
	"cmp"
	"errors"
	"fmt"

	"github.com/winnowhq/winnow/services/internal/review/page"
	"github.com/winnowhq/winnow/services/internal/schedule"
	"github.com/winnowhq/winnow/services/internal/worker"
)

// Config says when the digest is made, for whom, and its size. Its [page.Config] also
// applies to questions and answers on the command line.
type Config struct {
	Schedule string `koanf:"schedule" help:"When the digest is made, as a cron line of five fields."`
	page.Config
}

// DefaultConfig returns a schedule of Monday at nine (D8).
func DefaultConfig() Config { return Config{Schedule: "0 9 * * 1", Config: page.DefaultConfig()} }

// Validate reports every invalid value.
func (c Config) Validate() error {
	errs := []error{c.Config.Validate()}
	switch _, err := schedule.New(c.Schedule, "UTC"); {
	case c.Schedule == "":
		errs = append(errs, errors.New("schedule: is empty; write a cron line, such as 0 9 * * 1"))
	case err != nil:
		errs = append(errs, fmt.Errorf("schedule: %w", err))
	}
	return errors.Join(errs...)
}

// Settings are those of the digest worker.
var Settings = worker.SettingsOf(DefaultConfig)

// Asking returns the settings of questions and answers, the same for the worker and for
// every process that reads a reply.
func Asking(all worker.Configured) page.Config {
	c := Settings.In(all).Config
	c.Reviewer = cmp.Or(c.Reviewer, page.LocalReviewer)
	return c
}
