package local

import (
	"bufio"
	"bytes"
	"encoding/json"
	"fmt"

	"google.golang.org/protobuf/encoding/protojson"

	winnowv1 "github.com/winnowhq/winnow/proto/winnow/v1"
)

// Submission is a proposal with its publisher.
type Submission struct {
	Principal string
	Proposal  *winnowv1.ProposalCreated
}

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
