package postgres

import (
	"time"

	"github.com/jackc/pgx/v5/pgtype"

	"github.com/winnowhq/winnow/services/internal/memory"
)

// Select lists and scanners of the tables. Queries alias the tables as p, m and d.
var (
	proposalColumns, proposalTargets, scanProposal = proposalTable.columns, proposalTable.targets, proposalTable.scan
	memoryColumns, memoryTargets, scanMemory       = memoryTable.columns, memoryTable.targets, memoryTable.scan
	decisionColumns, scanDecision                  = decisionTable.columns, decisionTable.scan
)

// origin scans the stored number of a memory.Origin. pgx would otherwise use the
// text form of memory.Origin.
type origin memory.Origin

// ScanInt64 implements [pgtype.Int64Scanner].
func (o *origin) ScanInt64(v pgtype.Int8) error {
	*o = origin(v.Int64)
	return nil
}

// nullTime scans null as the zero time, and any other time in UTC.
type nullTime struct{ at *time.Time }

func nullable(at *time.Time) *nullTime { return &nullTime{at} }

// ScanTimestamptz implements [pgtype.TimestamptzScanner].
func (n *nullTime) ScanTimestamptz(v pgtype.Timestamptz) error {
	*n.at = time.Time{}
	if v.Valid {
		*n.at = v.Time.UTC()
	}
	return nil
}
