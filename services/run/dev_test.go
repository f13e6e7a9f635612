package run_test

import (
	"context"
	"fmt"
	"net"
	"net/http"
	"os"
	"path/filepath"
	"reflect"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/nats-io/nats.go"
	"github.com/nats-io/nats.go/jetstream"
	"go.uber.org/zap"

	"github.com/winnowhq/winnow/services/fleet"
	"github.com/winnowhq/winnow/services/internal/test/testenv"
	"github.com/winnowhq/winnow/services/run"
)

func TestMain(m *testing.M) { testenv.Main(m) }

// One call starts everything, as any user, on free ports (SPEC §15).
func TestDevReady(t *testing.T) {
	t.Parallel()
	testenv.Require(t, testenv.CapabilityPostgres)
	cfg := run.DefaultConfig()
	ctx, cancel := context.WithTimeout(t.Context(), 5*time.Minute)
	defer cancel()
	d, err := run.StartDev(ctx, cfg, run.DevOptions{Ephemeral: true}, testenv.Logger(t, zap.DebugLevel), fleet.All...)
	if err != nil {
		t.Fatal(err)
	}
	defer func() {
		if err := d.Stop(); err != nil {
			t.Errorf("stop: %v", err)
		}
	}()
	t.Logf("ready after %s", d.Took)
	for _, path := range []string{"/livez", "/readyz?verbose", "/metrics"} {
		await(t, path, func() (bool, string) {
			resp, err := http.Get(d.HTTPURL + path)
			if err != nil {
				t.Fatal(err)
			}
			_ = resp.Body.Close()
			// One check of everything that may be missing gets two seconds.
			return resp.StatusCode == http.StatusOK, resp.Status
		})
	}
	// Without a key, the agent of this machine is served; who comes through a proxy or
	// from a page of another site is a stranger (SPEC §15).
	for name, c := range map[string]struct {
		path, header, value string
		want                int
	}{
		"profile":              {"/debug/pprof/cmdline", "User-Agent", "go", http.StatusOK},
		"profile by a proxy":   {"/debug/pprof/cmdline", "X-Forwarded-For", "203.0.113.9", http.StatusForbidden},
		"profile from a page":  {"/debug/pprof/cmdline", "Origin", "https://evil.example", http.StatusForbidden},
		"search":               {"/api/search?q=port", "User-Agent", "go", http.StatusOK},
		"search by a proxy":    {"/api/search?q=port", "Forwarded", "for=203.0.113.9", http.StatusUnauthorized},
		"search from an image": {"/api/search?q=port", "Sec-Fetch-Site", "cross-site", http.StatusUnauthorized},
	} {
		r, err := http.NewRequestWithContext(ctx, http.MethodGet, d.HTTPURL+c.path, nil)
		if err != nil {
			t.Fatal(err)
		}
		r.Header.Set(c.header, c.value)
		resp, err := http.DefaultClient.Do(r)
		if err != nil {
			t.Fatal(err)
		}
		_ = resp.Body.Close()
		if resp.StatusCode != c.want {
			t.Errorf("%s: %s, want %d", name, resp.Status, c.want)
		}
	}
}

// A chat gateway finds the address and login in a file that only the owner can read,
// and has only a gateway's rights (SPEC §4).
func TestDevGateway(t *testing.T) {
	t.Parallel()
	testenv.Require(t, testenv.CapabilityPostgres)
	d, err := run.StartDev(t.Context(), run.DefaultConfig(), run.DevOptions{Ephemeral: true}, zap.NewNop(), fleet.All...)
	if err != nil {
		t.Fatal(err)
	}
	defer d.Stop()
	info, err := os.Stat(d.GatewayFile)
	if err != nil || info.Mode().Perm() != 0o600 || filepath.Dir(d.GatewayFile) != d.Dir {
		t.Fatalf("%s: %v, %v", d.GatewayFile, info, err)
	}
	address, err := os.ReadFile(d.GatewayFile)
	if err != nil {
		t.Fatal(err)
	}
	for subject, allowed := range map[string]bool{
		"memory.digest.reply.gateway":                      true,
		"$JS.API.CONSUMER.INFO.MEMORY.gateway-gateway":     true,
		"$JS.API.CONSUMER.MSG.NEXT.MEMORY.gateway-gateway": true,
		"memory.digest.reply":                              false,
		"memory.digest.reply.local":                        false,
		"memory.proposal.created.gateway":                  false,
		"memory.digest.triage":                             false,
		"$JS.API.CONSUMER.MSG.NEXT.MEMORY.digest":          false,
		"$JS.API.CONSUMER.CREATE.MEMORY.gateway-gateway":   false,
		"$JS.API.STREAM.MSG.GET.MEMORY":                    false,
	} {
		nc, err := nats.Connect(strings.TrimSpace(string(address)), nats.Timeout(time.Minute), nats.ErrorHandler(func(*nats.Conn, *nats.Subscription, error) {}))
		if err != nil {
			t.Fatal(err)
		}
		defer nc.Close()
		if err := nc.Publish(subject, nil); err != nil {
			t.Fatal(err)
		}
		// The reply to a ping arrives after all earlier errors.
		if err := nc.FlushTimeout(time.Minute); err != nil {
			t.Fatal(err)
		}
		if got := nc.LastError() == nil; got != allowed {
			t.Errorf("%s: allowed %v, want %v (%v)", subject, got, allowed, nc.LastError())
		}
	}
}

