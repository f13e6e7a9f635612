package redact

import (
	"strings"
	"testing"
)

// firstOnly finds a secret at the beginning of a segment only, so that each
// replacement uncovers the next one.
type firstOnly struct{ scanned *int }

func (f firstOnly) scan(segment string, emit func(span)) {
	*f.scanned += len(segment)
	if strings.HasPrefix(segment, "key1") {
		emit(span{rule: "first", end: 4})
	}
}

// A text in which each replacement uncovers the next secret costs a bounded
// number of readings, keeps none, and is a fixed point.
func TestEndlessChains(t *testing.T) {
	t.Parallel()
	scanned := 0
	r := &Redactor{key: []byte("k"), scanners: []scanner{firstOnly{&scanned}}}
	text := strings.Repeat("key1", 10_000)
	out, findings := r.Text("acme", text)
	if strings.Contains(out, "key1") || findings[len(findings)-1].Rule != chainedRule {
		t.Fatalf("%d findings, the last %+v", len(findings), findings[len(findings)-1])
	}
	if scanned > (maxPasses+2)*len(text) {
		t.Errorf("read %d bytes of a text of %d", scanned, len(text))
	}
	if again, _ := r.Text("acme", out); again != out {
		t.Error("not a fixed point")
	}
}

// Every repeated secret is found in one pass, also when secrets begin alike,
// overlap, or end the text.
func TestRepeatIndex(t *testing.T) {
	t.Parallel()
	index := newRepeatIndex(4)
	secrets := []string{"vendor_pat_A1b2C3d4E5", "vendor_pat_A1b2C3d4E6", "x9y8z7w6v5u4", "A1b2C3d4E5"}
	for i, s := range secrets {
		index.add(s, i)
	}
	index.add("short1", 9)
	text := secrets[0] + " " + secrets[1] + secrets[2] + " short1 " + secrets[2] + secrets[0]
	got := map[string]int{}
	index.each(text, func(id, start, end int) {
		if text[start:end] != secrets[id] {
			t.Errorf("%q for %q", text[start:end], secrets[id])
		}
		got[secrets[id]]++
	})
	for i, want := range []int{2, 1, 2, 2} {
		if got[secrets[i]] != want {
			t.Errorf("%s: %d times, want %d", secrets[i], got[secrets[i]], want)
		}
	}
}
