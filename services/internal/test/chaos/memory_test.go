package chaos

import (
	"context"
	"fmt"
	"net"
	"net/http"
	"os"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/winnowhq/winnow/services/internal/bus"
	"github.com/winnowhq/winnow/services/internal/test/proposaltest"
	"github.com/winnowhq/winnow/services/internal/test/sessiontest"
	"github.com/winnowhq/winnow/services/internal/vector/qdranttest"
)

// memoryVariable makes TestMemoryOfEachWorker run, with proposals and sessions, such as
// 45000,2000, as `make memory` does. It takes minutes and a quiet machine.
const memoryVariable = "WINNOW_TEST_MEMORY"

// memoryScopes is over how many projects the proposals are distributed.
const memoryScopes = 20

// Each worker, a process of its own, handles so many proposals and sessions; its peak of
// resident memory is printed, as the kernel counted it. A second and a third triage read
// the same scopes with a lane cache of other sizes: their memory follows the setting.
func TestMemoryOfEachWorker(t *testing.T) {
	sizes := strings.Split(os.Getenv(memoryVariable), ",")
	if len(sizes) != 2 {
		t.Skip(memoryVariable + " is not set: make memory")
	}
	proposals, err := strconv.Atoi(sizes[0])
	if err != nil {
		t.Fatal(err)
	}
	sessions, err := strconv.Atoi(sizes[1])
	if err != nil {
		t.Fatal(err)
	}
	f := newFleet(t)
	ctx, cancel := context.WithTimeout(t.Context(), time.Hour)
	defer cancel()
	workers := map[string]*process{}
	address := map[string]string{}
	vault := t.TempDir()
	// With an index triage may leave a scope's rows in the database; without one every
	// scope of a batch is in memory whole.
	var similarity []string
	if os.Getenv(memoryVariable+"_INDEX") != "" {
		similarity = []string{"WINNOW_QDRANT_URL=" + qdranttest.Start(t, qdranttest.Version).Address}
	}
	for _, kind := range stormKinds {
		address[kind.name] = f.address()
		settings := append([]string{"WINNOW_HTTP_ADDR=" + address[kind.name]}, similarity...)
		switch kind.name {
		case "index":
			settings = append(settings, "WINNOW_VAULT_DIR="+vault)
		case "digest":
			settings = append(settings, slot(time.Now().AddDate(0, 6, 0)))
		case "api":
			settings = append(settings, "WINNOW_DEFAULT_PRINCIPAL=agent")
		}
		workers[kind.name] = f.run(kind.name, kind.name, "", settings...)
	}
	for _, kind := range stormKinds {
		f.awaitListening(address[kind.name])
		t.Logf("%-12s %4d MiB at its start", kind.name, peak(t, workers[kind.name])>>20)
	}
	client := f.publisher("agent")
	if _, err := client.Batch(ctx, proposaltest.Week(31, proposals, memoryScopes)); err != nil {
		t.Fatal(err)
	}
	for n := range sessions {
		if _, err := client.SessionCompleted(ctx, sessiontest.Event(31, n, 20_000)); err != nil {
			t.Fatal(err)
		}
	}
	f.awaitHandledWithin(time.Hour, bus.StreamIntake, "triage")
	f.awaitHandledWithin(time.Hour, bus.StreamSessions, "ingest")
	f.awaitNone("sessions are distilled", `select count(*) from sessions where state <> 'distilled'`)
	f.awaitHandledWithin(time.Hour, bus.StreamIntake, "triage")
	f.awaitNone("every event is published", `select count(*) from outbox where published_at is null`)
	// The api answers while everything is there.
	for range 200 {
		status, body, err := get("http://" + address["api"] + "/api/search?project=load-07&q=pool+size+of+billing")
		if err != nil || status != http.StatusOK {
			t.Fatalf("search: %d %s %v", status, body, err)
		}
	}
	rows := f.count(`select count(*) from proposals`)
	for _, kind := range stormKinds {
		t.Logf("%-12s %4d MiB after %d proposals and %d sessions", kind.name, peak(t, workers[kind.name])>>20, rows, sessions)
	}
	lanes := f.metric(address["triage"], "winnow_triage_lane_bytes")
	t.Logf("the lanes of triage: %.1f MiB by its own estimate, %.1f kB a row", lanes/(1<<20), lanes/1000/float64(rows))

	for _, mib := range []int{16, 32, 64, 128} {
		workers["triage"].term()
		<-workers["triage"].done
		door := f.address()
		workers["triage"] = f.run(fmt.Sprint("triage-", mib), "triage", "",
			append([]string{"WINNOW_HTTP_ADDR=" + door, fmt.Sprintf("WINNOW_TRIAGE_LANE_MEMORY=%d", mib)}, similarity...)...)
		again := proposaltest.Apart(uint64(mib), 5000, memoryScopes)
		for _, p := range again {
			p.Id = fmt.Sprintf("%d-%s", mib, p.GetId())
		}
		if _, err := client.Batch(ctx, again); err != nil {
			t.Fatal(err)
		}
		f.awaitHandledWithin(time.Hour, bus.StreamIntake, "triage")
		eventually(t, waitTimeout, "the lanes keep to their setting", func() (bool, string) {
			kept := f.metric(door, "winnow_triage_lane_bytes") / (1 << 20)
			return kept <= float64(mib), fmt.Sprintf("%.1f MiB of %d", kept, mib)
		})
		t.Logf("triage with triage.lane_memory=%-4d %4d MiB; %.1f MiB of lanes by its own estimate, 5000 proposals over all %d rows",
			mib, peak(t, workers["triage"])>>20, f.metric(door, "winnow_triage_lane_bytes")/(1<<20), f.count(`select count(*) from proposals`))
	}
}

// awaitListening waits until something listens at an address.
func (f *fleet) awaitListening(address string) {
	f.t.Helper()
	eventually(f.t, waitTimeout, address+" listens", func() (bool, string) {
		c, err := net.Dial("tcp", address)
		if err != nil {
			return false, err.Error()
		}
		_ = c.Close()
		return true, ""
	})
}

// awaitHandledWithin is awaitHandled for much work.
func (f *fleet) awaitHandledWithin(within time.Duration, stream, durable string) {
	f.t.Helper()
	eventually(f.t, within, durable+" has handled everything", func() (bool, string) {
		c, err := f.js.Consumer(f.t.Context(), stream, durable)
		if err != nil {
			return false, err.Error()
		}
		return idle(c.CachedInfo()), fmt.Sprintf("%+v", c.CachedInfo())
	})
}

// peak is the largest resident memory of a process so far, in bytes.
func peak(t *testing.T, p *process) int {
	t.Helper()
	text, err := os.ReadFile(fmt.Sprintf("/proc/%d/status", p.cmd.Process.Pid))
	if err != nil {
		t.Skipf("peaks of memory are read from /proc: %v", err)
	}
	for line := range strings.Lines(string(text)) {
		var kB int
		if rest, ok := strings.CutPrefix(line, "VmHWM:"); ok {
			if _, err := fmt.Sscan(rest, &kB); err != nil {
				t.Fatal(err)
			}
			return kB << 10
		}
	}
	t.Fatalf("%s: no peak in its status", p.name)
	return 0
}
