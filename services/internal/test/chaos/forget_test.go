package chaos

import (
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	natsjs "github.com/nats-io/nats.go/jetstream"

	"github.com/winnowhq/winnow/pkg/publish"
	winnowv1 "github.com/winnowhq/winnow/proto/winnow/v1"
	"github.com/winnowhq/winnow/services/internal/bus"
	"github.com/winnowhq/winnow/services/internal/memory"
	"github.com/winnowhq/winnow/services/internal/session/transcript"
	"github.com/winnowhq/winnow/services/internal/store"
	"github.com/winnowhq/winnow/services/internal/test/testenv"
	"github.com/winnowhq/winnow/services/internal/vector/qdranttest"
	"github.com/winnowhq/winnow/services/run"
)

// A person has things forgotten: by memory, by session and by subject, while the whole
// fleet runs. The words are in no table, stream, file, commit or index any more; the audit
// and its rows verify; what others said stands, in this tenant and in another that said the
// very same. The command is killed in the middle, at several moments, and repeated. SPEC §7.
func TestForget(t *testing.T) {
	f := newFleetWith(t, func(f *fleet) { f.plainStreams = true })
	testenv.Require(t, testenv.CapabilityGit)
	f.log.recordAll()
	index := qdranttest.Start(t, qdranttest.Version)
	vault, similar := t.TempDir(), "WINNOW_QDRANT_URL="+index.Address
	cfg := f.provisioner()
	cfg.Tenant = "acme"
	if err := run.RegisterPrincipal(t.Context(), cfg, run.Principal{ID: "other", Highest: "agent"}); err != nil {
		t.Fatal(err)
	}
	for _, kind := range []string{"ingest", "distill", "triage", "relay"} {
		f.run(kind, kind, "", similar)
	}
	f.run("index", "index", "", "WINNOW_VAULT_DIR="+vault, similar)

	const (
		byMemory  = "quokkaport9137"
		bySession = "wombatpool4421"
		bySubject = "Ottilie Brambilla"
		kept      = "numbatcache7755"
	)
	agent, other := f.publisher("agent"), f.publisher("other")
	propose := func(c *publish.Client, id, text string) {
		t.Helper()
		if _, err := c.Proposal(t.Context(), &winnowv1.ProposalCreated{
			Id: id, Scope: "project:forget", Text: text, Evidence: []*winnowv1.Evidence{{Role: "tool", Text: text}},
		}); err != nil {
			t.Fatal(err)
		}
	}
	about := func(canary string) string {
		return fmt.Sprintf("2026-11-19: the gateway of %s listens on port 7301 in `deploy/%s.yaml`.", canary, canary)
	}
	propose(agent, "p-memory", about(byMemory))
	propose(agent, "p-memory-again", about(byMemory)) // a repeat
	propose(agent, "p-kept", about(kept))
	propose(other, "p-other", about(byMemory))
	propose(agent, "p-subject", "2026-11-19: "+bySubject+" set the pool of `billing.yaml` to 40 connections.")
	propose(agent, "p-subject-waits", "Everybody should ask "+bySubject+" before a deploy.")
	trace, err := json.Marshal([]map[string]string{
		{"role": "user", "content": "Remember that the pool of " + bySession + " is 12 in `" + bySession + ".yaml`."},
		{"role": "assistant", "content": "The pool of " + bySession + " is 12."},
	})
	if err != nil {
		t.Fatal(err)
	}
	for _, as := range []*publish.Client{agent, other} {
		if _, err := as.SessionCompleted(t.Context(), &winnowv1.SessionCompleted{
			Id: "s-forget", SessionId: "s-forget", Scope: "project:forget", Format: "openai-chat", Task: "Look after " + bySession,
			Trace: &winnowv1.SessionCompleted_Inline{Inline: trace},
		}); err != nil {
			t.Fatal(err)
		}
	}
	// A dead letter that says it, and one of the other tenant.
	for _, as := range []string{"agent", "other"} {
		if _, err := f.js.Publish(t.Context(), "memory.proposal.created."+as, []byte(`{"scope":"nowhere","text":"`+about(byMemory))); err != nil {
			t.Fatal(err)
		}
	}
	f.awaitSessions(2)
	f.awaitHandled(bus.StreamIntake, "triage")
	f.awaitNone("every event is published", `select count(*) from outbox where published_at is null`)
	eventually(t, waitTimeout, "the dead letters", func() (bool, string) { n := f.stored("winnow.dlq.>"); return n == 2, fmt.Sprint(n) })
	eventually(t, waitTimeout, "the vault has both", func() (bool, string) {
		text := f.repository(filepath.Join(vault, "default"))
		_, one := text.holds(byMemory)
		_, two := text.holds(kept)
		return one && two, ""
	})
	f.indexHoldsOwn(similar)
	undisturbed := f.others(byMemory, bySession, bySubject)

	forgotten := f.text(`select id from memories where tenant = 'default' and body like '%' || $1 || '%'`, byMemory)
	session := f.text(`select id from sessions where tenant = 'default'`)
	settings := []string{"WINNOW_VAULT_DIR=" + vault, similar}
	// A preview changes nothing and says what would go.
	before := f.text(`select md5(string_agg(m::text, '' order by m.id)) from memories m`)
	if out := f.operate(settings, "forget", forgotten); !strings.Contains(string(out), forgotten) || !strings.Contains(string(out), "messages of INTAKE") {
		t.Errorf("the preview says\n%s", out)
	}
	if after := f.text(`select md5(string_agg(m::text, '' order by m.id)) from memories m`); before != after {
		t.Error("a preview changed memories")
	}
	// A stranger's id is unknown, as is one that is not there.
	foreign := f.text(`select id from memories where tenant = 'acme' limit 1`)
	for _, id := range []string{foreign, "mem_01ARZ3NDEKTSV4RRFFQ69G5FAV"} {
		cmd := f.command("forget", id, "--yes")
		if out, err := cmd.CombinedOutput(); err == nil {
			t.Errorf("forget %s: %s", id, out)
		}
	}
	for _, what := range [][]string{{forgotten}, {session}, {"--subject", strings.ToUpper(bySubject)}} {
		// Killed ever later, until it ends by itself: in each of its steps.
		for after, ended := 50*time.Millisecond, false; !ended; after += 50 * time.Millisecond {
			cmd := f.command(append([]string{"forget", "--yes"}, what...)...)
			cmd.Env = append(cmd.Env, settings...)
			if err := cmd.Start(); err != nil {
				t.Fatal(err)
			}
			killed := time.AfterFunc(after, func() { _ = cmd.Process.Kill() })
			err := cmd.Wait()
			killed.Stop()
			var exit *exec.ExitError
			if ended = err == nil; !ended && (!errors.As(err, &exit) || exit.ExitCode() >= 0) {
				t.Fatalf("forget %v, killed after %v: %v", what, after, err)
			}
		}
		out := f.operate(settings, append([]string{"forget", "--yes", "--json"}, what...)...)
		for _, canary := range []string{byMemory, bySession, bySubject} {
			if strings.Contains(string(out), canary) {
				t.Errorf("the answer says it again: %s", out)
			}
		}
	}
	f.awaitNone("every event is published", `select count(*) from outbox where published_at is null`)
	f.indexHoldsOwn(similar)
	encoded := base64.StdEncoding.EncodeToString([]byte(bySession + " is 12"))
	for _, canary := range []string{byMemory, bySession, bySubject, encoded} {
		for _, s := range []sink{f.databaseOf("default"), f.messagesExcept("other", "acme"), f.repository(filepath.Join(vault, "default")), points(t, index.Address), f.logs()} {
			if len(s.pieces) == 0 {
				t.Errorf("%s: nothing was read, so nothing is shown", s.name)
			}
			if where, ok := s.holds(canary); ok {
				t.Errorf("%s: %q is in %s", s.name, canary, where)
			}
		}
	}
	// The server overwrote the bytes: this stream is not encrypted, and only we said this.
	streams := f.streams()
	if where, ok := streams.holds(bySubject); ok {
		t.Errorf("%q is in %s", bySubject, where)
	}
	text := f.repository(filepath.Join(vault, "default"))
	if _, ok := text.holds(kept); !ok {
		t.Error("the vault lost what nobody had forgotten")
	}
	if now := f.others(byMemory, bySession, bySubject); now != undisturbed {
		t.Errorf("others were disturbed:\n%s\n%s", undisturbed, now)
	}
	if n := f.count(`select count(*) from memories where tenant = 'acme' and state = 'active' and body like '%' || $1 || '%'`, byMemory); n == 0 {
		t.Error("the other tenant's memory is gone")
	}
	f.operate(settings, "audit", "verify", "--rows")
	f.operate(settings, "replay", "decision", "--all")
	if n := f.count(`select count(*) from audit_events e join audit_bodies b using (tenant, link, n) where action = 'memory.forgotten' and tenant = 'default' and body like '%"by"%'`); n < 3 {
		t.Errorf("the audit says it %d times", n)
	}
	// A text that an owner of the database puts into a forgotten row is noticed.
	f.owner(`set session_replication_role = replica; update memories set body = 'forged' where id = '` + forgotten + `'`)
	cmd := f.command("audit", "verify", "--rows")
	out, err := cmd.CombinedOutput()
	if err == nil || !strings.Contains(string(out), forgotten) {
		t.Errorf("a forged text in a forgotten row: %v\n%s", err, out)
	}
}

