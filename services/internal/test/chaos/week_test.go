package chaos

import (
	"bufio"
	"fmt"
	"io"
	"os/exec"
	"path/filepath"
	"regexp"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/winnowhq/winnow/services/internal/memory"
	"github.com/winnowhq/winnow/services/internal/test/proposaltest"
	"github.com/winnowhq/winnow/services/internal/test/testenv"
	"github.com/winnowhq/winnow/services/internal/vault/git"
)

// reviewer is the person who gets the fleet's digests.
const reviewer = "local"

// A week in the life of the fleet, every part a process of its own: proposals
// are judged, Monday comes while the broker is being killed, three digest
// workers wake and one digest reaches the gateway; the person answers in one
// line, and decisions, audit, MEMORY.md and the next digest agree.
// S3.26–S3.29, S3.32–S3.34, D8.
func TestWeek(t *testing.T) {
	f := newFleet(t)
	testenv.Require(t, testenv.CapabilityGit)
	folder := t.TempDir()
	f.run("triage", "triage", "")
	f.run("relay", "relay", "")
	f.run("index", "index", "", "WINNOW_VAULT_DIR="+folder)
	chat := f.startGateway(gateway)

	week := proposaltest.Week(7, 60, 2)
	for i, text := range questions {
		week[i].Text = text
	}
	f.publishAll(week)
	f.awaitDecided(len(week))

	f.beginSchedule(1)
	monday := time.Now().Add(6 * time.Second).UTC().Truncate(time.Second)
	var clocks []*process
	for i := range 3 {
		clocks = append(clocks, f.run(fmt.Sprintf("digest-%d", i), "digest", "", slot(monday)))
	}
	f.restartBrokerAt(monday)

	text := chat.await(t, "need your call")
	if n := f.count(`select count(*) from digests`); n != 1 {
		t.Errorf("%d digests, want 1", n)
	}
	if n := f.count(`select count(*) from outbox where subject like 'memory.digest.triage.%'`); n != 1 {
		t.Errorf("%d digests were told, want 1", n)
	}
	f.headerCounts(text, `true`)
	waiting := f.waiting()

	chat.say(t, "ok except 1n")
	answer := chat.await(t, "Done:")
	decided := f.count(`select coalesce(sum(cardinality(decisions)), 0) from digest_replies where applied`)
	if n := f.count(`select count(*) from decisions where actor = 'person' and principal = $1`, reviewer); n != decided || n == 0 {
		t.Errorf("%d decisions of a person, the reply says %d: %s", n, decided, answer)
	}
	if n := f.count(`select count(*) from audit_events where action = 'digest.answered'`); n != 1 {
		t.Errorf("%d audit entries of the answer, want 1", n)
	}
	if left := f.waiting(); left != waiting-decided {
		t.Errorf("%d wait after %d of %d were decided", left, decided, waiting)
	}
	f.auditVerifies()
	f.vaultShows(folder)

	for _, c := range clocks {
		c.term()
	}
	next := time.Now().Add(5 * time.Second).UTC().Truncate(time.Second)
	f.run("digest-next", "digest", "", slot(next))
	// Nothing was judged since. The first digest may come a second time.
	second := chat.await(t, "Memory Triage: 0 auto-promoted, 0 auto-rejected, 0 merged, ")
	f.headerCounts(second, `decided_at > (select min(until_at) from digests)`)
	if n := f.count(`select count(*) from digests`); n != 2 {
		t.Errorf("%d digests, want 2", n)
	}
}

// questions are proposals that only a person can decide.
var questions = []string{
	"Handlers should return problem+json errors instead of plain text.",
	"Never run `terraform apply` while a release is rolling out.",
	"Dana prefers tables over bullet lists in status reports.",
	"Always write migrations that can be rolled back.",
}

// slot returns a schedule that is due once, at that second.
func slot(at time.Time) string {
	return "WINNOW_DIGEST_SCHEDULE=" + at.UTC().Format("5 4 15 2 1") + " *"
}

// beginSchedule starts the digest's schedule: a digest that is due from then on is
// sent late by a worker that starts late, and not skipped. Each tenant has a schedule.
func (f *fleet) beginSchedule(tenants int) {
	f.t.Helper()
	p := f.run("digest-begin", "digest", "", slot(time.Now().AddDate(0, 6, 0)))
	eventually(f.t, waitTimeout, "the schedule begins", func() (bool, string) {
		n := f.count(`select count(*) from schedule_runs`)
		return n == tenants, fmt.Sprintf("%d of %d tenants", n, tenants)
	})
	p.term()
	<-p.done
}

// restartBrokerAt kills the broker a moment before and starts it after.
func (f *fleet) restartBrokerAt(at time.Time) {
	f.t.Helper()
	time.Sleep(time.Until(at.Add(-300 * time.Millisecond))) // the test plays the clock, it waits for nothing
	f.broker.kill()
	time.Sleep(time.Until(at.Add(1500 * time.Millisecond)))
	f.startBroker()
}

