package restate

import (
	"regexp"
	"strings"
	"testing"

	"github.com/winnowhq/winnow/services/internal/judge/wording"
	"github.com/winnowhq/winnow/services/internal/model/embed/static"
)

func analyzer(t *testing.T) *wording.Analyzer {
	t.Helper()
	a, err := wording.NewEmbeddingAnalyzer(static.New())
	if err != nil {
		t.Fatal(err)
	}
	return a
}

// again are statements with what says them again in other words.
var again = [][2]string{
	{"Uploads above 25 MB go straight to object storage with a presigned URL.", "A presigned URL is used to send uploads of more than 25 MB directly to object storage."},
	{"The router reboots itself every night at 4.", "At 4 o'clock each night the router restarts on its own."},
	{"Photos in the bin of the gallery are erased after two weeks.", "After 14 days, the gallery deletes photos that are in its bin."},
	{"The stock count includes reserved items of warehouse `B7`.", "Reserved items in `B7` are part of the count of the warehouse's stock."},
	{"Every admin action is written to `audit.log` together with the IP address.", "`audit.log` records each action of an admin, including the IP address."},
	{"Our `nginx` terminates TLS, the app servers speak plain HTTP.", "TLS ends at `nginx`; behind it, plain HTTP is spoken to the app servers."},
	{"Der Rasenmäher fährt bei unter 20 % Akku zur Station zurück.", "Sinkt der Akku unter 20 %, kehrt der Rasenmäher in die Station zurück."},
}

// D2, D3: what is said again in other words is recognised.
func TestSaidAgain(t *testing.T) {
	t.Parallel()
	a := analyzer(t)
	for _, p := range again {
		if f, objection := compare(a.Text(p[1]), a.Text(p[0])); objection != "" || f.weigh() <= 0 {
			t.Errorf("%q is not taken for %q: %q, %.2f", p[1], p[0], objection, f.weigh())
		}
	}
}

// D2, D3: amounts in words, verbs with a particle, dates that are a stamp in one of the two, and
// small words said otherwise, are the same again.
func TestSaidAgainInOtherSmallWords(t *testing.T) {
	t.Parallel()
	a := analyzer(t)
	for _, p := range [][2]string{
		{"`tidesync` drops a booking of a pier 45 minutes after its slot.", "A pier's booking is dropped by `tidesync` three quarters of an hour after the slot."},
		{"The toll report counts night crossings at a tenth of the price.", "Night crossings are counted by the toll report at 10 % of the price."},
		{"Ferry tickets carry 14 digits; the last one is checked in `TicketNo.kt`.", "`TicketNo.kt` checks the last digit of the fourteen-digit ferry tickets."},
		{"The pump report is drawn up at midnight by `pumplog`.", "At 00:00 `pumplog` draws up the report of the pump."},
		{"`reaper.py` throws an old draft of a chart away after three weeks.", "After 21 days a chart's old drafts get deleted by `reaper.py`."},
		{"Buoy 7 was fitted on 2026-03-04 with a second lamp of 12 W.", "2026-03-04: another lamp, 12 W, was fitted to buoy 7."},
		{"The barrier controller drops its connection after 90 s of silence, seen 2026-02-13 in `barrier.log`.", "`barrier.log` of 2026-02-13 shows that the controller of the barrier hangs up after 90 quiet seconds."},
		{"Alarms of class `red` go to the pager, all others to the log book.", "Only alarms of the class `red` reach the pager, everything else goes to the log book."},
		{"A skipper sees the new chart from `atlas` only after a restart.", "A skipper has to restart to see the new chart from `atlas`."},
		{"The locker opens without a code between 06:00 and 08:00.", "From 06:00 to 08:00 the locker opens with no code."},
	} {
		x, y := a.Text(p[1]), a.Text(p[0])
		if !Holds(x, y) {
			f, objection := compare(x, y)
			t.Errorf("%q is not taken for %q: %q, %.2f", p[1], p[0], objection, f.weigh())
		}
	}
}

// D3: an opponent of each of these, in the same words.
func TestOtherSmallWords(t *testing.T) {
	t.Parallel()
	a := analyzer(t)
	for _, p := range [][2]string{
		{"`tidesync` drops a booking of a pier 45 minutes after its slot.", "A pier's booking is dropped by `tidesync` a quarter of an hour after the slot."},
		{"The toll report counts night crossings at a tenth of the price.", "Night crossings are counted by the toll report at 20 % of the price."},
		{"Ferry tickets carry 14 digits; the last one is checked in `TicketNo.kt`.", "`TicketNo.kt` checks the last digit of the sixteen-digit ferry tickets."},
		{"The pump report is drawn up at midnight by `pumplog`.", "At noon `pumplog` draws up the report of the pump."},
		{"`reaper.py` throws an old draft of a chart away after three weeks.", "An old draft of a chart is kept by `reaper.py` for 21 days."},
		{"The kiosk prints a slip only if the guest asks for one.", "The kiosk prints a slip unless the guest declines it."},
		{"The locker opens without a code between 06:00 and 08:00.", "From 06:00 to 08:00 the locker opens with a code."},
		{"The fuse blew, so the fan stopped.", "The fan stopped, so the fuse blew."},
		{"The store keeps its index under `/var/idx` and may be emptied at any time.", "The store keeps its index under `/var/idx`; emptying it while the writer of the night is busy corrupts the pages."},
		{"Coverage is measured with kcov in `ci.yml` (2026-01-30).", "In `ci.yml`, gcov measures coverage (2026-04-03)."},
	} {
		x, y := a.Text(p[1]), a.Text(p[0])
		if Holds(x, y) {
			t.Errorf("%q is taken for %q", p[1], p[0])
		}
	}
}

