package wording

import (
	"testing"

	"github.com/winnowhq/winnow/services/internal/memory"
)

// SPEC §6 `hardrule`, `convention`: a norm has somebody whom it addresses or stands at
// the start of a clause. Words of obligation in a description make none.
func TestNormsOblige(t *testing.T) {
	t.Parallel()
	a := NewAnalyzer()
	for text, norm := range map[string]bool{
		"Never edit `schema.sql` by hand.":                                   true,
		"When a migration fails, never retry it on `db01`.":                  true,
		"We always squash before merging to `main`.":                         true,
		"Developers never push to `main`.":                                   true,
		"Run the linter first; don't commit generated files.":                true,
		"The handler must close its body.":                                   true,
		"Reviewers should look at `go.sum` first.":                           true,
		"Only release managers tag `v*`.":                                    true,
		"Wir nehmen für Passwörter immer `argon2`.":                          true,
		"Tests dürfen niemals auf die Produktion zugreifen.":                 true,
		"Direkt auf `main` wird nie gepusht, das darf nur der Bot.":          true,
		"Deployments are only allowed before noon.":                          true,
		"If the cache is cold, avoid `SELECT *`.":                            true,
		"Please keep `README.md` short.":                                     true,
		"The importer never released its lock, so the second run hung.":      false,
		"`gc` never runs on the standby.":                                    false,
		"The job must have run before the clock was set.":                    false,
		"The alert should have fired at 80 % but stayed silent.":             false,
		"Nobody has to restart `edge` by hand any more.":                     false,
		"Old clients don't send the header.":                                 false,
		"Users who want dark mode set `theme: dark`.":                        false,
		"The daemon may never see the signal when PID 1 is a shell.":         false,
		"Only `config.toml` is read at start.":                               false,
		"No port is left open after the upgrade.":                            false,
		"Commit 3fa91c2 broke the build of `web`.":                           false,
		"Der Dienst hat den Puffer nie geleert, bis `flush` aufgerufen war.": false,
		"Der Export muss am Montag abgebrochen sein.":                        false,
		"Laut Hersteller soll der Sensor bis 80 Grad messen.":                false,
		"Der Scanner liefert immer ein leeres Blatt am Ende.":                false,
		"Nach dem Update muss man den Dienst nicht neu starten.":             false,
		// History, what outsiders want, and what a machine needs are no norms.
		"The harbour master wanted paper lists until 2025, now he gets a PDF.":    false,
		"The school asked for CSV, so `export.py` writes CSV.":                    false,
		"Passengers prefer the map to the list: 71 % open it first.":              false,
		"The firmware answers with 8 bytes, even if only 4 were asked for.":       false,
		"We do not have a staging cluster; the tests run against `kind`.":         false,
		"`retry_max` must be an integer, a float makes it panic.":                 false,
		"Passengers have to wait 40 s for the QR code.":                           false,
		"Crew members always log in twice because the cookie is lost.":            false,
		"The vendor recommends a flow of 3 l/min, ours is 2.4 l/min.":             false,
		"Only `tide.csv` matters at start.":                                       false,
		"Die Waage muss 20 Minuten warmlaufen, sonst driftet sie um 2 g.":         false,
		"Der Hersteller schrieb, man könne den Sensor auch im Betrieb testen.":    false,
		"The nurses want one screen.":                                             true,
		"Marta wanted the report on Mondays.":                                     true,
		"We recommend a flow of 3 l/min.":                                         true,
		"The release team recommends signed tags.":                                true,
		"Every sensor has to be calibrated before it is mounted.":                 true,
		"Reviewers always read the tests first.":                                  true,
		"Developers must bump the version, otherwise the build breaks.":           true,
		"We do not squash on `main`.":                                             true,
		"The crew must be told, and nobody flashes the gate firmware on his own.": true,
	} {
		text := a.Text(text)
		f := Extract(text, Given{Authority: memory.OriginAgent}, nil)
		if got := f.Orders() || f.Has("generic") || f.Has("preference"); got != norm {
			t.Errorf("%q: norm %v by %v %q, want %v", text.Clean, got, f.Cues, f.Imperative, norm)
		}
	}
}

