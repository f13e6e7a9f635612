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
