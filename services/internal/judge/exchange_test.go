package judge

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/winnowhq/winnow/services/internal/judge/wording"
	"github.com/winnowhq/winnow/services/internal/memory"
)

// factTemplate is a dated fact about a subject, with its value.
type factTemplate struct {
	text             string // %[1]s is the subject, %[2]s the value
	subjects, values []string
}

// services, hosts and people are subjects; none is a part of another.
var (
	someServices = []string{"`ledger`", "`notifier`", "`catalog`", "`mail-relay`", "`thumbnailer`", "`geo-index`", "`checkout`"}
	someHosts    = []string{"db-03", "db-07", "web-12", "nas-2", "build-9", "edge-5", "cache-4"}
	somePeople   = []string{"Priya", "Tomasz", "Amara", "Jonas", "Noor", "Elif", "Mateo"}
)

var factTemplates = []factTemplate{
	{"2026-02-03: %[1]s listens on port %[2]s.", someServices, []string{"7001", "7044", "8080", "9090", "9191", "6543"}},
	{"As of 2026-02-03 %[1]s keeps its messages for %[2]s days.", someServices, []string{"3", "7", "14", "21", "30", "90"}},
	{"On 2026-02-03 the memory limit of %[1]s was set to %[2]s MiB.", someServices, []string{"256", "384", "512", "768", "1024", "2048"}},
	{"2026-02-03: %[1]s writes its logs to %[2]s.", someServices, []string{"`loki`", "`s3://ops-logs`", "`/var/log/app`", "`syslog`", "`kafka`", "`stdout`"}},
	{"2026-02-03: %[1]s runs on Postgres %[2]s.", someServices, []string{"12.4", "13.11", "14.2", "15.6", "16.1", "17.0"}},
	{"The certificate of %[1]s.example.org was renewed on 2026-02-03 and has %[2]s days.", []string{"shop", "mail", "wiki", "docs", "auth", "git", "status"}, []string{"30", "60", "90", "180", "365", "397"}},
	{"Host %[1]s has %[2]s GiB of memory since 2026-02-03.", someHosts, []string{"16", "32", "64", "96", "128", "256"}},
	{"%[1]s has owned %[2]s since 2026-02-03.", somePeople, []string{"`infra.git`", "`billing.git`", "`search.git`", "`docs.git`", "`mobile.git`", "`ml.git`"}},
	{"Seit dem 03.02.2026 läuft der Dienst %[1]s auf Port %[2]s.", someServices, []string{"7001", "7044", "8080", "9090", "9191", "6543"}},
	{"Der Rechner %[1]s hat seit dem 03.02.2026 %[2]s GiB Speicher.", someHosts, []string{"16", "32", "64", "96", "128", "256"}},
	{"Am 03.02.2026 wurde das Zeitlimit von %[1]s auf %[2]s Sekunden gesetzt.", someServices, []string{"5", "10", "15", "20", "30", "60"}},
	{"Die Ablage %[1]s behält Protokolle seit dem 03.02.2026 %[2]s Tage.", someServices, []string{"3", "7", "14", "21", "30", "90"}},
}

// furtherSentences say something that no template says.
var furtherSentences = []string{
	" Its dashboard is `grafana/overview.json`.",
	" The change went through pull request 4812.",
	" It failed over twice in `eu-west-1` that week.",
}

func (f *factTemplate) fill(subject, value string) string {
	return fmt.Sprintf(f.text, subject, value)
}

// SPEC §6, §8: exchanging the subject of a stored fact makes a new fact. Exchanging only
// its value makes an update or a conflict, never a duplicate and never a second memory
// beside the first. Adding a sentence never makes a duplicate.
func TestExchangedSubjectsAndValues(t *testing.T) {
	t.Parallel()
	byBoth(t, func(t *testing.T, a *wording.Analyzer) {
		tried := map[string]int{}
		check := func(kind, stored, text string, allowed ...string) {
			tried[kind]++
			d := judgeBeside(t, a, stored, text)
			if !slices.Contains(allowed, d.Rule) {
				t.Errorf("%s: %q beside %q was %s by %s (%s), want one of %v", kind, text, stored, d.Verdict, d.Rule, d.Reason, allowed)
			}
		}
		for i := range factTemplates {
			f := &factTemplates[i]
			for j, subject := range f.subjects {
				stored := f.fill(subject, f.values[j%len(f.values)])
				for k, other := range f.subjects {
					if k != j {
						check("subject", stored, f.fill(other, f.values[(j+k)%len(f.values)]), "fact")
					}
				}
				for k, value := range f.values {
					if k == j%len(f.values) {
						continue
					}
					later := strings.NewReplacer("2026-02-03", "2026-04-09", "03.02.2026", "09.04.2026")
					check("value", stored, f.fill(subject, value), "conflict", "update")
					check("value, dated later", stored, later.Replace(f.fill(subject, value)), "conflict", "update")
				}
				for _, more := range furtherSentences {
					check("sentence", stored, stored+more, "merge", "fact", "ambiguous", "undated", "conflict")
				}
			}
		}
		t.Logf("tried %v", tried)
	})
}

