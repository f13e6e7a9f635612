package memory

import (
	"reflect"
	"strings"
	"testing"

	"pgregory.net/rapid"
)

// D3: how the specifics of two texts stand to each other.
func TestCompare(t *testing.T) {
	t.Parallel()
	cases := []struct {
		a, b string
		want Relation
	}{
		{"The pool has two workers", "The pool has 2 workers", RelationEqual},
		{"Timeout is 30 s", "Timeout is 30 seconds", RelationEqual},
		{"Uses `redis` as the cache", "Uses redis as the cache", RelationEqual},
		{"2026-02-03: `chi` 5.1.0 works", "2026-02-10: `chi` 5.1.0 works", RelationEqual},
		{"`setup()` runs before `load()`", "`load()` runs after `setup()`", RelationEqual},
		{"The daemon listens on port 80", "The daemon listens on port 80 and 443 for `tls`", RelationContained},
		{"The daemon listens on port 80 for `tls`", "The daemon listens on port 80", RelationSuperset},
		{"Port is 8080", "Port is 9090", RelationConflict},
		{"Uses chi 5.1.0", "Uses chi 5.2.0", RelationConflict},
		{"The cache is enabled", "The cache is disabled", RelationConflict},
		{"Der Cache ist aktiviert", "Der Cache ist deaktiviert", RelationConflict},
		{"The worker retries failed jobs", "The worker does not retry failed jobs", RelationConflict},
		{"Der Dienst startet", "Der Dienst startet nicht", RelationConflict},
		{"`setup()` runs before `load()`", "`setup()` runs after `load()`", RelationConflict},
		{"Tests must pass", "Tests may pass", RelationConflict},
		{"The certificate expires on 2026-05-01", "The certificate expires on 2026-06-01", RelationConflict},
		{"The cache keeps drafts, not releases", "The cache keeps releases, not drafts", RelationConflict},
		{"`poll()` never blocks", "With `poll()` nothing blocks", RelationEqual},
		{"The seeder fails without `REGION`", "The seeder needs `REGION`; otherwise it fails", RelationEqual},
		{"`relay.go` hands the batch to `sink.go`", "`sink.go` hands the batch to `relay.go`", RelationConflict},
		{"`relay.go` wraps `sink.go`", "`sink.go` wraps `relay.go`", RelationConflict},
		{"`relay.go` wraps `sink.go`", "`sink.go` is wrapped by `relay.go`", RelationEqual},
		{"Drafts are kept on logout", "Drafts are lost on logout", RelationConflict},
		{"Only editors see drafts", "Also editors see drafts", RelationConflict},
		{"Slots are reusable once released", "Slots are reusable when released", RelationEqual},
		{"Retries stop after 60 seconds (2026-02-03)", "Retries stop after 60 seconds (2026-03-04)", RelationEqual},
		{"On 2026-02-03 the relay dropped 4 batches", "2026-02-03: the relay dropped 4 batches", RelationEqual},
		{"See `a.go`", "See also the file `b.go` with 3 lines", RelationComplement},
	}
	for _, c := range cases {
		if got := Compare(Extract(c.a), Extract(c.b)); got.Relation != c.want {
			t.Errorf("%q against %q: %s %v, want %s", c.a, c.b, got.Relation, got.Differences, c.want)
		}
	}
	// Relate says the same of any two, without words.
	for _, x := range cases {
		for _, y := range cases {
			a, b := Extract(x.a), Extract(y.b)
			want := Compare(a, b)
			want.Differences = nil
			if got := Relate(a, b); !reflect.DeepEqual(got, want) {
				t.Errorf("%q against %q: %+v, want %+v", x.a, y.b, got, want)
			}
		}
	}
}

// D3: one changed digit is never equal and never contained.
func TestChangedDigitIsSeen(t *testing.T) {
	t.Parallel()
	rapid.Check(t, func(r *rapid.T) {
		n := rapid.StringMatching(`[1-9][0-9]{0,4}(\.[0-9]{1,3})?`).Draw(r, "n")
		frame := rapid.SampledFrom([]string{"The limit is %s", "%s workers run", "Upgraded `chi` to %s in `go.mod`", "takes %s ms under load", "Port %s ist offen", "`retries=%s`"}).Draw(r, "frame")
		at := rapid.IntRange(0, len(n)-1).Draw(r, "at")
		if n[at] == '.' {
			return
		}
		changed := []byte(n)
		changed[at] = '0' + (changed[at]-'0'+byte(rapid.IntRange(1, 9).Draw(r, "by")))%10
		a, b := strings.Replace(frame, "%s", n, 1), strings.Replace(frame, "%s", string(changed), 1)
		for _, pair := range [][2]string{{a, b}, {b, a}} {
			if got := Compare(Extract(pair[0]), Extract(pair[1])); got.Relation != RelationConflict && got.Relation != RelationComplement {
				r.Fatalf("%q against %q: %s", pair[0], pair[1], got.Relation)
			}
		}
	})
}

// Blanks, markers, case, emphasis, labels and stamps make no other text.
func TestNormal(t *testing.T) {
	t.Parallel()
	want := Normal("Errors use both core and plugin keys")
	for _, s := range []string{
		"- errors use both core and plugin keys.", "  * **Lesson**: Errors  use both `core` and plugin keys", "1. Errors use _both_ core and plugin keys",
		"2026-02-03: Errors use both core and plugin keys", "Errors use both core and plugin keys (2026-02-03).", "(5 Feb 2026) Errors use both core and plugin keys",
		"ERRORS USE BOTH CORE AND PLUGIN KEYS!", "**Lesson:** Errors use both core and plugin keys",
	} {
		if got := Normal(s); strings.ReplaceAll(got, "_", "") != want {
			t.Errorf("%q became %q, want %q", s, got, want)
		}
	}
	if Normal("The key expires on 2026-05-01") == Normal("The key expires on 2026-06-01") {
		t.Error("a deadline is content")
	}
}

