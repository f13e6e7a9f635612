package chaos

import (
	"encoding/json"
	"fmt"
	"io/fs"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	natsjs "github.com/nats-io/nats.go/jetstream"

	"github.com/winnowhq/winnow/services/internal/bus"
	"github.com/winnowhq/winnow/services/internal/store/postgres"
	"github.com/winnowhq/winnow/services/internal/store/postgres/pgtest"
	"github.com/winnowhq/winnow/services/internal/test/proposaltest"
	"github.com/winnowhq/winnow/services/internal/test/testenv"
	"github.com/winnowhq/winnow/services/internal/vector/qdranttest"
)

// Everything but one dump of the database is lost: NATS, the vault, Qdrant, every
// process. The commands of docs/operations.md bring it back. What had not been published
// is published once, what publishers send again takes effect no second time, audit and
// rows verify, every decision is derived again, the files are the same to the byte, and
// the index holds what the database holds.
func TestBackupAndRestore(t *testing.T) {
	f := newFleet(t)
	index := qdranttest.Start(t, qdranttest.Version)
	similarity := "WINNOW_QDRANT_URL=" + index.Address
	relay := f.run("relay", "relay", "")
	lost := []*process{f.run("triage", "triage", ""), f.run("index", "index", "", "WINNOW_VAULT_DIR="+t.TempDir(), similarity)}
	proposals := proposaltest.Week(11, 50, 2)
	f.publishAll(proposals[:40])
	f.awaitDecided(40)
	f.awaitNone("every event is published", `select count(*) from outbox where published_at is null`)
	relay.kill()
	f.publishAll(proposals[40:])
	f.awaitDecided(50)
	waiting := f.count(`select count(*) from outbox where published_at is null and subject like 'memory.proposal.decided%'`)
	if waiting == 0 {
		t.Fatal("nothing waits in the outbox")
	}
	files := t.TempDir()
	f.operate([]string{"WINNOW_VAULT_DIR=" + files}, "vault", "rebuild")
	for _, p := range append(lost, f.broker) {
		p.kill()
	}

	f.dumpAndRestore()
	f.dir = t.TempDir()
	f.startBroker()
	f.provision()
	index.Stop()
	qdranttest.Resume(t, qdranttest.Version, index.Address, nil)
	f.run("relay-restored", "relay", "")
	f.run("triage-restored", "triage", "")
	f.run("index-restored", "index", "", "WINNOW_VAULT_DIR="+t.TempDir(), similarity)
	f.publishAll(proposals) // as publishers do that heard no answer
	f.awaitNone("what waited is published", `select count(*) from outbox where published_at is null`)
	f.awaitHandled(bus.StreamIntake, "triage")

	for query, want := range map[string]int{
		`select count(*) from proposals`:                       50,
		`select count(*) from inbox where consumer = 'triage'`: 50,
		`select count(distinct proposal_id) from decisions`:    50,
		`select count(*) from (select 1 from decisions where rule <> 'absorbed' group by proposal_id having count(*) > 1) d`: 0,
	} {
		if n := f.count(query); n != want {
			t.Errorf("%s = %d, want %d", query, n, want)
		}
	}
	told := f.decidedEvents()
	for id, n := range told {
		if n != 1 {
			t.Errorf("decision %s was told %d times", id, n)
		}
	}
	if len(told) != waiting {
		t.Errorf("%d decisions were told, want the %d that waited", len(told), waiting)
	}
	f.operate(nil, "audit", "verify", "--rows")
	f.operate(nil, "replay", "decision", "--all")
	again := t.TempDir()
	f.operate([]string{"WINNOW_VAULT_DIR=" + again}, "vault", "rebuild")
	if was, is := memoryFiles(t, files), memoryFiles(t, again); len(was) == 0 || !slices.Equal(was, is) {
		t.Errorf("the files were\n%s\nand are\n%s", strings.Join(was, "\n"), strings.Join(is, "\n"))
	}
	f.indexHoldsAll(similarity)
}

// Durables and a stream of outcomes are deleted below running workers. Provisioning makes
// them again, and everything is delivered again: nothing takes effect twice. What the
// stream lost is published from the outbox.
func TestDurablesAndStreamsDeleted(t *testing.T) {
	f := newFleet(t)
	workers := []*process{f.run("triage", "triage", ""), f.run("relay", "relay", "")}
	proposals := proposaltest.Week(12, 60, 2)
	f.publishAll(proposals[:30])
	f.awaitDecided(30)
	f.awaitNone("every event is published", `select count(*) from outbox where published_at is null`)
	if err := f.js.DeleteConsumer(t.Context(), bus.StreamIntake, "triage"); err != nil {
		t.Fatal(err)
	}
	if err := f.js.DeleteStream(t.Context(), bus.StreamMemory); err != nil {
		t.Fatal(err)
	}
	f.provision()
	for _, p := range workers {
		p.term()
		<-p.done
	}
	f.run("triage-again", "triage", "")
	f.run("relay-again", "relay", "")
	f.operate(nil, "replay", "outbox", "--since", "2h")
	f.publishAll(proposals[30:])
	f.awaitDecided(60)
	f.awaitHandled(bus.StreamIntake, "triage")
	f.awaitNone("every event is published", `select count(*) from outbox where published_at is null`)
	f.exactlyOnce(60)
	sent := make([]string, len(proposals))
	for i, p := range proposals {
		sent[i] = p.GetId()
	}
	f.faultless(sent)
}