// waiting counts what waits for a person.
func (f *fleet) waiting() int {
	return f.count(`select count(*) from proposals where state = 'needs_review'`)
}

// header is the first line of a digest (S3.27).
var header = regexp.MustCompile(`(?m)^Memory Triage: (\d+) auto-promoted, (\d+) auto-rejected, (\d+) merged, (\d+) need your call:$`)

// headerCounts compares the first line of the last digest in a text with the
// decisions in the window.
func (f *fleet) headerCounts(text, window string) {
	f.t.Helper()
	all := header.FindAllStringSubmatch(text, -1)
	if len(all) == 0 {
		f.t.Errorf("no header in: %s", text)
		return
	}
	m := all[len(all)-1]
	for i, verdict := range []string{"promoted", "rejected", "merged"} {
		want := f.count(`select count(*) from decisions where actor = 'triage' and verdict = $1 and `+window, verdict)
		if got, _ := strconv.Atoi(m[i+1]); got != want {
			f.t.Errorf("the digest says %d %s, the decisions %d", got, verdict, want)
		}
	}
}

// vaultShows waits until MEMORY.md of every scope has its active memories, with the
// decisions in the commit's trailer.
func (f *fleet) vaultShows(folder string) {
	f.t.Helper()
	v, err := git.Open(folder, memory.DefaultTenant, git.Options{})
	if err != nil {
		f.t.Fatal(err)
	}
	promoted := f.texts(`select m.body, m.scope from memories m join decisions d on d.id = m.decision_id
		where d.actor = 'person' and m.state = 'active'`)
	eventually(f.t, waitTimeout, "MEMORY.md shows what was answered", func() (bool, string) {
		for text, scope := range promoted {
			files, err := v.Read(memory.Scope(scope))
			if err != nil {
				return false, err.Error()
			}
			if !strings.Contains(string(files["MEMORY.md"]), text) {
				return false, text
			}
		}
		return true, ""
	})
	for _, scope := range promoted {
		if last, _, ok, err := v.Last(memory.Scope(scope)); err != nil || !ok || last.Decisions == 0 || last.AuditHead == "" {
			f.t.Errorf("%s: trailer %+v, %v %v", scope, last, ok, err)
		}
	}
	cmd := exec.Command("git", "-C", filepath.Join(folder, "default"), "fsck", "--strict")
	if out, err := cmd.CombinedOutput(); err != nil {
		f.t.Errorf("git fsck: %v\n%s", err, out)
	}
}

// texts reads pairs of strings.
func (f *fleet) texts(query string) map[string]string {
	f.t.Helper()
	rows, err := f.pool.Query(f.t.Context(), query)
	if err != nil {
		f.t.Fatal(err)
	}
	defer rows.Close()
	out := map[string]string{}
	for rows.Next() {
		var k, v string
		if err := rows.Scan(&k, &v); err != nil {
			f.t.Fatal(err)
		}
		out[k] = v
	}
	if err := rows.Err(); err != nil {
		f.t.Fatal(err)
	}
	return out
}

// chat is the example gateway with a person before it.
type chat struct {
	in io.Writer

	mu   sync.Mutex
	text strings.Builder
	read int
}

func (f *fleet) startGateway(principal string) *chat {
	f.t.Helper()
	user := "gateway-" + principal
	cmd := exec.Command(filepath.Join(binaries, "gateway"))
	cmd.Env = append(cmd.Environ(), fmt.Sprintf("WINNOW_GATEWAY_URL=nats://%s:%s@127.0.0.1:%d", user, password(user), f.port))
	in, err := cmd.StdinPipe()
	if err != nil {
		f.t.Fatal(err)
	}
	out, err := cmd.StdoutPipe()
	if err != nil {
		f.t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		f.t.Fatal(err)
	}
	c := &chat{in: in}
	done := make(chan struct{})
	go func() {
		defer close(done)
		for lines := bufio.NewScanner(out); lines.Scan(); {
			c.mu.Lock()
			c.text.WriteString(lines.Text() + "\n")
			c.mu.Unlock()
		}
	}()
	f.t.Cleanup(func() { _ = cmd.Process.Kill(); <-done; _ = cmd.Wait() })
	return c
}

// await returns what the chat shows since the last call, once it holds a text
// and the line after it is there.
func (c *chat) await(t *testing.T, text string) string {
	t.Helper()
	var got string
	eventually(t, waitTimeout, "the chat shows "+text, func() (bool, string) {
		c.mu.Lock()
		defer c.mu.Unlock()
		got = c.text.String()[c.read:]
		if !strings.Contains(got, text) {
			return false, got
		}
		c.read += len(got)
		return true, ""
	})
	return got
}

// rest is what the chat shows since the last call, which may be nothing.
func (c *chat) rest() string {
	c.mu.Lock()
	defer c.mu.Unlock()
	got := c.text.String()[c.read:]
	c.read += len(got)
	return got
}

// say types the person's line.
func (c *chat) say(t *testing.T, line string) {
	t.Helper()
	if _, err := io.WriteString(c.in, line+"\n"); err != nil {
		t.Fatal(err)
	}
}
