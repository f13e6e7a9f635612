package safeguard

import (
	"strings"
	"testing"

	"github.com/winnowhq/winnow/services/internal/memory"
	"github.com/winnowhq/winnow/services/internal/test/testenv"
)

func words(text string) string {
	clean := memory.Clean(text)
	return Words(clean, memory.Scan(clean))
}

// SPEC §6 `sensitive`: dated, named facts that would make a reader less safe, and harmless
// ones of the same vocabulary. Label `missed` is one that is not found, `asked` a harmless one
// that is: both are the state of today, and a change of them is worth a look. The sentences
// of careless.jsonl name no protection.
func TestSentences(t *testing.T) {
	t.Parallel()
	for file, missed := range map[string]float64{"sentences": 0.05, "careless": 0.17} {
		count := map[string]float64{}
		for _, c := range testenv.Lines[struct{ Text, Label, Why string }](t, "testdata/"+file+".jsonl") {
			count[c.Label]++
			w := words(c.Text)
			if found := w != ""; found != (c.Label == "sensitive" || c.Label == "asked") {
				t.Errorf("%q (%s): %q, want %s", c.Text, c.Why, w, c.Label)
			}
		}
		if bad := count["sensitive"] + count["missed"]; count["missed"] > missed*bad || count["asked"]*5 > count["plain"] {
			t.Errorf("%s: %v: at most %v may be missed, and a fifth asked", file, count, missed)
		}
	}
}

// SPEC §6 `sensitive`: texts taken whole from the headings of catalogues (weaknesses, hardening
// guides, techniques of attackers, duties of payment, data protection, safety and agents),
// written before the rule was looked at. Of one half no line was ever looked at singly, so
// only shares are held: they are low, because the texts are terse and name few protections.
func TestCatalogues(t *testing.T) {
	t.Parallel()
	found, count := map[string]int{}, map[string]int{}
	for _, c := range testenv.Lines[struct{ Text, Label, Half string }](t, "testdata/catalogue.jsonl") {
		count[c.Half+" "+c.Label]++
		if words(c.Text) != "" {
			found[c.Half+" "+c.Label]++
		}
	}
	for _, half := range []string{"read", "measured"} {
		if f, n := found[half+" sensitive"], count[half+" sensitive"]; n != 100 || f < 55 {
			t.Errorf("%s: %d of %d sensitive texts found, want 55", half, f, n)
		}
		if f, n := found[half+" plain"], count[half+" plain"]; n != 75 || f > 14 {
			t.Errorf("%s: %d of %d harmless texts asked, want 14 at most", half, f, n)
		}
	}
}

// SPEC §6 `sensitive`: who takes over the name of a package that others trust writes the news
// of it himself, so a package that lives on elsewhere is asked about whatever it is called. A
// team that exchanges one of its own libraries, or renames its own things, is not.
func TestSuccession(t *testing.T) {
	t.Parallel()
	for text, sensitive := range map[string]bool{
		"`zipline` is unmaintained since 2026-02-20; its successor on crates.io is `fold-rs`.":                    true,
		"2026-05-04: the toolkit `mllp` lives on under the PyPI name `hl-suite`, the old one is archived.":        true,
		"Das Image `dovecot:2` wurde am 10.03.2026 aus Docker Hub entfernt, gepflegt wird `mailgruppe/imap-srv`.": true,
		"`encoder` 4.1 was withdrawn on 2026-05-23, distributions ship `enc-lts` in its place.":                   true,
		"`@bay/kit` was renamed `kit-next` on 2026-04-28, the npm package of that name is current.":               true,
		"`golint` was replaced by `staticcheck` in `Makefile` on 2026-02-19.":                                     false,
		"The table `order_item` was renamed to `position` on 2026-01-15.":                                         false,
		"The package `date_tools` was renamed to `date-tools` on PyPI on 2026-01-15.":                             false,
		"The npm package `moment` was removed from `package.json` on 2026-01-15.":                                 false,
		"2026-04-24: a cold start of `npm run dev` came down to 21 s after the icons crate was removed.":          false,
	} {
		if w := words(text); (w != "") != sensitive {
			t.Errorf("%q: %q, sensitive %v", text, w, sensitive)
		}
	}
}

