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

// The data of the sample week: the proposals of a company's agents, the earlier
// memories, and the registry of the operators.
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

// Registry returns the registry of the sample company.
func Registry() (ops.RegistryFile, error) { return ops.ParseRegistry(registryFile) }

// Seed stores the earlier memories and the registry of the sample company. Seed
// is idempotent.
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
