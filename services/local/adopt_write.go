package local

import (
	"context"
	"errors"
	"fmt"

	"github.com/winnowhq/winnow/pkg/publish"
)

// Files returns the sessions that were read, in the order in which they were
// found.
func (a *Adoption) Files() []SessionFile { return a.files }

// PublishAdopted publishes the sessions of an adoption and returns the
// published ones. A file that changed or disappeared meanwhile is left to the
// next run. stored gets the number of sessions done.
func PublishAdopted(ctx context.Context, c *publish.Client, a *Adoption, stored func(int)) (published []SessionFile, left []Unread, err error) {
	for i, file := range a.files {
		receipt, err := PublishSession(ctx, c, file)
		switch {
		case err == nil:
			file.Place = receipt.Sequence
			published = append(published, file)
		case errors.Is(err, ErrChanged):
			left = append(left, Unread{file.File, err.Error()})
		default:
			return published, left, fmt.Errorf("publish %s: %w", file.File, err)
		}
		stored(i + 1)
	}
	return published, left, nil
}