// dumpAndRestore puts the database, restored from a dump, in the place of the original.
func (f *fleet) dumpAndRestore() {
	f.t.Helper()
	file := filepath.Join(f.t.TempDir(), "winnow.dump")
	before := f.dbURL
	f.store.Close()
	f.pool.Close()
	f.dbURL = testenv.EmptyDatabase(f.t)
	for _, args := range [][]string{
		{"pg_dump", "--format=custom", "--file=" + file, before},
		{"pg_restore", "--exit-on-error", "--dbname=" + f.dbURL, file},
	} {
		if out, err := exec.Command(postgresProgram(f.t, args[0]), args[1:]...).CombinedOutput(); err != nil {
			f.t.Fatalf("%s: %v\n%s", args[0], err, out)
		}
	}
	f.store = pgtest.Connect(f.t, postgres.Config{URL: f.dbURL})
	f.pool = testenv.Pool(f.t, f.dbURL)
}

// postgresProgram finds a client program of PostgreSQL, or skips the test.
func postgresProgram(t *testing.T, name string) string {
	t.Helper()
	folders, _ := filepath.Glob("/usr/lib/postgresql/*/bin") // Debian keeps them off the path
	for _, folder := range append([]string{os.Getenv("WINNOW_PG_BINDIR")}, folders...) {
		if file := filepath.Join(folder, name); folder != "" {
			if _, err := os.Stat(file); err == nil {
				return file
			}
		}
	}
	file, err := exec.LookPath(name)
	if err != nil {
		testenv.Skip(t, testenv.CapabilityPostgres, name+" is not installed")
	}
	return file
}

// operate runs the command line with settings of its own, and fails the test when it
// does.
func (f *fleet) operate(settings []string, args ...string) []byte {
	f.t.Helper()
	cmd := f.command(args...)
	cmd.Env = append(cmd.Env, settings...)
	out, err := cmd.CombinedOutput()
	if err != nil {
		f.t.Errorf("winnow %s: %v\n%s", strings.Join(args, " "), err, out)
	}
	return out
}

// awaitNone waits until a query counts nothing.
func (f *fleet) awaitNone(what, query string) {
	f.t.Helper()
	eventually(f.t, waitTimeout, what, func() (bool, string) {
		n := f.count(query)
		return n == 0, fmt.Sprintf("%d are left", n)
	})
}

// awaitHandled waits until a durable has settled all that its stream holds.
func (f *fleet) awaitHandled(stream, durable string) {
	f.t.Helper()
	f.awaitHandledWithin(waitTimeout, stream, durable)
}

func idle(c *natsjs.ConsumerInfo) bool { return c.NumPending == 0 && c.NumAckPending == 0 }

// indexHoldsAll waits until the index has every memory of the database.
func (f *fleet) indexHoldsAll(similarity string) {
	f.t.Helper()
	f.indexHolds(similarity, f.count(`select count(*) from memories`))
}

// indexHolds waits until the index has so many memories of the command line's tenant.
func (f *fleet) indexHolds(similarity string, want int) {
	f.t.Helper()
	eventually(f.t, waitTimeout, "the index is filled", func() (bool, string) {
		cmd := f.command("index", "status", "--json")
		cmd.Env = append(cmd.Env, similarity)
		out, err := cmd.Output()
		var state struct {
			Documents int
			Problem   string
		}
		if err == nil {
			err = json.Unmarshal(out, &state)
		}
		return err == nil && state.Documents == want && state.Problem == "", fmt.Sprintf("%d wanted, %s %v", want, out, err)
	})
}

// memoryFiles returns the files of a vault with their content, without its history.
func memoryFiles(t *testing.T, folder string) (all []string) {
	t.Helper()
	err := filepath.WalkDir(folder, func(path string, d fs.DirEntry, err error) error {
		if err == nil && d.IsDir() && d.Name() == ".git" {
			return fs.SkipDir
		}
		if err != nil || d.IsDir() || filepath.Ext(path) != ".md" {
			return err
		}
		text, err := os.ReadFile(path)
		name, _ := filepath.Rel(folder, path)
		all = append(all, name+"\n"+string(text))
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return all
}
