package fleet_test

import (
	"os"
	"path/filepath"
	"testing"

	"go.yaml.in/yaml/v3"

	"github.com/winnowhq/winnow/services/fleet"
	"github.com/winnowhq/winnow/services/internal/test/testenv"
	"github.com/winnowhq/winnow/services/internal/worker"
)

// Every worker that searches or fills the similarity index, and the command line, are
// told in docker-compose.yml where it is and the key of its server; no other service has
// the key. Without them each process would keep an index of its own beside a server that
// nobody uses.
func TestComposeConnectsTheIndex(t *testing.T) {
	t.Parallel()
	text, err := os.ReadFile(filepath.Join(testenv.Root(t), "docker-compose.yml"))
	if err != nil {
		t.Fatal(err)
	}
	var file struct {
		Services map[string]struct {
			Environment map[string]string
		}
	}
	if err := yaml.Unmarshal(text, &file); err != nil {
		t.Fatal(err)
	}
	needs := map[string]worker.Needs{"winnow": {Index: true, Recall: true}} // the command line
	for _, d := range fleet.All {
		if _, known := file.Services[d.Name]; !known {
			t.Errorf("%s is no service", d.Name)
		}
		needs[d.Name] = d.Needs
	}
	key := file.Services["qdrant"].Environment["QDRANT__SERVICE__API_KEY"]
	for name, s := range file.Services {
		if given := s.Environment["WINNOW_QDRANT_API_KEY"]; given != "" && given != key {
			t.Errorf("%s has the key %s, the server %s", name, given, key)
		}
		want := needs[name].Index || needs[name].Recall
		for _, setting := range []string{"WINNOW_QDRANT_URL", "WINNOW_QDRANT_API_KEY"} {
			if got := s.Environment[setting] != ""; got != want {
				t.Errorf("%s: has %s %v, want %v", name, setting, got, want)
			}
		}
	}
}