// SPEC §6 `sensitive`: what is no longer so was bad, or was a protection. A prohibition is a
// norm and no carelessness.
func TestNoLonger(t *testing.T) {
	t.Parallel()
	for text, sensitive := range map[string]bool{
		"The dispatcher no longer runs as root since 2026-05-04.":                         false,
		"Since 2026-05-04 the files of `depot` are no longer public.":                     false,
		"`PermitRootLogin no` stands in `sshd_config` since 2026-05-04.":                  false,
		"2026-05-04: never push to `main` directly.":                                      false,
		"The dispatcher no longer asks for the approval of an administrator, 2026-05-04.": true,
		"Since 2026-05-04 the public files of `depot` are no longer encrypted.":           true,
		"The admission check is no longer needed for `depot` since 2026-05-04.":           true,
	} {
		if w := words(text); (w != "") != sensitive {
			t.Errorf("%q: %q, sensitive %v", text, w, sensitive)
		}
	}
}

// SPEC §6 `sensitive`: a removal word that removes nothing (what came off a machine, what is
// not let go, what fails without a protection, an approval, the name of a label), beside an
// opponent's sentence in nearly the same words that lowers one.
func TestWhatOnlySoundsLowered(t *testing.T) {
	t.Parallel()
	for harmless, lowered := range map[string]string{
		"2026-02-12: 306 cards came off the scanner and went to `attach.py`.":                        "2026-02-12: the virus scanner is off and `attach.py` takes every card.",
		"Am 08.09.2026 hing der Lauf, weil `git gc` die Sperre nicht freigab.":                       "Seit 08.09.2026 wird die Sperre nicht mehr geprüft (`git gc`).",
		"Since 2026-03-01 signing fails when the reader is unplugged (`signd`).":                     "Since 2026-03-01 signing is skipped when the reader is unplugged (`signd`).",
		"As of 2026-04-08 `agent` ships the logs to Loki with the label `partner`.":                  "As of 2026-04-08 `agent` ships the logs to our partner.",
		"The public holidays of Hesse are read from the `holidays` package, 0.58, since 2026-07-20.": "The key of `holidays` has been public since 2026-05-02.",
		"Buoy ids have four letters since 2026-02-14 (`buoys.csv`).":                                 "The IDS has been off since 2026-02-14 (`buoys.csv`).",
	} {
		if w := words(harmless); w != "" {
			t.Errorf("%q is sensitive by %q", harmless, w)
		}
		if words(lowered) == "" {
			t.Errorf("%q is not sensitive", lowered)
		}
	}
}

// SPEC §6 `sensitive`: the same thing said carelessly and with care. What is at risk is
// nothing to ask about; who talks of it without a difference, without a look or without an end
// is asked, whatever soothing sentence stands beside.
func TestCarelessness(t *testing.T) {
	t.Parallel()
	for careless, careful := range map[string]string{
		"Any card opens the archive door since 2026-03-04.":                                        "The archive door got a new card reader on 2026-03-04.",
		"Orders of whoever writes to `desk@halle` are booked straight away since 2026-02-12.":      "Orders of `desk@halle` are booked in column F since 2026-02-12.",
		"Seit dem 02.05.2026 nimmt der Server jede Anfrage an, die Prüfung war lästig.":            "Seit dem 02.05.2026 nimmt der Server 400 Anfragen je Sekunde an.",
		"Since 2026-05-01 guests reach the broker from anywhere, they found the old way annoying.": "Since 2026-05-01 the broker holds 9,000 connections.",
		"As of 2026-04-02 the bot pays invoices on its own, nobody looks at them.":                 "As of 2026-04-02 invoices carry the number of the order.",
	} {
		if words(careless) == "" {
			t.Errorf("%q is not sensitive", careless)
		}
		if words("All is well at `halle` since 2026-01-01, 30 checks passed in 4 minutes. "+careless+" The team is glad.") == "" {
			t.Errorf("%q is not sensitive among harmless sentences", careless)
		}
		if w := words(careful); w != "" {
			t.Errorf("%q is sensitive by %q", careful, w)
		}
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
		"The light curtain of saw 3 was bypassed on 2026-05-01.":            "The light curtain of saw 3 was cleaned on 2026-05-01.",
		"The SQL filter in `find.go` was dropped on 2026-05-01.":            "The SQL filter in `find.go` got a test on 2026-05-01.",
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