// The error for a port in use names the flag that helps, and the start leaves nothing
// behind.
func TestDevPortClash(t *testing.T) {
	t.Parallel()
	testenv.Require(t, testenv.CapabilityPostgres)
	taken, err := net.Listen("tcp", "127.0.0.1:0")
	if err != nil {
		t.Fatal(err)
	}
	defer taken.Close()
	port := taken.Addr().(*net.TCPAddr).Port
	for flag, o := range map[string]run.DevOptions{
		"--port=":      {Ephemeral: true, HTTPPort: port},
		"--nats-port=": {Ephemeral: true, NATSPort: port},
	} {
		_, err := run.StartDev(t.Context(), run.DefaultConfig(), o, zap.NewNop(), fleet.All...)
		if err == nil || !strings.Contains(err.Error(), flag) || run.ExitCode(err) != run.ExitDependency {
			t.Errorf("got %v (exit %d), want an error that names %s and exit 4", err, run.ExitCode(err), flag)
		}
	}
}

// A second instance in the same folder reports the running one.
func TestDevTwice(t *testing.T) {
	t.Parallel()
	testenv.Require(t, testenv.CapabilityPostgres)
	d, err := run.StartDev(t.Context(), run.DefaultConfig(), run.DevOptions{Ephemeral: true}, zap.NewNop(), fleet.All...)
	if err != nil {
		t.Fatal(err)
	}
	defer d.Stop()
	cfg := run.DefaultConfig()
	cfg.StateDir = d.Dir
	_, err = run.StartDev(t.Context(), cfg, run.DevOptions{}, zap.NewNop(), fleet.All...)
	if err == nil || !strings.Contains(err.Error(), "already running") {
		t.Errorf("got %v, want: already running", err)
	}
	found, ok, err := run.Locate(cfg)
	if err != nil || !ok || found.Postgres.URL != d.Config.Postgres.URL {
		t.Errorf("locate: found %v, %v", ok, err)
	}
}

// A program without login publishes on the bare intake subjects and gets the
// acknowledgement that its message was stored. With no reply subject can it make the
// server change a stream or store the answer under another name.
func TestDevGuestAimsNoReplies(t *testing.T) {
	t.Parallel()
	testenv.Require(t, testenv.CapabilityPostgres)
	d, err := run.StartDev(t.Context(), run.DefaultConfig(), run.DevOptions{Ephemeral: true}, zap.NewNop(), fleet.All...)
	if err != nil {
		t.Fatal(err)
	}
	defer d.Stop()
	admin, err := jetstream.New(login(t, d.NATSURL, nats.UserInfo(d.Config.NATS.User, d.Config.NATS.Password), nats.CustomInboxPrefix("_INBOX_"+d.Config.NATS.User)))
	if err != nil {
		t.Fatal(err)
	}
	before := streams(t, admin)
	guest := login(t, d.NATSURL)
	js, err := jetstream.New(guest)
	if err != nil {
		t.Fatal(err)
	}
	n := 0
	for _, subject := range []string{"session.completed", "memory.proposal.created", "memory.digest.reply"} {
		if _, err := js.Publish(t.Context(), subject, []byte(`{}`)); err != nil {
			t.Errorf("publish on %s: %v", subject, err)
		}
		replies := []string{"memory.proposal.created.human", "session.completed.other", "memory.recorded", "memory.digest.reply.local"}
		for name, consumers := range before {
			replies = append(replies, "$JS.API.STREAM.PURGE."+name, "$JS.API.STREAM.DELETE."+name)
			for _, c := range consumers {
				replies = append(replies, "$JS.API.CONSUMER.DELETE."+name+"."+c)
			}
		}
		for _, reply := range replies {
			n++
			for _, seq := range []string{"1", "2"} {
				m := &nats.Msg{Subject: subject, Reply: reply, Data: []byte(`{}`), Header: nats.Header{
					"Nats-Batch-Id": {fmt.Sprint("batch-", n)}, "Nats-Batch-Sequence": {seq},
				}}
				if seq == "2" {
					m.Reply = ""
					m.Header.Set("Nats-Batch-Commit", "1")
				}
				if err := guest.PublishMsg(m); err != nil {
					t.Fatal(err)
				}
			}
			if err := guest.PublishRequest(subject, reply, []byte(`{}`)); err != nil {
				t.Fatal(err)
			}
		}
	}
	if err := guest.FlushTimeout(time.Minute); err != nil {
		t.Fatal(err)
	}
	if after := streams(t, admin); !reflect.DeepEqual(after, before) {
		t.Errorf("streams and consumers: %v\nbefore: %v", after, before)
	}
	for name := range before {
		s, err := admin.Stream(t.Context(), name)
		if err != nil {
			continue // reported above
		}
		info, err := s.Info(t.Context(), jetstream.WithSubjectFilter(">"))
		if err != nil {
			t.Fatal(err)
		}
		for _, aimed := range []string{"memory.proposal.created.human", "session.completed.other", "memory.recorded", "memory.digest.reply.local"} {
			if n := info.State.Subjects[aimed]; n > 0 {
				t.Errorf("%d answers of the server are stored on %s", n, aimed)
			}
		}
	}
}

func login(t *testing.T, url string, opts ...nats.Option) *nats.Conn {
	t.Helper()
	nc, err := nats.Connect(url, append(opts, nats.Timeout(time.Minute), nats.ErrorHandler(func(*nats.Conn, *nats.Subscription, error) {}))...)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(nc.Close)
	return nc
}

// streams returns the consumers of every stream by name.
func streams(t *testing.T, admin jetstream.JetStream) map[string][]string {
	t.Helper()
	all := map[string][]string{}
	names := admin.StreamNames(t.Context())
	for name := range names.Name() {
		s, err := admin.Stream(t.Context(), name)
		if err != nil {
			t.Fatal(err)
		}
		consumers := s.ConsumerNames(t.Context())
		all[name] = []string{}
		for c := range consumers.Name() {
			all[name] = append(all[name], c)
		}
		slices.Sort(all[name])
	}
	if err := names.Err(); err != nil {
		t.Fatal(err)
	}
	return all
}