// judgeBeside judges a text in a lane that holds one memory.
func judgeBeside(t *testing.T, a *wording.Analyzer, stored, text string) memory.Decision {
	t.Helper()
	lane := laneBy(t, "standard", a)
	lane.Upsert(Entry{ID: "mem_1", Role: memory.RoleMemory, Text: stored, Kind: memory.KindFact, Authority: memory.OriginAgent})
	d, _ := lane.Judge(Item{Proposal: proposal("prop_1", text)}, testNow)
	return d
}

// otherSubjects are pairs of a stored text and a stated change of another thing that shares
// its values.
var otherSubjects = [][2]string{
	{"2026-01-10: the library sorts by ISBN.", "2026-03-10: the bookshop sorts by EAN instead of ISBN."},
	{"The staging cluster runs on Kubernetes 1.29 (2026-01-05).", "2026-02-11: the production cluster moved from Kubernetes 1.29 to 1.31."},
	{"The invoice archive keeps files for 30 days since 2026-01-12.", "2026-02-14: the photo archive now keeps files for 90 days instead of 30 days."},
	{"The lobby printer uses tray 2 as of 2026-01-12.", "2026-03-02: the basement printer was switched from tray 2 to tray 3."},
	{"The night backup runs at 02:00 (2026-01-09).", "2026-02-20: the night index rebuild moved from 02:00 to 03:30."},
	{"The web team pages Priya at night (rota of 2026-01-01).", "2026-03-01: the data team pages Lennart at night, no longer Priya."},
	{"The cafeteria orders from Metro (2026-01-20).", "2026-04-01: the canteen in Bonn orders from Selgros instead of Metro."},
	{"Billing talks to Stripe over TLS 1.2 (2026-01-20).", "2026-04-02: payroll was upgraded from TLS 1.2 to TLS 1.3."},
	{"The mobile client sends crash reports to Sentry (2026-01-15).", "2026-03-15: the desktop client sends crash reports to Bugsnag instead of Sentry."},
	{"The weekly report goes out on Mondays (2026-01-05).", "2026-02-05: the monthly report no longer goes out on Mondays but on Wednesdays."},
	{"The English docs are built with Sphinx (2026-01-05).", "2026-02-25: the German docs were migrated from Sphinx to MkDocs."},
	{"The search index has 4 shards as of 2026-01-08.", "2026-02-28: the log index went from 4 shards to 8."},
	{"The guest network uses VLAN 40 (2026-01-18).", "2026-03-18: the camera network was moved from VLAN 40 to VLAN 52."},
	{"The museum scans negatives at 2400 dpi (2026-01-18).", "2026-03-19: the archive scans negatives at 3200 dpi instead of 2400 dpi."},
	{"Der Verein bucht Hallen über Courtly (Stand 10.01.2026).", "10.03.2026: die Schule bucht Hallen über Eversports statt über Courtly."},
	{"Die Bibliothek schließt um 18 Uhr (Stand 10.01.2026).", "12.03.2026: Die Mensa schließt um 20 Uhr statt um 18 Uhr."},
	{"The nurse desk prints labels on a Zebra printer (2026-01-11).", "2026-04-11: the pharmacy desk prints labels on a Brother printer instead of a Zebra."},
	{"Orders are exported as CSV (2026-01-11).", "2026-04-12: returns are exported as Parquet instead of CSV."},
	{"The tractor is serviced by Klaas (2026-01-11).", "2026-04-13: the harvester is serviced by Deutz instead of Klaas."},
	{"`orders-api` retries 3 times (2026-01-11).", "2026-04-14: `stock-api` retries 5 times instead of 3 times."},
}

