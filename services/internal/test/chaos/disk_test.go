package chaos

import (
	"context"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/winnowhq/winnow/pkg/publish"
	winnowv1 "github.com/winnowhq/winnow/proto/winnow/v1"
	"github.com/winnowhq/winnow/services/internal/test/proposaltest"
	"github.com/winnowhq/winnow/services/internal/test/testenv"
)

// The disk below the streams has no room left. Publishers hear no acknowledgement, the
// HTTP intake accepts, and the relay is not ready and says why. With room again the
// server still refuses, until the health check of the compose file has it started again;
// then everybody goes on by themselves. Everything was decided once. The third disk, that
// of Postgres, is in the store's TestFullDisk.
func TestFullDiskBelowTheStreams(t *testing.T) {
	chaosOnly(t)
	disk := testenv.SmallDisk(t, "48m")
	f := newFleetWith(t, func(f *fleet) { f.dir = disk })
	testenv.Require(t, "wget") // with which the health check asks
	door, relay := f.address(), f.address()
	f.run("ingest", "ingest", "", "WINNOW_HTTP_ADDR="+door)
	f.run("triage", "triage", "")
	f.run("relay", "relay", "", "WINNOW_HTTP_ADDR="+relay)
	week := proposaltest.Week(14, 70, 3)
	f.publishAll(week[:20])
	f.awaitDecided(20)
	f.awaitNone("every event is published", `select count(*) from outbox where published_at is null`)
	f.awaitReadiness(relay, http.StatusOK, "nats: ok")
	if healthy, _ := f.healthCheck(disk); !healthy {
		t.Fatal("the broker is not healthy before")
	}

	filler := testenv.FillDisk(t, disk)
	// What is left of the last block of the disk takes a few events.
	client := f.publisher("agent")
	held := week[20:50]
	refused := slices.IndexFunc(held, func(p *winnowv1.ProposalCreated) bool { return publishOnce(client, p) != nil })
	if refused < 0 {
		t.Fatal("the full disk took everything")
	}
	for _, p := range week[50:] {
		f.post("http://"+door+"/api/proposals", map[string]any{"id": p.GetId(), "scope": p.GetScope(), "text": p.GetText()})
	}
	f.awaitReadiness(relay, http.StatusServiceUnavailable, "outbox: events wait, the server stores none")
	if n := f.metric(relay, "winnow_outbox_failures_total"); n == 0 {
		t.Error("winnow_outbox_failures_total is 0")
	}
	if healthy, ended := f.healthCheck(disk); healthy || ended {
		t.Errorf("on the full disk: healthy %v, ended %v", healthy, ended)
	}

	if err := os.Remove(filler); err != nil {
		t.Fatal(err)
	}
	if err := publishOnce(client, held[refused]); err == nil {
		t.Error("the server stores again by itself: the health check need not end it any more")
	}
	if _, ended := f.healthCheck(disk); !ended {
		t.Error("with room the health check does not have the broker started again")
	}
	if healthy, ended := f.healthCheck(disk); !healthy || ended {
		t.Errorf("after the start: healthy %v, ended %v", healthy, ended)
	}
	for _, p := range held { // as publishers do that heard no answer
		f.publish(client, p)
	}
	f.awaitDecided(len(week))
	f.awaitNone("every event is published", `select count(*) from outbox where published_at is null`)
	f.awaitReadiness(relay, http.StatusOK, "nats: ok")
	f.exactlyOnce(len(week))
}

// The limit of the streams is reached before their disk is full, which docs/operations.md
// recommends: the server says so to publishers, readiness says it too, and a higher limit
// is enough. Nobody restarts anything.
func TestStreamsAtTheirLimit(t *testing.T) {
	f := newFleetWith(t, func(f *fleet) { f.limit = "1MB" })
	door, relay := f.address(), f.address()
	f.run("ingest", "ingest", "", "WINNOW_HTTP_ADDR="+door)
	f.run("triage", "triage", "")
	f.run("relay", "relay", "", "WINNOW_HTTP_ADDR="+relay)
	client := f.publisher("agent")
	var sent []*winnowv1.ProposalCreated
	filling := strings.Repeat("-", 4000) // small enough for triage
	for n := 0; ; n++ {
		p := &winnowv1.ProposalCreated{
			Id: fmt.Sprintf("limit-%03d", n), Scope: "project:limit", Text: fmt.Sprintf("2026-11-%02d: the pool of limit-%d is set by helm.", n%28+1, n),
			Evidence: []*winnowv1.Evidence{{Role: "tool", Text: "set " + filling}, {Role: "tool", Text: "by helm " + filling}},
		}
		sent = append(sent, p)
		if err := publishOnce(client, p); err != nil {
			if !strings.Contains(err.Error(), "resource") && !strings.Contains(err.Error(), "storage") {
				t.Errorf("publishers are told: %v", err)
			}
			if filling == "" {
				break
			}
			filling = "" // small events still have room
		}
		if n > 1000 {
			t.Fatal("the limit took everything")
		}
	}
	f.post("http://"+door+"/api/proposals", map[string]any{"id": "by-http", "scope": "project:limit", "text": "2026-11-21: the mailer's queue is `mail-dead`."})
	f.awaitReadiness(relay, http.StatusServiceUnavailable, "outbox: events wait, the server stores none")

	f.raiseLimit("1GB")
	for _, p := range sent { // as publishers do that were refused
		f.publish(client, p)
	}
	f.awaitDecided(len(sent) + 1)
	f.awaitNone("every event is published", `select count(*) from outbox where published_at is null`)
	f.awaitReadiness(relay, http.StatusOK, "nats: ok")
	f.exactlyOnce(len(sent) + 1)
}