// D3: an opponent says another thing in the words of a paraphrase; each objection finds what
// it is for.
func TestObjections(t *testing.T) {
	t.Parallel()
	a := analyzer(t)
	for _, c := range []struct{ stored, fresh, want string }{
		{"The watchdog restarts the broker when the exporter hangs.", "If the broker hangs, the exporter gets restarted by the watchdog.", "exchanged partners"},
		{"Editors can publish articles that an author wrote.", "Articles written by an editor can be published by authors.", "exchanged roles"},
		{"The report lists customers that have no contract.", "Customers who do have a contract are listed in the report.", "a denial"},
		{"A job that fails twice is moved to the dead letter queue of `billing`.", "In `billing` the dead letter queue gets each job which failed 3 times.", "a number of its own"},
		{"The `ingest` service stores events for a week in the bucket.", "For a week, events are kept in the bucket by `export`.", "other names"},
		{"A supervisor must approve refunds above 200 euros.", "Refunds up to 200 euros must be approved by a supervisor.", "a small word"},
		{"The golden image of the kiosk lives in Artifactory under `kiosk/base`.", "The golden image of kiosks is held by Harbor under `kiosk/base`.", "another name"},
		{"Reports are mailed daily to the owner of the workspace.", "The owner of a workspace gets the reports by mail, weekly.", "another number"},
		{"The gateway accepts unsigned requests of the test clients.", "Unsigned requests from test clients are rejected at the gateway.", "opposites"},
	} {
		if _, got := compare(a.Text(c.fresh), a.Text(c.stored)); got != c.want {
			t.Errorf("%q beside %q: %q, want %q", c.fresh, c.stored, got, c.want)
		}
	}
}

var digits = regexp.MustCompile(`\d+`)

// D3: whatever number or name of a repeat is exchanged, it is a repeat no more.
func TestAnotherDetailIsNoRepeat(t *testing.T) {
	t.Parallel()
	a := analyzer(t)
	for _, p := range again {
		for _, n := range digits.FindAllStringIndex(p[1], -1) {
			other := p[1][:n[0]] + "73" + p[1][n[1]:]
			if Holds(a.Text(other), a.Text(p[0])) {
				t.Errorf("%q is taken for %q", other, p[0])
			}
		}
		if i := strings.IndexByte(p[1], '`'); i >= 0 {
			k := i + 1 + strings.IndexByte(p[1][i+1:], '`')
			other := p[1][:i] + "`kestrel-two`" + p[1][k+1:]
			if Holds(a.Text(other), a.Text(p[0])) {
				t.Errorf("%q is taken for %q", other, p[0])
			}
		}
	}
}

// A stranger's text of no words, of signs or of one endless word is compared with nothing,
// and neither is a text without vectors.
func TestNothingToCompare(t *testing.T) {
	t.Parallel()
	a, words := analyzer(t), wording.NewAnalyzer()
	for _, s := range []string{"", "…", "`", "1 2 3 4 5 6 7 8 9", strings.Repeat("x", 1<<16), strings.Repeat("not no never ", 2000), "\x00\xff"} {
		for _, p := range again {
			if Holds(a.Text(s), a.Text(p[0])) || Holds(a.Text(p[0]), a.Text(s)) || Holds(a.Text(s), a.Text(s)) {
				t.Errorf("%.40q says %q", s, p[0])
			}
			if Holds(words.Text(p[1]), words.Text(p[0])) || Objects(words.Text(p[1]), words.Text(p[0])) {
				t.Errorf("%q was compared without vectors", p[1])
			}
		}
	}
}

func TestAmounts(t *testing.T) {
	t.Parallel()
	a := analyzer(t)
	for _, c := range []struct {
		x, y string
		same bool
	}{
		{"two weeks", "14 days", true}, {"half an hour", "30 minutes", true}, {"every week", "weekly", true}, {"1,000 cells", "1000 cells", true},
		{"12 h", "12 hours", true}, {"the first", "the second", false}, {"3 weeks", "3 days", false}, {"double the price", "half the price", false}, {"5 MB", "5 GB", false},
	} {
		x, y := read(a.Text(c.x)), read(a.Text(c.y))
		var got bool
		for i := range x.units {
			for j := range y.units {
				got = got || x.units[i].class == number && y.units[j].class == number && sameNumber(&x.units[i], &y.units[j])
			}
		}
		if got != c.same {
			t.Errorf("%q and %q: %v", c.x, c.y, got)
		}
	}
}
