package wording

import "testing"

// D3: one small word makes another statement. Each pair is also tried the other way round.
func TestSmallWordsMakeAnotherStatement(t *testing.T) {
	t.Parallel()
	a := NewAnalyzer()
	for _, c := range []struct {
		x, y string
		want bool
	}{
		{"Most pumps report their pressure", "All pumps report their pressure", true},
		{"The valve usually closes within a second", "The valve always closes within a second", true},
		{"Die meisten Pumpen melden den Druck", "Alle Pumpen melden den Druck", true},
		{"The pump used to report by radio", "The pump reports by radio", true},
		{"The pump used to report by radio", "The pump no longer reports by radio", false},
		{"A relay is used to switch the pump", "A relay switches the pump", false},
		{"We intend to meter the water", "We meter the water", true},
		{"The valve might open twice", "The valve opens twice", true},
		{"The filter clogged because the pump failed", "The pump failed because the filter clogged", true},
		{"Because the filter clogged, the pump failed", "The pump failed because the filter clogged", false},
		{"High pressure makes the seal brittle", "A brittle seal makes the pressure high", true},
		{"Samples from the river are frozen", "Samples are frozen", true},
		{"Samples are frozen in the lab", "Samples are frozen", false},
		{"The hatch opens with a key and a code", "The hatch opens with a key or a code", true},
		{"Only divers see the depth", "Divers see only the depth", true},
		{"Only divers see the depth", "The depth is seen only by divers", false},
		{"The probe is cleaned during the dive", "The probe is cleaned after the dive", true},
		{"A dive takes about an hour", "A dive takes less than an hour", true},
		{"The winch lifts up to 20 kg", "The winch lifts at least 20 kg", true},
		{"A dive takes no more than an hour", "A dive takes less than an hour", false},
		{"The tank in dock A is full", "The tank in dock B is full", true},
		{"The gauge is loaded again each hour", "The gauge is reloaded each hour", false},
		{"Divers can log a dive after a check by the captain", "Captains can log a dive after a check by the diver", true},
	} {
		for _, pair := range [][2]string{{c.x, c.y}, {c.y, c.x}} {
			x, y := a.Text(pair[0]), a.Text(pair[1])
			if got := Opposed(x, y) || Altered(x, y); got != c.want {
				t.Errorf("%q and %q: %v, want %v", pair[0], pair[1], got, c.want)
			}
		}
	}
}

// S3.5: a version of three parts and a name with its version name something that somebody
// could look at; an amount with a point does not.
func TestReleased(t *testing.T) {
	t.Parallel()
	a := NewAnalyzer()
	for text, want := range map[string]bool{
		"Seit Montag druckt die Weberei das Heft mit Zeichner 7.2, ohne Warnung.": true,
		"Am Montag meldete der Laden für 5.6.1 mehr Abstürze.":                    true,
		"Am Montag stieg der Faktor 3.1 auf das Doppelte.":                        false,
		"Am Montag kostete das Garn im Schnitt 3.10 Euro mehr.":                   false,
		"On Monday the yarn cost 3.10 more than before.":                          false,
		"Der Weg ist am Montag Kilometer 3.5 km kürzer.":                          false,
	} {
		if got := released(a.Text(text)); got != want {
			t.Errorf("%q: %v", text, got)
		}
	}
}
