package wording

import "testing"

// D3: words that exclude each other, and things that changed places.
func TestOpposed(t *testing.T) {
	t.Parallel()
	a := NewAnalyzer()
	for _, c := range []struct {
		x, y string
		want bool
	}{
		{"The report is sent every Monday", "On Tuesday the report goes out", true},
		{"Jobs are queued in Redis", "The queue of the jobs is Kafka", true},
		{"Progress goes to stderr, results to stdout", "Progress goes to stdout, results to stderr", true},
		{"Lint before the build", "Run the build before lint", true},
		{"Lint before the build", "The build comes after lint", false},
		{"Lint after the build", "Lint before the build", true},
		{"A tree marked F is felled, one marked K is kept, only F goes to the mill", "A tree marked K is felled, one marked F is kept, only K goes to the mill", true},
		{"Rot heißt schließen, Blau heißt öffnen, nachts zählt nur Rot", "Blau heißt schließen, Rot heißt öffnen, nachts zählt nur Blau", true},
		{"We build for amd64 and arm64", "We build for arm64 and amd64", false},
		{"Der Bericht kommt am Montag", "Montags kommt der Bericht", false},
	} {
		for _, pair := range [][2]string{{c.x, c.y}, {c.y, c.x}} {
			if got := Opposed(a.Text(pair[0]), a.Text(pair[1])); got != c.want {
				t.Errorf("%q and %q: %v, want %v", pair[0], pair[1], got, c.want)
			}
		}
	}
}
