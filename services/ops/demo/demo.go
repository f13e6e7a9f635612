package demo

import (
	"bytes"
	"context"
	_ "embed"
	"encoding/json"
	"fmt"

	"github.com/winnowhq/winnow/services/local"
	"github.com/winnowhq/winnow/services/ops"
)

// The sample week: what a company's agents proposed, what it remembered before,
// and what its operators maintain.
var (
	//go:embed week.jsonl
	weekFile []byte
	//go:embed memories.jsonl
	memoriesFile []byte
	//go:embed registry.yaml
	registryFile []byte
)

// Week is the sample week, in order.
func Week() ([]local.Submission, error) { return local.ParseSubmissions(weekFile) }

// Registry is what the operators of the sample company maintain.
func Registry() (ops.RegistryFile, error) { return ops.ParseRegistry(registryFile) }

// Seed brings in what the sample company remembered and maintained before
// the week. Doing it twice changes nothing.
func Seed(ctx context.Context, o *ops.Ops) (memories int, err error) {
	registry, err := Registry()
	if err != nil {
		return 0, err
	}
	if _, err := o.AddRetired(ctx, registry.Retired...); err != nil {
		return 0, err
	}
	for _, b := range registry.BootFiles {
		if _, err := o.AddBootFile(ctx, b); err != nil {
			return 0, err
		}
	}
	var entries []ops.Entry
	for lines := json.NewDecoder(bytes.NewReader(memoriesFile)); lines.More(); {
		var e ops.Entry
		if err := lines.Decode(&e); err != nil {
			return 0, fmt.Errorf("memories of the sample week: %w", err)
		}
		entries = append(entries, e)
	}
	return o.Import(ctx, entries)
}
