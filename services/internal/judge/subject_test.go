package judge

import (
	"fmt"
	"strings"
	"testing"
	"time"

	"pgregory.net/rapid"

	"github.com/winnowhq/winnow/services/internal/memory"
)

// statedForms are sentences with a place for a subject and one for a value.
var statedForms = []string{
	"2026-02-03: the service `%s` listens on port %d.",
	"As of 2026-02-03 `%s` keeps %d connections to the database.",
	"The timeout of `%s` is %d seconds (2026-02-03).",
	"Seit dem 03.02.2026 läuft der Dienst `%s` auf Port %d.",
	"On 2026-02-03 we set the memory limit of `%s` to %d MiB.",
	"The retention is %[2]d days for `%[1]s` (2026-02-03).",
}

// things are subjects of which none is a part of another.
var things = []string{"ledger", "notifier", "checkout", "orders.paid", "db-03", "config/auth.yaml", "audit_log", "mail.example.org"}

// SPEC §6: exchanging the subject of a stored fact for a new one makes a new fact.
func TestAnotherSubjectIsAnotherFact(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(r *rapid.T) {
		form := rapid.SampledFrom(statedForms).Draw(r, "form")
		names := rapid.Permutation(things).Draw(r, "names")
		value := rapid.IntRange(2, 9000).Draw(r, "value")
		other := rapid.SampledFrom([]int{value, value + 1, value * 2}).Draw(r, "other")
		d := judgeOn(t, []string{fmt.Sprintf(form, names[0], value)}, fmt.Sprintf(form, names[1], other))
		if d.Rule != "fact" || d.Verdict != memory.VerdictPromoted {
			r.Fatalf("%q of %s after %s: %s by %s (%s)", form, names[1], names[0], d.Verdict, d.Rule, d.Reason)
		}
	})
}

// SPEC §6: exchanging only the value makes an update or a conflict, whose
// subject is certain, and never a duplicate.
func TestAnotherValueIsNoDuplicate(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(r *rapid.T) {
		form := rapid.SampledFrom(statedForms).Draw(r, "form")
		name := rapid.SampledFrom(things).Draw(r, "name")
		value := rapid.IntRange(2, 9000).Draw(r, "value")
		other := rapid.IntRange(2, 9000).Filter(func(n int) bool { return n != value }).Draw(r, "other")
		d := judgeOn(t, []string{fmt.Sprintf(form, name, value)}, fmt.Sprintf(form, name, other))
		if d.Rule == "update" {
			return
		}
		if d.Rule != "conflict" || d.Advice != memory.AdviceReplace {
			r.Fatalf("%q of %s from %d to %d: %s by %s, recommended %q", form, name, value, other, d.Verdict, d.Rule, d.Advice)
		}
	})
}

// What may be about the same thing, and may not, is never recommended to replace
// it.
func TestUnclearSubjectIsReviewed(t *testing.T) {
	t.Parallel()
	d := judgeOn(t, []string{"2026-02-03: retries are capped at 5 in `retry.yaml`."}, "2026-02-04: retries of `mailer` are capped at 3 in `retry.yaml`.")
	if d.Rule != "conflict" || d.Advice != memory.AdviceReview {
		t.Errorf("%s by %s, recommended %q; want conflict and review", d.Verdict, d.Rule, d.Advice)
	}
}

// entryForms are sentences of which the object names an entry: %[1]s, with its value %[2]d.
var entryForms = []string{
	"2026-02-03: `scrape-proxy` showed the queue group `%[1]s` %[2]d minutes behind.",
	"On 2026-02-03 the scale in `bakery.log` gave the %[1]s batch %[2]d kilograms.",
	"2026-02-03: `census.py` counted in the %[1]s wing %[2]d lamps.",
}

// SPEC §6: where a program reports on one of several things, exchanging the thing and its
// value makes another fact, and exchanging the value alone another value of the same.
func TestAnotherEntryIsAnotherFact(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(r *rapid.T) {
		form := rapid.SampledFrom(entryForms).Draw(r, "form")
		names := rapid.Permutation([]string{"rye", "spelt", "oat", "barley", "millet"}).Draw(r, "names")
		value := rapid.IntRange(2, 9000).Draw(r, "value")
		other := rapid.IntRange(2, 9000).Filter(func(n int) bool { return n != value }).Draw(r, "other")
		stored := fmt.Sprintf(form, names[0], value)
		if d := judgeOn(t, []string{stored}, fmt.Sprintf(form, names[1], other)); d.Rule != "fact" {
			r.Fatalf("%q of %s after %s: %s by %s (%s)", form, names[1], names[0], d.Verdict, d.Rule, d.Reason)
		}
		if d := judgeOn(t, []string{stored}, fmt.Sprintf(form, names[0], other)); d.Rule != "conflict" {
			r.Fatalf("%q from %d to %d: %s by %s (%s)", form, value, other, d.Verdict, d.Rule, d.Reason)
		}
	})
}

// A scope that states the same of each of 3,000 services has 3,000 facts: at most
// 2 % are taken for a conflict, and none is rejected or merged.
func TestThreeThousandServices(t *testing.T) {
	t.Parallel()
	lane := testLane(t, "standard")
	const services = 3000
	asked, conflicts := map[string]int{}, 0
	for i := range services {
		text := fmt.Sprintf("2026-02-%02d: the service %s listens on port %d.", 1+i%28, serviceName(i), 8000+i)
		d, _ := lane.Judge(Item{Proposal: proposal(fmt.Sprintf("prop_%06d", i), text)}, testNow.Add(time.Duration(i)*time.Second))
		switch {
		case d.Rule == "conflict" || d.Rule == "update" || d.Rule == "merge" || d.Rule == "boundary" || strings.HasPrefix(d.Rule, "dup."):
			conflicts++
		case d.Verdict != memory.VerdictPromoted:
			asked[d.Rule]++
		}
	}
	t.Logf("%d services: %d mixed up with another, asked of %v", services, conflicts, asked)
	if conflicts > services*2/100 {
		t.Errorf("%d of %d mixed up with another service, at most 2 %% should be", conflicts, services)
	}
}

// serviceName makes names of which many share a part.
func serviceName(i int) string {
	areas := strings.Fields("order invoice cart search mail stock price user report image")
	parts := strings.Fields("api worker store feed sync cache gate index queue proxy")
	return fmt.Sprintf("%s-%s-%02d", areas[i%10], parts[i/10%10], i/100)
}