// The disk below the vault has no room left: the index worker is not ready and says why,
// decisions go on, and with room again MEMORY.md follows. The files are those of a vault
// that never met a full disk, and the history is whole.
func TestFullDiskBelowTheVault(t *testing.T) {
	f := newFleet(t)
	disk := testenv.SmallDisk(t, "8m")
	testenv.Require(t, testenv.CapabilityGit)
	index := f.address()
	f.run("triage", "triage", "")
	f.run("relay", "relay", "")
	f.run("index", "index", "", "WINNOW_VAULT_DIR="+disk, "WINNOW_HTTP_ADDR="+index)
	week := proposaltest.Week(15, 60, 3)
	f.publishAll(week[:20])
	f.awaitDecided(20)
	eventually(t, waitTimeout, "the vault is written", func() (bool, string) {
		return len(memoryFiles(t, disk)) > 0, "no file"
	})

	filler := testenv.FillDisk(t, disk)
	f.publishAll(week[20:40])
	f.awaitDecided(40)
	f.awaitReadiness(index, http.StatusServiceUnavailable, "vault: its disk is full")
	if n := f.metric(index, "winnow_vault_failures_total"); n == 0 {
		t.Error("winnow_vault_failures_total is 0")
	}
	f.publishAll(week[40:])
	f.awaitDecided(60)

	if err := os.Remove(filler); err != nil {
		t.Fatal(err)
	}
	f.awaitReadiness(index, http.StatusOK, "nats: ok")
	again := t.TempDir()
	f.operate([]string{"WINNOW_VAULT_DIR=" + again}, "vault", "rebuild")
	want := strings.Join(memoryFiles(t, again), "\n")
	eventually(t, waitTimeout, "the vault has everything", func() (bool, string) {
		got := strings.Join(memoryFiles(t, disk), "\n")
		return got == want, fmt.Sprintf("%d bytes, want %d", len(got), len(want))
	})
	repos, _ := filepath.Glob(filepath.Join(disk, "*", ".git"))
	if len(repos) == 0 {
		t.Error("no repository")
	}
	for _, r := range repos {
		if out, err := exec.Command("git", "--git-dir", r, "fsck", "--strict").CombinedOutput(); err != nil {
			t.Errorf("git fsck: %v\n%s", err, out)
		}
	}
	f.exactlyOnce(60)
}

// publishOnce publishes with one attempt.
func publishOnce(client *publish.Client, p *winnowv1.ProposalCreated) error {
	ctx, cancel := context.WithTimeout(context.Background(), 2*time.Second)
	defer cancel()
	_, err := client.Proposal(ctx, p)
	return err
}

// healthCheck runs that of docker-compose.yml against the broker and starts the broker
// again when the check has ended it, as compose does.
func (f *fleet) healthCheck(disk string) (healthy, ended bool) {
	f.t.Helper()
	cmd := exec.Command("sh", filepath.Join(testenv.Root(f.t), "deploy", "nats", "health.sh"))
	cmd.Env = append(os.Environ(), fmt.Sprintf("NATS_MONITOR=http://127.0.0.1:%d", f.monitor), "NATS_DATA="+disk,
		fmt.Sprintf("NATS_PID=%d", f.broker.cmd.Process.Pid), "NATS_LEAST_FREE_KB=8192", "NATS_ENDED="+filepath.Join(disk, "ended"))
	out, err := cmd.Output()
	if ended = strings.Contains(string(out), "started again"); ended {
		<-f.broker.done
		f.startBroker()
	}
	return err == nil, ended
}

// raiseLimit sets what the broker may store, as an operator does: in its file, which it
// reads again.
func (f *fleet) raiseLimit(limit string) {
	f.t.Helper()
	f.limit = limit
	f.configureBroker()
	if err := f.broker.cmd.Process.Signal(syscall.SIGHUP); err != nil {
		f.t.Fatal(err)
	}
}

// address is one at which a process can serve, reserved for the test.
func (f *fleet) address() string {
	f.t.Helper()
	return fmt.Sprintf("127.0.0.1:%d", testenv.Port(f.t))
}

// awaitReadiness waits until a process answers /readyz with a status and a text.
func (f *fleet) awaitReadiness(address string, status int, text string) {
	f.t.Helper()
	eventually(f.t, waitTimeout, "readiness says "+text, func() (bool, string) {
		got, body, err := get("http://" + address + "/readyz?verbose")
		return err == nil && got == status && strings.Contains(body, text), fmt.Sprintf("%d %s %v", got, body, err)
	})
}

// metric is the sum of a metric over its labels.
func (f *fleet) metric(address, name string) (sum float64) {
	f.t.Helper()
	_, body, err := get("http://" + address + "/metrics")
	if err != nil {
		f.t.Fatal(err)
	}
	for line := range strings.Lines(body) {
		var n float64
		if rest, ok := strings.CutPrefix(line, name); ok && (rest[0] == ' ' || rest[0] == '{') {
			if _, err := fmt.Sscan(rest[strings.LastIndexByte(rest, ' '):], &n); err == nil {
				sum += n
			}
		}
	}
	return sum
}

func get(url string) (status int, body string, err error) {
	resp, err := http.Get(url)
	if err != nil {
		return 0, "", err
	}
	defer resp.Body.Close()
	text, err := io.ReadAll(resp.Body)
	return resp.StatusCode, string(text), err
}
