package signed

import (
	"fmt"
	"slices"
	"strings"
	"time"

	"github.com/winnowhq/winnow/services/internal/memory"
)

// Found is a note and the place where it was: "database", "stream", "vault", "file".
type Found struct{ Place, Note string }

// Chain is what verification knows of a tenant's chain: its last link, the times of its
// first and last one, and the hashes of links.
type Chain struct {
	Tenant      memory.Tenant
	Links       int64
	First, Last time.Time
	Hash        func(seq int64) string // in hex; empty for a link that is not there
}

// Report is what the signed heads say of a chain.
type Report struct {
	// Newest is the newest head that is in the chain, nil without one; Place is where it
	// was.
	Newest *Head  `json:"newest,omitempty"`
	Place  string `json:"place,omitempty"`
	// Problems are contradictions between the chain and heads of trusted keys.
	Problems []string `json:"problems,omitempty"`
	// Notes are facts that a person should know and that contradict nothing.
	Notes []string `json:"notes,omitempty"`
}

// grace is how long a chain may be without a head: heads are signed hourly.
const grace = 2 * time.Hour

// Seqs returns the links that the notes name, each once, for [Chain.Hash].
func Seqs(found []Found) []int64 {
	var seqs []int64
	for _, f := range found {
		if h, err := Open(f.Note); err == nil {
			seqs = append(seqs, h.Seq)
		}
	}
	slices.Sort(seqs)
	return slices.Compact(seqs)
}

// Check holds a chain against the heads that were found. trusted has public keys as they
// are printed; without any, every head counts whose signature is good, and a note says so.
// A head that the chain does not have is a problem, in a sentence that says what may have
// happened: a log that was cut off looks like one that was restored from an older backup,
// and only a person knows which it was.
func Check(c Chain, trusted []string, found []Found) Report {
	var r Report
	heads := r.open(c, trusted, found)
	if len(heads) == 0 {
		r.unsigned(c, trusted)
		return r
	}
	var accepted Head
	for _, h := range heads {
		if h.Accepted && h.At.After(accepted.At) {
			accepted = h.Head
		}
	}
	lost := 0
	told := map[string]bool{}
	for _, h := range heads {
		if h.Seq > accepted.Since && h.At.Before(accepted.At) {
			lost++
			continue
		}
		switch hash := c.Hash(h.Seq); {
		case hash == h.Hash:
			if r.Newest == nil || h.Seq > r.Newest.Seq {
				r.Newest, r.Place = &h.Head, h.place
			}
		case h.Seq > c.Links:
			r.problem(told, "the log ends at link %d, and link %d was signed at %s (%s): the newest links were cut off, or this database is older than the last signed head, as after restoring a backup. If you restored one: winnow audit accept",
				c.Links, h.Seq, h.At.Format(time.RFC3339), h.place)
		default:
			r.problem(told, "link %d is not the one that was signed at %s (%s): the log was written anew, or written on after an older backup was restored. If you restored one: winnow audit accept",
				h.Seq, h.At.Format(time.RFC3339), h.place)
		}
	}
	if lost > 0 {
		r.note("%d signed heads belong to links that a restore lost, as was accepted at %s", lost, accepted.At.Format(time.RFC3339))
	}
	if len(r.Problems) == 0 && r.Newest != nil && c.Last.Sub(r.Newest.At) > grace {
		r.note("the newest signed head is of %s, and links came until %s: is winnow-relay running, with audit.key?",
			r.Newest.At.Format(time.RFC3339), c.Last.Format(time.RFC3339))
	}
	return r
}

// placed is a head with the place where it was found.
type placed struct {
	Head
	place string
}

// open returns the heads of trusted keys, and notes the others.
func (r *Report) open(c Chain, trusted []string, found []Found) []placed {
	var heads []placed
	unknown, bad := map[string]int{}, map[string]int{}
	for _, f := range found {
		h, err := Open(f.Note)
		switch {
		case err != nil || h.Tenant != c.Tenant:
			bad[f.Place]++
		case len(trusted) > 0 && !slices.Contains(trusted, h.Public):
			unknown[h.Public]++
		default:
			heads = append(heads, placed{h, f.Place})
		}
	}
	for place, n := range bad {
		r.note("%d notes in the %s are no signed heads of tenant %s and count for nothing", n, place, c.Tenant)
	}
	for key, n := range unknown {
		r.note("%d heads are signed by %s, which audit.public_keys does not name, and count for nothing", n, key)
	}
	if len(trusted) == 0 && len(heads) > 0 {
		var keys []string
		for _, h := range heads {
			keys = append(keys, h.Public)
		}
		slices.Sort(keys)
		r.note("audit.public_keys names no key; taken on trust: %s", strings.Join(slices.Compact(keys), ", "))
	}
	slices.Sort(r.Notes)
	return heads
}

// unsigned says what follows where no head was found.
func (r *Report) unsigned(c Chain, trusted []string) {
	switch {
	case c.Links == 0:
	case len(trusted) == 0:
		r.note("no signed head was found: cutting off the newest links would not be noticed. Give winnow-relay audit.key")
	case c.Last.Sub(c.First) > grace:
		r.Problems = append(r.Problems, fmt.Sprintf(
			"no head signed by a key of audit.public_keys was found in database, stream or vault, though the log began at %s: they were removed, or winnow-relay has no audit.key",
			c.First.Format(time.RFC3339)))
	default:
		r.note("no head is signed yet; winnow-relay signs one each hour")
	}
}

// problem adds a sentence once for each link, since one head is found in several places.
func (r *Report) problem(told map[string]bool, format string, args ...any) {
	text := fmt.Sprintf(format, args...)
	key := text[:strings.Index(text, "(")]
	if !told[key] {
		told[key] = true
		r.Problems = append(r.Problems, text)
	}
}

func (r *Report) note(format string, args ...any) {
	r.Notes = append(r.Notes, fmt.Sprintf(format, args...))
}
