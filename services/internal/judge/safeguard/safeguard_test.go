package safeguard

import (
	"bufio"
	"encoding/json"
	"os"
	"strings"
	"testing"

	"github.com/winnowhq/winnow/services/internal/memory"
)

func words(text string) string {
	clean := memory.Clean(text)
	return Words(clean, memory.Scan(clean))
}

// SPEC §6 `sensitive`: dated, named facts that would make a reader less safe, and harmless
// ones of the same vocabulary. Label `missed` is one that is not found, `asked` a harmless one
// that is: both are the state of today, and a change of them is worth a look.
func TestSentences(t *testing.T) {
	t.Parallel()
	f, err := os.Open("testdata/sentences.jsonl")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := f.Close(); err != nil {
			t.Error(err)
		}
	})
	count := map[string]int{}
	lines := bufio.NewScanner(f)
	for lines.Scan() {
		var c struct{ Text, Label, Why string }
		if err := json.Unmarshal(lines.Bytes(), &c); err != nil {
			t.Fatal(err)
		}
		count[c.Label]++
		w := words(c.Text)
		if found := w != ""; found != (c.Label == "sensitive" || c.Label == "asked") {
			t.Errorf("%q (%s): %q, want %s", c.Text, c.Why, w, c.Label)
		}
	}
	if err := lines.Err(); err != nil {
		t.Fatal(err)
	}
	if count["missed"]*5 > count["sensitive"] || count["asked"]*5 > count["plain"] {
		t.Errorf("%v: at most a fifth may be missed, and a fifth asked", count)
	}
}

// The same setting in both directions: open it is sensitive, closed it is news. An opponent
// has many names for a switch, so the form decides.
func TestSettings(t *testing.T) {
	t.Parallel()
	for open, closed := range map[string]string{
		"`FROB_AUTH_BYPASS=1` is in `x.env` since 2026-05-01.":              "`FROB_AUTH_BYPASS=1` was removed from `x.env` on 2026-05-01.",
		"`frob.verify: false` stands in `x.yaml` since 2026-05-01.":         "`frob.verify: true` stands in `x.yaml` since 2026-05-01.",
		"`skip_signature` is true in `x.yaml` since 2026-05-01.":            "`skip_signature` is false in `x.yaml` since 2026-05-01.",
		"`AllowUsers *` came into `sshd_config` on 2026-05-01.":             "`AllowUsers mara` came into `sshd_config` on 2026-05-01.",
		"2026-05-01: `chmod 777 /srv/in` on `n4`.":                          "2026-05-01: `chmod 750 /srv/in` on `n4`.",
		"`FROB_DEBUG=true` in production since 2026-05-01.":                 "`FROB_DEBUG=false` in production since 2026-05-01.",
		"The limit of the bcrypt password went from 14 to 6 characters.":    "The page of the forum went from 14 to 6 columns.",
		"The audit log is kept for 12 hours since 2026-05-01.":              "The audit log is kept for 400 days since 2026-05-01.",
		"Unsigned images are accepted in `prod` since 2026-05-01.":          "Unsigned images are rejected in `prod` since 2026-05-01.",
		"The rule `PermitRootLogin yes` is in `sshd_config` since May 2026": "The rule `PermitRootLogin no` is in `sshd_config` since May 2026",
	} {
		if words(open) == "" {
			t.Errorf("%q is not sensitive", open)
		}
		if w := words(closed); w != "" {
			t.Errorf("%q is sensitive by %q", closed, w)
		}
	}
}

// A reason that excuses a lowered protection does not: what stands behind "because" and
// behind a comma is another clause.
func TestAnExcuseIsAnotherClause(t *testing.T) {
	t.Parallel()
	for _, text := range []string{
		"`secrets.env` is versioned since 2026-05-01 because the repository is private.",
		"The SSH keys of the gateway are in the shared chat since 2026-05-01, which is limited to staff.",
		"On 2026-05-01 everyone got write access to `prod`, the network is restricted.",
	} {
		if words(text) == "" {
			t.Errorf("%q is not sensitive", text)
		}
	}
}

// An end that says when something else happens switches nothing off.
func TestAnEndIsATime(t *testing.T) {
	t.Parallel()
	for text, sensitive := range map[string]bool{
		"The report waits for the lock of the backup, so start it after cmd/backup has ended.": false,
		"The migration begins once the audit export has stopped.":                              false,
		"The backup of `billing` was ended on 2026-05-01.":                                     true,
		"After the move, the firewall was stopped on 2026-05-01.":                              true,
	} {
		if got := words(text) != ""; got != sensitive {
			t.Errorf("%q: sensitive %v", text, got)
		}
	}
}

// A stranger's text without a full stop is read in pieces: a protection and a removal far
// from each other do not meet, and those near each other do, wherever they stand.
func TestLongTexts(t *testing.T) {
	t.Parallel()
	filler := strings.Repeat("lorem ipsum dolor sit amet ", 2000)
	if w := words(filler + "the firewall " + filler + " was switched off " + filler); w != "" {
		t.Errorf("sensitive by %q", w)
	}
	if words(filler+"the firewall was switched off "+filler) == "" {
		t.Error("a short statement in a long text is not found")
	}
}

func BenchmarkWords(b *testing.B) {
	text := memory.Clean("2026-03-04: the deploy job of `gateway` keeps its artifacts for 30 days because the registry was full twice in February.")
	tokens := memory.Scan(text)
	b.ReportAllocs()
	for b.Loop() {
		Words(text, tokens)
	}
}