// A text that only tells what was looked at, or what is being done at the moment, holds
// nothing that stays true.
func TestNarrationAndMoment(t *testing.T) {
	t.Parallel()
	a := NewAnalyzer()
	for text, passing := range map[string]bool{
		"2026-01-12: opened `main.go` and read it.":                          true,
		"Looked at `parser.ts` and the tests beside it (2026-01-12).":        true,
		"2026-01-12: I searched `services/` for the old flag.":               true,
		"12.01.2026: `config.yaml` geöffnet und durchgesehen.":               true,
		"I am bisecting the crash of `render.ts` (2026-01-12).":              true,
		"2026-01-12: the index of `search` is currently being rebuilt.":      true,
		"2026-01-12: opened `main.go`, which starts the server twice.":       false,
		"2026-01-12: searched `services/` and found 3 uses of the old flag.": false,
		"2026-01-12: the valve opened at 4 bar, read from `plc-2`.":          false,
		"2026-01-12: reviewed `parser.ts`; its cache was never emptied.":     false,
		"2026-01-12: we are using `uv` since the move to Python 3.13.":       false,
	} {
		f := Extract(a.Text(text), Given{Authority: memory.OriginAgent}, nil)
		if f.Has("transient") != passing {
			t.Errorf("%q: passing %v by %q, want %v", text, f.Has("transient"), f.Cue("transient"), passing)
		}
	}
}

// S3.5: a thing is named by being rare, not by standing on a list.
func TestNamesByRarity(t *testing.T) {
	t.Parallel()
	a := NewAnalyzer()
	for text, named := range map[string]bool{
		"Codecov reported 87 % after the merge.":                true,
		"The cluster runs Longhorn volumes.":                    true,
		"We moved the wiki to Outline in spring.":               true,
		"The proxy pgbouncer held 40 connections.":              true,
		"Der Nextcloud-Abgleich braucht 35 Minuten.":            true,
		"Die Druckerwarteschlange in CUPS war voll.":            true,
		"The meeting was moved to Thursday.":                    false,
		"Deployments got misconfigured again.":                  false,
		"The timestamps of the callsites were reordered.":       false,
		"Der Export nach Matomo dauert zwei Stunden.":           true,
		"Der Drucker in Halle drei ist langsam.":                false,
		"The tide feed of broker-a is late.":                    true,
		"The read-only copy is late.":                           false,
		"Reports go to `s3://reports`.":                         true,
		"Die Besprechung mit der Leitung dauerte zwei Stunden.": false,
		"Benchmarks were faster than last week.":                false,
	} {
		f := Extract(a.Text(text), Given{Authority: memory.OriginAgent}, nil)
		if got := len(f.Anchors) > 0; got != named {
			t.Errorf("%q names %v, want %v", text, f.Anchors, named)
		}
	}
}

// S3.12: what a retired thing did to something else does not announce its end.
func TestWhatARetiredThingDid(t *testing.T) {
	t.Parallel()
	terms := Terms([]string{"jPOS bridge"})
	for text, announces := range map[string]bool{
		"2026-04-13: the jPOS bridge dropped field 62 on long refunds.": false,
		"2026-04-13: the jPOS bridge removed the header.":               false,
		"2026-04-13: the jPOS bridge was dropped.":                      true,
		"2026-04-13: jPOS bridge removed.":                              true,
		"2026-04-13: we dropped the jPOS bridge for `iso-gw`.":          true,
	} {
		f := Extract(NewAnalyzer().Text(text), Given{}, terms)
		if len(f.Retired) != 1 || f.Announces != announces {
			t.Errorf("%q: retired %v, announces %v, want %v", text, f.Retired, f.Announces, announces)
		}
	}
}
