package postgres

import (
	"bytes"
	"crypto/sha256"
	"encoding/base64"
	"encoding/binary"
	"encoding/json"
	"math"
	"time"

	"github.com/winnowhq/winnow/services/internal/change"
	"github.com/winnowhq/winnow/services/internal/memory"
)

// digestsField is the field of an audit body that holds the digests of the rows that
// the link wrote: by the row's key, its digest, or empty for a row that the link
// deleted.
const digestsField = "sha256"

// rowDigests returns the digests of the set's rows by the event whose body holds them.
// It is the event about the row's proposal or memory, so that erasing what is said of
// one leaves nothing of the other; else the first. Without an event there is no body,
// and the rows are not covered.
func rowDigests(tenant memory.Tenant, set *change.Set) []map[string]string {
	if len(set.Audit) == 0 {
		return nil
	}
	about := make(map[string]int, len(set.Audit))
	for i := len(set.Audit) - 1; i >= 0; i-- {
		about[set.Audit[i].Subject] = i
	}
	all := make([]map[string]string, len(set.Audit))
	add := func(key, digest string, subjects ...string) {
		at := 0
		for _, s := range subjects {
			if i, ok := about[s]; ok && s != "" {
				at = i
				break
			}
		}
		if all[at] == nil {
			all[at] = map[string]string{}
		}
		all[at][key] = digest
	}
	for i := range set.Proposals {
		p := &set.Proposals[i]
		add(p.ID, digestOfProposal(tenant, p), p.ID)
	}
	for i := range set.Memories {
		m := &set.Memories[i]
		add(m.ID, digestOfMemory(tenant, m), m.ID, m.ProposalID)
	}
	for i := range set.Decisions {
		d := &set.Decisions[i]
		add(d.ID, digestOfDecision(tenant, d), d.ProposalID, d.MemoryID)
	}
	for i := range set.Evidence {
		e := &set.Evidence[i]
		add(evidenceKey(e), digestOfEvidence(tenant, e), e.Subject, e.ProposalID)
	}
	for i := range set.DroppedEvidence {
		e := &set.DroppedEvidence[i]
		add(evidenceKey(e), "", e.Subject, e.ProposalID)
	}
	return all
}

func evidenceKey(e *memory.Evidence) string { return e.Subject + "/" + e.ID }

// withDigests adds the digests to a JSON body. A body that is no object becomes the
// field body of one.
func withDigests(body []byte, digests map[string]string) []byte {
	if len(digests) == 0 {
		return body
	}
	list, _ := json.Marshal(digests) // strings cannot fail
	var out bytes.Buffer
	switch {
	case bytes.Equal(body, []byte("null")), bytes.Equal(body, []byte("{}")):
		out.WriteByte('{')
	case body[0] == '{':
		out.Write(body[:len(body)-1])
		out.WriteByte(',')
	default:
		out.WriteString(`{"body":`)
		out.Write(body)
		out.WriteByte(',')
	}
	out.WriteString(`"` + digestsField + `":`)
	out.Write(list)
	out.WriteByte('}')
	return out.Bytes()
}

// canonical collects the columns of a row that nothing changes after the insert, each
// with its length, so that no two rows have the same bytes.
type canonical struct{ buf []byte }

func newCanonical(kind string, tenant memory.Tenant) *canonical {
	c := &canonical{buf: make([]byte, 0, 1024)}
	return c.text("winnow/row/v1", kind, string(tenant))
}

func (c *canonical) text(values ...string) *canonical {
	for _, v := range values {
		c.buf = binary.BigEndian.AppendUint64(c.buf, uint64(len(v)))
		c.buf = append(c.buf, v...)
	}
	return c
}

func (c *canonical) list(values []string) *canonical {
	c.number(int64(len(values)))
	return c.text(values...)
}

func (c *canonical) number(values ...int64) *canonical {
	for _, v := range values {
		c.buf = binary.BigEndian.AppendUint64(c.buf, uint64(v))
	}
	return c
}

// at adds times in the database's resolution, microseconds.
func (c *canonical) at(times ...time.Time) *canonical {
	for _, t := range times {
		if t.IsZero() {
			c.number(math.MinInt64)
			continue
		}
		c.number(t.UnixMicro())
	}
	return c
}

func (c *canonical) sum() string {
	sum := sha256.Sum256(c.buf)
	return base64.RawURLEncoding.EncodeToString(sum[:])
}

// digestOfProposal leaves out what triage and people change: state, kind, section,
// target, decision, counts and authority.
func digestOfProposal(tenant memory.Tenant, p *memory.Proposal) string {
	return newCanonical("proposal", tenant).
		text(p.ID, string(p.Scope), p.Title, p.Text, p.Description, p.Category, p.Outcome, p.Principal, p.EventID, p.SessionID).
		list(p.Tags).list(p.Topics).list(p.MacroTopics).
		number(int64(p.Importance), int64(p.Origin), int64(math.Float64bits(p.Confidence))).
		at(p.ObservedAt, p.CreatedAt).sum()
}

// digestOfMemory leaves out what is learned, confirmed and archived, and the topics,
// which a summary loses in the archive.
func digestOfMemory(tenant memory.Tenant, m *memory.Memory) string {
	kind := m.Kind
	if kind == memory.KindSummaryArchived {
		kind = memory.KindSummary
	}
	return newCanonical("memory", tenant).
		text(m.ID, string(m.Scope), string(kind), m.Section, m.Title, m.Description, m.Text, m.Category, m.Outcome, m.Principal, m.ProposalID, m.DecisionID).
		list(m.Tags).
		number(int64(m.Importance), int64(m.Origin)).
		at(m.ObservedAt, m.CreatedAt).sum()
}

// digestOfDecision covers what was decided, by what and why. The compared candidates
// and the inputs are left out: a replay of the decision checks them.
func digestOfDecision(tenant memory.Tenant, d *memory.Decision) string {
	var e encoder
	return newCanonical("decision", tenant).
		text(d.ID, string(d.Scope), d.ProposalID, string(d.Verdict), d.Rule, string(d.Advice), d.Reason, d.Target, d.MemoryID,
			d.Policy, d.PolicyVersion, d.Calibration, e.raw(d.Features), d.Principal, string(d.Actor), d.Undoes).
		list(d.Fired).number(int64(d.Authority)).at(d.At).sum()
}

func digestOfEvidence(tenant memory.Tenant, e *memory.Evidence) string {
	return newCanonical("evidence", tenant).
		text(e.Subject, e.ID, e.ProposalID, e.Principal, e.SessionID, e.Role, e.Span).
		number(int64(e.Origin)).at(e.ObservedAt).sum()
}
