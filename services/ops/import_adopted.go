package ops

import (
	"context"
	"fmt"

	"github.com/winnowhq/winnow/services/local"
)

// ImportAdopted stores the entries of the memory files as the person's own
// memories and returns the number of new ones. Unreadable files are skipped.
func (o *Ops) ImportAdopted(ctx context.Context, a *local.Adoption) (stored int, err error) {
	for _, project := range a.Projects {
		for _, file := range project.Memories {
			if file.Problem != "" || file.Entries == 0 {
				continue
			}
			done, err := o.ImportFiles(ctx, file.Reading(), ImportOptions{Scope: project.Scope})
			if err != nil {
				return stored, fmt.Errorf("%s: %w", file.Path, err)
			}
			stored += done.Stored
		}
	}
	return stored, nil
}
