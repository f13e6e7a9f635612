package ops

import (
	"context"
	"fmt"

	"github.com/winnowhq/winnow/services/local"
)

// ImportAdopted stores what the memory files say, as the person's own memories,
// and returns how many are new. Files that cannot be read are left out.
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
