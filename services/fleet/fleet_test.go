package fleet

import (
	"encoding/json"
	"flag"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/winnowhq/winnow/services/internal/config"
	"github.com/winnowhq/winnow/services/internal/worker"
	"github.com/winnowhq/winnow/services/run"
)

var update = flag.Bool("update", false, "write the golden file anew")

// notWorkers are the folders of services that contain no worker.
var notWorkers = []string{"eval", "fleet", "internal", "local", "ops", "run"}

// A worker's folder without an entry in All would be built and tested and would never
// run.
func TestEveryWorkerIsListed(t *testing.T) {
	t.Parallel()
	entries, err := os.ReadDir("..")
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		if e.IsDir() && !slices.Contains(notWorkers, e.Name()) && !slices.Contains(Names(), e.Name()) {
			t.Errorf("services/%s is not in fleet.All", e.Name())
		}
	}
}

// winnow dev could run a worker without a main, and a fleet could not.
func TestEveryWorkerHasAMain(t *testing.T) {
	t.Parallel()
	for _, name := range Names() {
		main, err := os.ReadFile(filepath.Join("..", "..", "cmd", "winnow-"+name, "main.go"))
		if err != nil || !strings.Contains(string(main), "run.Main("+name+".Definition, fleet.All,") {
			t.Errorf("cmd/winnow-%s does not run %s.Definition: %v", name, name, err)
		}
	}
}

// A key that two workers read must have one meaning, so that one value fits both.
func TestSharedSettingsAgree(t *testing.T) {
	t.Parallel()
	var all worker.Configured
	first, shared := map[string]config.Field{}, 0
	platform := run.DefaultConfig()
	for _, f := range config.Fields(config.Section{Into: &platform}) {
		first[f.Key] = f
	}
	for _, d := range All {
		for _, group := range d.Config {
			for _, f := range config.Fields(config.Section{Key: group.Key(d.Name), Into: group.Open(&all)}) {
				switch before, told := first[f.Key]; {
				case f.Help == "" || !strings.HasSuffix(f.Help, "."):
					t.Errorf("%s: %s says %q, which is no sentence", d.Name, f.Key, f.Help)
				case !told:
					first[f.Key] = f
				case before != f:
					t.Errorf("%s reads %s as %+v, another worker as %+v", d.Name, f.Key, f, before)
				default:
					shared++
				}
			}
			if err := group.Validate(all); err != nil {
				t.Errorf("%s: its defaults are not valid: %v", d.Name, err)
			}
		}
	}
	if shared == 0 {
		t.Error("no setting is shared, so nothing was compared")
	}
}

// The durables and filters of workers are a contract with running servers: a name
// that changes by accident is a second durable that reads everything again.
func TestTopologyIsGolden(t *testing.T) {
	t.Parallel()
	type line struct {
		Worker, Stream, Durable string
		Filters                 []string
		AckWait                 string
		MaxPending, MaxDeliver  int
		Batch                   int
	}
	var lines []line
	for _, d := range All {
		lines = append(lines, line{
			Worker: d.Name, Stream: d.Durable.Stream, Durable: d.Durable.Name, Filters: d.Durable.Filters,
			AckWait: d.Durable.AckWait.String(), MaxPending: d.Durable.MaxPending, MaxDeliver: d.Durable.MaxDeliver, Batch: d.Batch,
		})
	}
	got, err := json.MarshalIndent(lines, "", "  ")
	if err != nil {
		t.Fatal(err)
	}
	got = append(got, '\n')
	golden := filepath.Join("testdata", "topology.json")
	if *update {
		if err := os.MkdirAll("testdata", 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(golden, got, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	want, err := os.ReadFile(golden)
	if err != nil {
		t.Fatal(err)
	}
	if string(got) != string(want) {
		t.Errorf("the topology changed; if that is meant, go test ./services/fleet -update\ngot:\n%s", got)
	}
}

func TestPick(t *testing.T) {
	t.Parallel()
	picked, err := Pick("triage", "ingest")
	if err != nil || len(picked) != 2 || picked[0].Name != "ingest" {
		t.Errorf("picked %v, %v", picked, err)
	}
	if _, err := Pick("triage", "oracle"); err == nil {
		t.Error("an unknown target was accepted")
	}
}
