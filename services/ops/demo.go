package ops

import (
	"bufio"
	"bytes"
	"context"
	_ "embed"
	"encoding/json"
	"fmt"

	"google.golang.org/protobuf/encoding/protojson"

	winnowv1 "github.com/winnowhq/winnow/proto/winnow/v1"
)

// The sample week: what a company's agents proposed, what it remembered before,
// and what its operators maintain.
var (
	//go:embed demo/week.jsonl
	weekFile []byte
	//go:embed demo/memories.jsonl
	memoriesFile []byte
	//go:embed demo/registry.yaml
	registryFile []byte
)

// Submission is a proposal with who publishes it.
type Submission struct {
	Principal string
	Proposal  *winnowv1.ProposalCreated
}

// DemoWeek is the sample week, in order.
func DemoWeek() ([]Submission, error) { return ParseSubmissions(weekFile) }

// DemoRegistry is what the operators of the sample company maintain.
func DemoRegistry() (RegistryFile, error) { return ParseRegistry(registryFile) }

// ParseSubmissions reads one ProposalCreated as JSON per line, with the extra
// field "principal".
func ParseSubmissions(text []byte) ([]Submission, error) {
	var list []Submission
	err := eachLine(text, func(line []byte) error {
		var fields map[string]json.RawMessage
		if err := json.Unmarshal(line, &fields); err != nil {
			return err
		}
		s := Submission{Proposal: &winnowv1.ProposalCreated{}}
		if raw, ok := fields["principal"]; ok {
			if err := json.Unmarshal(raw, &s.Principal); err != nil {
				return fmt.Errorf("principal: %w", err)
			}
			delete(fields, "principal")
		}
		rest, err := json.Marshal(fields)
		if err != nil {
			return err
		}
		list = append(list, s)
		return protojson.Unmarshal(rest, s.Proposal)
	})
	return list, err
}

// SeedDemo brings in what the sample company remembered and maintained before
// the week. Doing it twice changes nothing.
func (o *Ops) SeedDemo(ctx context.Context) (memories int, err error) {
	registry, err := DemoRegistry()
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
	var entries []Entry
	err = eachLine(memoriesFile, func(line []byte) error {
		var e Entry
		if err := json.Unmarshal(line, &e); err != nil {
			return err
		}
		entries = append(entries, e)
		return nil
	})
	if err != nil {
		return 0, err
	}
	return o.Import(ctx, entries)
}

func eachLine(text []byte, fn func([]byte) error) error {
	lines := bufio.NewScanner(bytes.NewReader(text))
	lines.Buffer(nil, 4<<20)
	for n := 1; lines.Scan(); n++ {
		line := bytes.TrimSpace(lines.Bytes())
		if len(line) == 0 {
			continue
		}
		if err := fn(line); err != nil {
			return fmt.Errorf("line %d: %w", n, err)
		}
	}
	return lines.Err()
}