// others is a digest of all that says none of the words, in both tenants, and of the other
// tenant as a whole.
func (f *fleet) others(words ...string) string {
	f.t.Helper()
	quiet := `(tenant = 'acme' or body <> '' and not winnow_says($1, r::text))`
	var all []string
	for _, query := range []string{
		`select md5(coalesce(string_agg(concat_ws('|', tenant, id, state, body, tags::text), '' order by id), '')) from memories r where ` + quiet,
		`select md5(coalesce(string_agg(concat_ws('|', tenant, id, state, body), '' order by id), '')) from proposals r where ` + quiet,
		`select md5(coalesce(string_agg(concat_ws('|', tenant, subject, id, span), '' order by subject, id), '')) from evidence r where tenant = 'acme' and $1::text[] is not null`,
		`select md5(coalesce(string_agg(concat_ws('|', tenant, session_id, md5(chunk)), '' order by session_id, chunk), '')) from session_traces r where tenant = 'acme' and $1::text[] is not null`,
	} {
		all = append(all, f.text(query, words))
	}
	return strings.Join(all, " ")
}

// databaseOf is every row of a tenant, its transcripts unpacked.
func (f *fleet) databaseOf(tenant memory.Tenant) sink {
	f.t.Helper()
	s := sink{name: "database"}
	for table := range f.texts(`select table_name, table_name from information_schema.columns where table_schema = 'public' and column_name = 'tenant'`) {
		f.addRows(&s, table, ` where tenant = $1`, string(tenant))
	}
	for id := range f.texts(`select id, id from sessions where tenant = '` + string(tenant) + `'`) {
		chunks, err := f.store.Trace(f.t.Context(), tenant, id)
		if errors.Is(err, store.ErrNotFound) || len(chunks) == 0 {
			continue
		}
		lines, err := transcript.Read(chunks)
		if err != nil {
			f.t.Fatal(err)
		}
		s.add("trace of "+id, fmt.Append(nil, lines))
	}
	return s
}