// S3.4, D31: dates in English and German.
func TestDates(t *testing.T) {
	t.Parallel()
	for text, want := range map[string]string{
		"seen 2026-02-05": "2026-02-05", "5 Feb 2026": "2026-02-05", "5. Februar 2026": "2026-02-05", "05.02.2026": "2026-02-05",
		"February 5, 2026": "2026-02-05", "in Feb 2026": "2026-02", "2026/02/05": "2026-02-05", "Q1 2026": "2026-q1",
		"version 3.1.4": "", "commit 4be1f7c": "", "2026-13-41": "",
	} {
		got := ""
		for _, tok := range Scan(text) {
			if tok.Class == TokenDate {
				got = tok.Value
			}
		}
		if got != want {
			t.Errorf("%q has the date %q, want %q", text, got, want)
		}
	}
}

func FuzzExtract(f *testing.F) {
	f.Add("`a`/`b`=c(d→e) \"x 'y' 2026-02-05")
	f.Fuzz(func(t *testing.T, s string) {
		a := Extract(s)
		if got := Compare(a, Extract(s)); got.Relation != RelationEqual {
			t.Errorf("%q is not equal to itself: %s %v", s, got.Relation, got.Differences)
		}
		if n := Normal(s); Normal(n) != Normal(Normal(n)) {
			t.Errorf("%q never settles", s)
		}
	})
}

// A date that one text states and the other has as a stamp is no difference, and what
// was added is what the other has. A date that the other lacks stays one.
func TestSaidInOtherWords(t *testing.T) {
	t.Parallel()
	for _, c := range []struct {
		a, b string
		want Relation
	}{
		{"The flakiness of `coupon_spec.rb`, solved 2026-04-04, was due to the clock being frozen.", "`coupon_spec.rb` was flaky because of the frozen clock; fixed on 2026-04-04.", RelationEqual},
		{"The flakiness of `coupon_spec.rb`, solved 2026-04-05, was due to the clock being frozen.", "`coupon_spec.rb` was flaky because of the frozen clock; fixed on 2026-04-04.", RelationSuperset},
		{"A partial index over `due_at` was added to the `invoices` table.", "`invoices` has a partial index on `due_at`.", RelationEqual},
		{"A partial index over `due_at` was removed from the `invoices` table.", "`invoices` has a partial index on `due_at`.", RelationSuperset},
		{"The index was added.", "The index was removed.", RelationConflict},
		// Denied with another word.
		{"Compression is not enabled.", "Compression is disabled.", RelationEqual},
		{"Compression is not disabled.", "Compression is disabled.", RelationConflict},
		{"The hooks are copied without the executable bit.", "The hooks are copied as non-executable files.", RelationEqual},
		{"The tables are dumped without locking.", "The tables stay unlocked while they are dumped.", RelationEqual},
		{"The importer needs no token.", "The importer needs a token.", RelationConflict},
		{"The builder misses no import.", "The builder misses an import.", RelationConflict},
		{"The first linter catches loops but not shadows.", "The second linter misses loops that the first catches.", RelationSuperset},
		{"The job fails unless `TZ` is set.", "The job fails when `TZ` is set.", RelationConflict},
		{"Paths are relative to the cwd, with no git-root awareness.", "Paths start at the git root, the cwd does not matter.", RelationConflict},
		{"It prints nothing on success.", "It prints nothing on failure.", RelationConflict},
		// Numbers as words.
		{"From the name one gets the size.", "From the name we get the size.", RelationEqual},
		{"It has fired zero useful tips.", "Not one useful tip has been fired by it.", RelationEqual},
		{"It has fired zero useful tips.", "It has fired three useful tips.", RelationConflict},
		{"A lease lasts 5 minutes.", "A lease lasts 300 s.", RelationEqual},
		{"A lease lasts 5 minutes.", "A lease lasts 500 s.", RelationConflict},
		{"Two replicas answer reads.", "Both replicas answer reads.", RelationEqual},
		{"Two replicas answer reads.", "Three replicas answer reads.", RelationConflict},
		{"It sends no more than four requests.", "It sends at most four requests.", RelationEqual},
		{"It sends no more than four requests.", "It sends at least four requests.", RelationConflict},
	} {
		if got := Compare(Extract(c.a), Extract(c.b)).Relation; got != c.want {
			t.Errorf("%q and %q: %s, want %s", c.a, c.b, got, c.want)
		}
	}
}

// D3: what needs an amount obliges nobody; what needs a deed or a thing does.
func TestNeedsAnAmount(t *testing.T) {
	t.Parallel()
	for text, obliges := range map[string]bool{
		"A full print needs 35 minutes on `plotter-2`.":    false,
		"The kiln needs about 4 hours to cool.":            false,
		"The two presses need up to 90 kWh a day.":         false,
		"The kiln needs to cool for 4 hours.":              true,
		"Every print needs an approval of the press room.": true,
	} {
		if got := Extract(text).Obliges(); got != obliges {
			t.Errorf("%q obliges: %v", text, got)
		}
	}
}
