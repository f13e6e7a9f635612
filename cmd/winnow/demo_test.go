package main

import (
	"bytes"
	"encoding/json"
	"strings"
	"testing"

	"go.uber.org/zap"

	"github.com/winnowhq/winnow/cmd/winnow/cli"
	"github.com/winnowhq/winnow/services/digest"
	"github.com/winnowhq/winnow/services/fleet"
	"github.com/winnowhq/winnow/services/run"
)

// Where a person has questions of their own, the demo shows its digest and
// decides nothing.
func TestDemoLeavesOwnQuestionsAlone(t *testing.T) {
	t.Parallel()
	cfg := run.DefaultConfig()
	cfg.StartTimeout = patience
	digest.Settings.Change(&cfg.Workers, func(c *digest.Config) { c.Schedule = noMonday })
	d, err := run.StartDev(t.Context(), cfg, run.DevOptions{Ephemeral: true}, zap.NewNop(), fleet.All...)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { _ = d.Stop() })
	const own = "Always run `make lint` before you push to `main`."
	var out, talk bytes.Buffer
	winnow := func(args ...string) {
		t.Helper()
		out.Reset()
		talk.Reset()
		if code := cli.Main(append(args, "--json", "--state-dir", d.Dir), strings.NewReader(""), &out, &talk); code != run.ExitOK {
			t.Fatalf("%v: exit %d\n%s", args, code, talk.String())
		}
	}
	winnow("propose", "--scope", "project:own", own)
	winnow("demo")
	var shown struct {
		Digest struct {
			Text  string `json:"text"`
			Items []any  `json:"items"`
		} `json:"digest"`
		Reply   any `json:"reply"`
		Waiting []struct {
			Text string `json:"text"`
		} `json:"waiting"`
	}
	if err := json.NewDecoder(&out).Decode(&shown); err != nil {
		t.Fatal(err)
	}
	if shown.Reply != nil || !strings.Contains(shown.Digest.Text, own) || len(shown.Digest.Items) < 2 {
		t.Errorf("answered with %v:\n%s", shown.Reply, shown.Digest.Text)
	}
	left := false
	for _, w := range shown.Waiting {
		left = left || w.Text == own
	}
	if !left || !strings.Contains(talk.String(), "questions of yours") {
		t.Errorf("still open %v; said %q", left, talk.String())
	}

	// Taken out again it leaves the person's own, and nothing the second time.
	var cleaned struct{ Archived, Rejected, Removed int }
	winnow("remember", "--scope", "project:checkout-api", "The office dog of checkout is called Pixel.")
	winnow("demo", "--clean")
	if err := json.NewDecoder(&out).Decode(&cleaned); err != nil {
		t.Fatal(err)
	}
	if cleaned.Archived < 20 || cleaned.Rejected < 10 || cleaned.Removed < 5 {
		t.Errorf("taken out: %+v", cleaned)
	}
	winnow("memory", "list")
	var memories []struct{ Text string }
	if err := json.NewDecoder(&out).Decode(&memories); err != nil {
		t.Fatal(err)
	}
	if len(memories) != 1 || !strings.Contains(memories[0].Text, "Pixel") {
		t.Errorf("left: %+v", memories)
	}
	winnow("review")
	var open []struct{ Text string }
	if err := json.NewDecoder(&out).Decode(&open); err != nil {
		t.Fatal(err)
	}
	if len(open) != 1 || open[0].Text != own {
		t.Errorf("still open: %+v", open)
	}
	for _, list := range []string{"retired", "bootfile"} {
		winnow(list, "list")
		if got := strings.TrimSpace(out.String()); got != "[]" {
			t.Errorf("%s: %s", list, got)
		}
	}
	winnow("demo", "--clean")
	if err := json.NewDecoder(&out).Decode(&cleaned); err != nil {
		t.Fatal(err)
	}
	if cleaned.Archived+cleaned.Rejected+cleaned.Removed != 0 {
		t.Errorf("the second time: %+v", cleaned)
	}
}
