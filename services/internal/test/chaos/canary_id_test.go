package chaos

import (
	"encoding/base64"
	"fmt"
	"math/rand/v2"
	"net/http"
	"net/url"
	"strings"
	"testing"

	"github.com/nats-io/nats.go"

	"github.com/winnowhq/winnow/services/internal/bus"
	"github.com/winnowhq/winnow/services/internal/test/testenv"
)

// secretID returns the nth of the secrets that stand in ids, each in one place alone, so that
// a find names the place: one of a known form, and the address of a chat's webhook, which is
// a secret by its last element.
func secretID(n int, webhook bool) (value, secret string) {
	rng := rand.New(rand.NewPCG(7, uint64(n)))
	b := make([]byte, 36)
	for i := range b {
		b[i] = alnum[rng.IntN(len(alnum))]
	}
	if webhook {
		return "https://hooks.slack.com/services/T01ABCDEF/B02GHIJKL/" + string(b[:24]), string(b[:24])
	}
	return "ghp_" + string(b), "ghp_" + string(b)
}

// An opponent puts a token of a known form, or a webhook of a chat, into every field that holds a name and no
// text: ids, headers, types, times, subjects, keys of requests, of events that are read and
// of events that become dead letters. None is in the database, in the stream's files (which
// are encrypted), in a log at its most talkative, in a label of a metric, in the vault or
// in what `winnow dlq` shows. SPEC §7, promise 5.
func TestSecretsInIDs(t *testing.T) {
	f := newFleet(t)
	testenv.Require(t, testenv.CapabilityGit)
	f.log.recordAll()
	vault := t.TempDir()
	doors := map[string]string{}
	for _, kind := range []string{"ingest", "distill", "triage", "relay", "index", "api"} {
		doors[kind] = f.address()
		f.run(kind, kind, "", "WINNOW_HTTP_ADDR="+doors[kind], "WINNOW_LOG_LEVEL=debug", "WINNOW_VAULT_DIR="+vault, "WINNOW_DEFAULT_PRINCIPAL=agent")
	}
	var planted []canary
	webhook := false
	next := func(where string) string {
		value, secret := secretID(len(planted), webhook)
		planted = append(planted, canary{kind: where, secret: secret})
		return value
	}
	letters := 0
	send := func(subject, body string, header map[string]string) {
		t.Helper()
		m := nats.NewMsg(subject)
		m.Data = []byte(body)
		for name, value := range header {
			m.Header[name] = []string{value}
		}
		if _, err := f.js.PublishMsg(t.Context(), m); err != nil {
			t.Fatalf("%s %v: %v", subject, header, err)
		}
	}
	const proposals, sessions = "memory.proposal.created.agent", "session.completed.agent"
	proposal := func(more string) string {
		return fmt.Sprintf(`{"scope":"project:ids","text":"2026-11-19: the pool of ids-%d is set in its values file by helm."%s}`, len(planted), more)
	}
	session := func(more string) string {
		inline := base64.StdEncoding.EncodeToString(fmt.Appendf(nil, "User: hello %d", len(planted)))
		return fmt.Sprintf(`{"scope":"project:ids","inline":%q%s}`, inline, more)
	}
	read, key := 0, f.operatorKey()
	for _, webhook = range []bool{false, true} {
		for _, name := range []string{"ce-id", "CE-ID", "Nats-Msg-Id", "ce-source", "ce-subject", "ce-time", "ce-traceparent", "traceparent", "tracestate", "X-Request-Id"} {
			send(proposals, proposal(""), map[string]string{"Content-Type": "application/json", name: next("header " + name + " of a proposal")})
			send(sessions, session(""), map[string]string{"Content-Type": "application/json", name: next("header " + name + " of a session")})
			// The same with a body that nobody can read.
			send(proposals, `{"scope":"nowhere`, map[string]string{name: next("header " + name + " of a dead letter")})
			read, letters = read+1, letters+1
		}
		for _, name := range []string{"id", "session_id"} {
			send(proposals, proposal(fmt.Sprintf(`,%q:%q`, name, next(name+" in a proposal"))), nil)
			send(sessions, session(fmt.Sprintf(`,%q:%q`, name, next(name+" in a session"))), nil)
			send(proposals, fmt.Sprintf(`{"scope":"nowhere",%q:%q}`, name, next(name+" in a dead letter")), nil)
			read, letters = read+1, letters+1
		}
		for _, name := range []string{"ce-type", "ce-specversion", "Content-Type", "ce-datacontenttype", "Content-Encoding"} {
			send(proposals, proposal(""), map[string]string{name: next(name)})
		}
		for _, subject := range []string{"memory.proposal.created.%s", "memory.proposal.created.agent.%s", "session.completed.%s", "memory.digest.reply.%s"} {
			send(fmt.Sprintf(subject, next("subject "+subject)), proposal(""), nil)
		}
		for _, key := range []string{"scope", "kind", "section", "origin", "format", "outcome"} {
			send(proposals, fmt.Sprintf(`{"scope":"project:ids","text":"x",%q:%q}`, key, next(key+" in a proposal")), nil)
			send(sessions, session(fmt.Sprintf(`,%q:%q`, key, next(key+" in a session"))), nil)
		}
		for _, field := range []string{"scope", "project"} {
			for _, form := range []string{"project:%s", "%s"} {
				name := fmt.Sprintf(form, strings.TrimPrefix(next(field+" "+form), "https://"))
				send(proposals, fmt.Sprintf(`{"scope":"project:ids","text":"2026-11-19: the pool of named-%d is set in its values file by helm.",%q:%q}`, len(planted), field, name), nil)
				send(sessions, fmt.Sprintf(`{"inline":%q,%q:%q}`, base64.StdEncoding.EncodeToString(fmt.Appendf(nil, "User: hello %d", len(planted))), field, name), nil)
				named := fmt.Sprintf(`{"winnow":"1","id":"s","project":%q}`+"\n"+`{"role":"user","text":"hello %d"}`+"\n", name, len(planted))
				send(sessions, fmt.Sprintf(`{"inline":%q}`, base64.StdEncoding.EncodeToString([]byte(named))), nil)
			}
		}
		for _, door := range []string{doors["ingest"], doors["api"]} {
			for _, path := range []string{"/api/proposals", "/api/sessions", "/api/%s", "/api/memories/%s", "/api/search?session=%s&q=pool", "/api/digests/%s/replies"} {
				if strings.Contains(path, "%s") {
					path = fmt.Sprintf(path, url.QueryEscape(next("path "+path)))
				}
				for _, name := range []string{"Idempotency-Key", "X-Request-Id", "ce-id", "User-Agent", "traceparent"} {
					body := proposal("")
					if strings.HasSuffix(path, "sessions") {
						body = session("")
					}
					r, err := http.NewRequestWithContext(t.Context(), http.MethodPost, "http://"+door+path, strings.NewReader(body))
					if err != nil {
						t.Fatal(err)
					}
					r.Header.Set("Content-Type", "application/json")
					r.Header.Set(name, next("header "+name+" of "+path))
					f.awaitListening(door)
					resp, err := http.DefaultClient.Do(r)
					if err != nil {
						t.Fatal(err)
					}
					_ = resp.Body.Close()
				}
			}
		}
		f.doorsSince(doors["api"], key, next)
	}
	eventually(t, waitTimeout, "everything is settled", func() (bool, string) {
		decided, stored, dead := f.count(`select count(*) from proposals`), f.count(`select count(*) from sessions`), f.stored("winnow.dlq.>")
		open := f.count(`select count(*) from outbox where published_at is null`)
		return decided >= read && stored >= 1 && dead >= letters && open == 0, fmt.Sprintf("%d proposals of %d, %d sessions, %d letters of %d, %d to publish", decided, read, stored, dead, letters, open)
	})
	f.awaitHandled(bus.StreamIntake, "triage")

	labels := sink{name: "metrics"}
	for kind, door := range doors {
		_, body, err := get("http://" + door + "/metrics")
		if err != nil {
			t.Fatal(err)
		}
		labels.add(kind, []byte(body))
	}
	shown := sink{name: "winnow dlq"}
	shown.add("list", f.winnow("dlq", "list", "--json"))
	shown.add("lines", f.winnow("dlq", "list"))
	for _, sink := range []sink{f.database(), f.streams(), f.logs(), f.history(vault), labels, shown} {
		if len(sink.pieces) == 0 {
			t.Errorf("%s: nothing was read, so nothing is shown", sink.name)
		}
		for _, c := range planted {
			if where, ok := sink.holds(c.secret); ok {
				t.Errorf("%s: %s is in %s", sink.name, c.kind, where)
			}
		}
		t.Logf("%s: %d pieces, %d kB", sink.name, len(sink.pieces), sink.size()>>10)
	}
}