// messagesExcept is every message of every stream but those of one publisher and what
// Winnow tells of its tenant.
func (f *fleet) messagesExcept(principal, tenant string) sink {
	f.t.Helper()
	s := sink{name: "messages"}
	for info := range f.js.ListStreams(f.t.Context()).Info() {
		stream, err := f.js.Stream(f.t.Context(), info.Config.Name)
		if err != nil {
			f.t.Fatal(err)
		}
		for seq := max(info.State.FirstSeq, 1); seq <= info.State.LastSeq; seq++ {
			m, err := stream.GetMsg(f.t.Context(), seq)
			if errors.Is(err, natsjs.ErrMsgNotFound) {
				continue
			}
			if err != nil {
				f.t.Fatal(err)
			}
			if strings.HasSuffix(m.Subject, "."+principal) || strings.HasSuffix(m.Header.Get("Winnow-Dlq-Subject"), "."+principal) {
				continue
			}
			if all := fmt.Sprint(m.Header); !strings.Contains(all, tenant) {
				s.add(info.Config.Name, append([]byte(all), m.Data...))
			}
		}
	}
	return s
}

// repository is a vault's folder with every object of its history, reachable or not.
func (f *fleet) repository(folder string) sink {
	f.t.Helper()
	s := files(f.t, "vault", folder)
	out, err := exec.Command("git", "-C", folder, "cat-file", "--batch-all-objects", "--batch").CombinedOutput()
	if err != nil {
		f.t.Fatalf("git cat-file: %v\n%s", err, out)
	}
	s.add("git objects", out)
	return s
}

// indexHoldsOwn waits until the index has every memory of the default tenant.
func (f *fleet) indexHoldsOwn(similarity string) {
	f.t.Helper()
	f.indexHolds(similarity, f.count(`select count(*) from memories where tenant = 'default'`))
}