// sameSubjects are such pairs about one thing.
var sameSubjects = [][2]string{
	{"2026-01-10: the library sorts by ISBN.", "2026-03-10: the library sorts by EAN instead of ISBN."},
	{"The staging cluster runs on Kubernetes 1.29 (2026-01-05).", "2026-02-11: the staging cluster moved from Kubernetes 1.29 to 1.31."},
	{"The invoice archive keeps files for 30 days since 2026-01-12.", "2026-02-14: the invoice archive now keeps files for 90 days instead of 30 days."},
	{"The lobby printer uses tray 2 as of 2026-01-12.", "2026-03-02: the printer in the lobby was switched from tray 2 to tray 3."},
	{"The night backup runs at 02:00 (2026-01-09).", "2026-02-20: the night backup moved from 02:00 to 03:30."},
	{"The web team pages Priya at night (rota of 2026-01-01).", "2026-03-01: at night the web team pages Lennart, no longer Priya."},
	{"The cafeteria orders from Metro (2026-01-20).", "2026-04-01: the cafeteria orders from Selgros instead of Metro."},
	{"Billing talks to Stripe over TLS 1.2 (2026-01-20).", "2026-04-02: billing was upgraded from TLS 1.2 to TLS 1.3 for Stripe."},
	{"The mobile client sends crash reports to Sentry (2026-01-15).", "2026-03-15: crash reports of the mobile client go to Bugsnag instead of Sentry."},
	{"The weekly report goes out on Mondays (2026-01-05).", "2026-02-05: the weekly report no longer goes out on Mondays but on Wednesdays."},
	{"The English docs are built with Sphinx (2026-01-05).", "2026-02-25: the English docs were migrated from Sphinx to MkDocs."},
	{"The search index has 4 shards as of 2026-01-08.", "2026-02-28: the search index went from 4 shards to 8."},
	{"The guest network uses VLAN 40 (2026-01-18).", "2026-03-18: we moved the guest network from VLAN 40 to VLAN 52."},
	{"The museum scans negatives at 2400 dpi (2026-01-18).", "2026-03-19: instead of 2400 dpi the museum scans negatives at 3200 dpi."},
	{"Der Verein bucht Hallen über Courtly (Stand 10.01.2026).", "10.03.2026: der Verein bucht Hallen über Eversports statt über Courtly."},
	{"Die Bibliothek schließt um 18 Uhr (Stand 10.01.2026).", "12.03.2026: Die Bibliothek schließt um 20 Uhr statt um 18 Uhr."},
	{"The nurse desk prints labels on a Zebra printer (2026-01-11).", "2026-04-11: the nurse desk prints labels on a Brother printer instead of a Zebra."},
	{"Orders are exported as CSV (2026-01-11).", "2026-04-12: orders are exported as Parquet instead of CSV."},
	{"The tractor is serviced by Klaas (2026-01-11).", "2026-04-13: Deutz has taken over the service of the tractor from Klaas."},
	{"`orders-api` retries 3 times (2026-01-11).", "2026-04-14: `orders-api` retries 5 times instead of 3 times."},
}

// SPEC §6: a stated change takes the place of a memory only where it is about the same
// thing. Another subject that shares the old value never takes it; nearly every change of the
// same subject does.
func TestAnotherSubjectSupersedesNothing(t *testing.T) {
	t.Parallel()
	byBoth(t, func(t *testing.T, a *wording.Analyzer) {
		for _, pair := range otherSubjects {
			if d := judgeBeside(t, a, pair[0], pair[1]); d.Target != "" && d.Verdict != memory.VerdictNeedsReview {
				t.Errorf("%q beside %q was %s by %s", pair[1], pair[0], d.Verdict, d.Rule)
			}
		}
		updated := 0
		for _, pair := range sameSubjects {
			switch d := judgeBeside(t, a, pair[0], pair[1]); {
			case d.Rule == "update":
				updated++
			case d.Verdict != memory.VerdictNeedsReview:
				t.Errorf("%q beside %q was %s by %s", pair[1], pair[0], d.Verdict, d.Rule)
			}
		}
		if updated < 18 {
			t.Errorf("%d of %d changes superseded, want 18", updated, len(sameSubjects))
		}
	})
}

// SPEC §6: another name or day of the same thing is a conflict, never a memory beside the
// first; another attribute of a thing, with a value of its own, is a new fact.
func TestOtherNamesAndOtherAttributes(t *testing.T) {
	t.Parallel()
	cases := []struct{ stored, text, rule string }{
		{"The shared fonts live on \\\\media-01\\fonts, 40 GB, reached over the VPN.", "The shared fonts live on \\\\media-02\\fonts (`fonts.ini`, 2026-03-31).", "conflict"},
		{"The artifact cache sits on cache-a.lan, 2 TB SSD, behind nginx.", "The artifact cache sits on cache-b.lan (`nix.conf`, 2026-03-31).", "conflict"},
		{"The seed catalogue is stored in Nextcloud under `garden/seeds` (2026-01-18).", "2026-03-20: seed catalogue is in Seafile under `garden/seeds`.", "conflict"},
		{"The choir rehearsal takes place on Tuesdays at 19:30, the piano comes from Ahrens.", "Choir rehearsal: Thursdays at 19:30 (`calendar.ics`, read on 2026-04-15).", "conflict"},
		{"The ledger's read timeout is 8 s (`ledger.yaml`, 2026-03-04).", "The ledger's write timeout is 3 s (`ledger.yaml`, 2026-03-04).", "fact"},
		{"The thumb worker reads from queue `img-in` with a timeout of 90 s (2026-04-03).", "The thumb worker writes to queue `img-out` with a timeout of 30 s (2026-04-03).", "fact"},
		{"`pytest` with -x finishes in 6 min on the runner, 2026-05-02.", "`pytest` with --cov finishes in 9 min on the runner, 2026-05-02.", "fact"},
		// Of one attribute, the same words say the opposite.
		{"`pytest` runs with -x on the runner, 2026-05-02.", "`pytest` runs with --cov on the runner, 2026-05-02.", "conflict"},
		{"The ledger's read timeout is 8 s (`ledger.yaml`, 2026-03-04).", "The ledger's read timeout is 3 s (`ledger.yaml`, 2026-03-04).", "conflict"},
	}
	byBoth(t, func(t *testing.T, a *wording.Analyzer) {
		for _, c := range cases {
			if d := judgeBeside(t, a, c.stored, c.text); d.Rule != c.rule {
				t.Errorf("%q beside %q was %s by %s, want %s", c.text, c.stored, d.Verdict, d.Rule, c.rule)
			}
		}
	})
}
