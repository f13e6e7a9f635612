package index_test

import (
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/winnowhq/winnow/services/internal/memory"
	"github.com/winnowhq/winnow/services/internal/memoryfile/projection"
	"github.com/winnowhq/winnow/services/internal/review"
	"github.com/winnowhq/winnow/services/internal/store"
	"github.com/winnowhq/winnow/services/internal/test/testenv"
	"github.com/winnowhq/winnow/services/relay"
	"github.com/winnowhq/winnow/services/triage"
)

const (
	pool    = "`pgbouncer` keeps 12 connections to `pg-main` open."
	redis   = "`redis` in deploy/cache.yaml runs version 7.2."
	invoice = "The invoices of the shop are numbered per country."
)

// edited returns a rendered file of a running fleet, for a person to change.
func edited(t *testing.T) *rig {
	t.Helper()
	r := setupFleet(t, relay.Definition, triage.Definition)
	r.promote(shop, pool, redis, invoice)
	r.until("the file shows the memories", func() bool { return r.shows(shop, pool) && r.shows(shop, invoice) })
	return r
}

// noUnread fails unless every edit was read back and rendered.
func (r *rig) noUnread() bool {
	r.Helper()
	list, err := r.vault().Unread(shop)
	if err != nil {
		r.Fatal(err)
	}
	changed, err := r.vault().Changed(shop)
	return err == nil && len(list)+len(changed) == 0
}

// SPEC §13: a new line is a proposal of origin human. A fact is promoted, and the
// line stays in the file all the time.
func TestAddedFactIsPromoted(t *testing.T) {
	t.Parallel()
	r := edited(t)
	const added = "2026-11-19: `nginx` in deploy/front.yaml keeps 512 connections open."
	r.replace(shop, "- "+invoice+"\n", "- "+invoice+"\n- "+added+"\n")
	r.until("the edit is done", func() bool {
		if !r.shows(shop, added) {
			t.Fatalf("the line was taken away:\n%s", r.file(shop))
		}
		return len(r.memories(shop, memory.StateActive)) == 4 && r.noUnread()
	})
	p := r.written(shop)
	if len(p) != 1 || p[0].Origin != memory.OriginHuman || p[0].Text != added {
		t.Errorf("proposals %+v", p)
	}
	r.step()
	r.restart()
	r.step()
	if len(r.written(shop)) != 1 || r.counter("winnow_vault_hand_edits_total") != 1 {
		t.Errorf("it took effect more than once")
	}
}

// A rule waits for a reviewer and stays visible. After its rejection it is removed
// from the file in the next idle round, without an event.
func TestAddedRuleWaitsVisibly(t *testing.T) {
	t.Parallel()
	r := edited(t)
	const rule = "Never push to `main` without a review by the payments team."
	r.save(shop, r.file(shop)+"\n## Hard Rules\n\n- "+rule+"\n")
	r.until("it waits for a reviewer", func() bool {
		p := r.written(shop)
		return len(p) == 1 && p[0].State == memory.ProposalNeedsReview && r.noUnread()
	})
	if !r.shows(shop, rule) {
		t.Fatalf("it is not in the file:\n%s", r.file(shop))
	}
	set, _, err := r.decider().Answer(t.Context(), r.written(shop)[0].ID, review.Answer{Action: review.ActionReject})
	if err != nil {
		t.Fatal(err)
	}
	r.commit(tenant, set)
	r.idleStep()
	if r.shows(shop, rule) {
		t.Errorf("it was turned down and is still shown:\n%s", r.file(shop))
	}
}

// A person may withdraw an entry that still waits.
func TestWaitingLineIsWithdrawn(t *testing.T) {
	t.Parallel()
	r := edited(t)
	const rule = "Never push to `main` without a review by the payments team."
	r.save(shop, r.file(shop)+"\n## Hard Rules\n\n- "+rule+"\n")
	r.until("it waits for a reviewer", func() bool { return len(r.written(shop)) == 1 && r.noUnread() })
	r.replace(shop, "- "+rule+"\n", "")
	r.until("it is withdrawn", func() bool { return r.written(shop)[0].State == memory.ProposalRejected && r.noUnread() })
	if r.shows(shop, rule) {
		t.Errorf("it came back:\n%s", r.file(shop))
	}
}

// Another number in a line is an edit: a new memory supersedes the old one.
func TestChangedNumberEditsTheMemory(t *testing.T) {
	t.Parallel()
	r := edited(t)
	old := r.memories(shop, memory.StateActive)[0]
	r.replace(shop, "12 connections", "16 connections")
	r.until("it is done", r.noUnread)
	now := strings.Replace(pool, "12", "16", 1)
	if !r.shows(shop, now) || r.shows(shop, pool) {
		t.Errorf("the file says\n%s", r.file(shop))
	}
	gone := r.memories(shop, memory.StateArchived)
	if len(gone) != 1 || gone[0].ID != old.ID || gone[0].SuccessorID == "" {
		t.Fatalf("archived: %+v", gone)
	}
	m, err := r.store.Memory(t.Context(), tenant, gone[0].SuccessorID)
	if err != nil || m.Text != now || m.Origin != memory.OriginHuman || m.Principal != memory.VaultPrincipal(tenant) {
		t.Errorf("successor %+v, %v", m, err)
	}
}

// Write access to a file does not prove a person: an edit that turns a fact into an
// instruction is judged.
func TestChangedIntoAnInstructionIsJudged(t *testing.T) {
	t.Parallel()
	r := edited(t)
	const order = "Always number the invoices of the shop per country."
	r.replace(shop, invoice, order)
	r.until("it is judged", func() bool {
		p := r.written(shop)
		return len(p) == 1 && p[0].Text == order && r.noUnread()
	})
	if p := r.written(shop)[0]; p.State != memory.ProposalNeedsReview || strings.Contains(r.texts(shop), order) {
		t.Errorf("state %s; in service:\n%s", p.State, r.texts(shop))
	}
	if !r.shows(shop, order) {
		t.Errorf("what the person wrote is not in the file:\n%s", r.file(shop))
	}
}

// A line under another heading moves its memory. That includes rules, because their
// words were judged before.
func TestMovedLine(t *testing.T) {
	t.Parallel()
	r := edited(t)
	const rule = "Never log the body of a payment."
	r.promoteAs(shop, memory.KindRule, "Hard Rules", rule)
	r.until("the rule is shown", func() bool { return r.shows(shop, rule) })
	for _, text := range []string{rule, redis} {
		r.replace(shop, "- "+text+"\n", "")
		r.save(shop, r.file(shop)+"\n## System Architecture\n\n- "+text+"\n")
		r.until("it is done", r.noUnread)
	}
	for _, m := range r.memories(shop, memory.StateActive) {
		if (m.Text == rule || m.Text == redis) != (m.Section == "System Architecture") {
			t.Errorf("%q is under %q", m.Text, m.Section)
		}
	}
	if n := len(r.memories(shop, memory.StateActive)); n != 4 {
		t.Errorf("%d memories, want 4", n)
	}
}

// A removed line archives its memory. Undo restores it to the file.
func TestRemovedLineIsArchivedAndUndone(t *testing.T) {
	t.Parallel()
	r := edited(t)
	r.replace(shop, "- "+redis+"\n", "")
	r.until("it is done", r.noUnread)
	gone := r.memories(shop, memory.StateArchived)
	if len(gone) != 1 || gone[0].Text != redis || r.shows(shop, redis) {
		t.Fatalf("archived %+v; the file is\n%s", gone, r.file(shop))
	}
	set, _, err := r.decider().Undo(t.Context(), false, gone[0].ID)
	if err != nil {
		t.Fatal(err)
	}
	r.commit(tenant, set)
	r.step()
	if !r.shows(shop, redis) {
		t.Errorf("after the undo the file is\n%s", r.file(shop))
	}
}

// A file that lost many lines at once, or was deleted, archives nothing and is
// rendered again.
func TestLostFilesComeBack(t *testing.T) {
	t.Parallel()
	r := setup(t)
	var many []string
	for i := range 20 {
		many = append(many, fmt.Sprintf("Fact %d of the shop is written down.", i))
	}
	r.promote(shop, many...)
	r.step()
	full := r.file(shop)
	for name, lose := range map[string]func(){
		"truncated": func() { r.save(shop, full[:len(full)/2]) },
		"emptied":   func() { r.save(shop, "") },
		"removed":   func() { must(t, os.Remove(r.path(shop))) },
		"folder":    func() { must(t, os.RemoveAll(filepath.Dir(r.path(shop)))) },
		"vault":     func() { must(t, os.RemoveAll(r.root)) },
	} {
		lose()
		r.await(name+": the file is back", func() bool {
			_ = r.tryStep(t.Context()) // the first step finds the folder missing
			return r.file(shop) == full
		})
		if n := len(r.memories(shop, memory.StateArchived)); n > 0 {
			t.Fatalf("%s: %d memories were archived", name, n)
		}
	}
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// While triage is down the file stays as its author saved it, whatever else happens.
// Afterwards it contains everything.
func TestEditWhileTriageIsDown(t *testing.T) {
	t.Parallel()
	r := setupFleet(t, relay.Definition)
	r.promote(shop, pool)
	r.step()
	const added = "2026-11-19: `nginx` in deploy/front.yaml keeps 512 connections open."
	r.save(shop, r.file(shop)+"- "+added+"\n")
	mine := r.file(shop)
	r.promote(shop, redis)
	for range 3 {
		r.step()
		if got := r.file(shop); got != mine {
			t.Fatalf("it was rendered over:\n%s", got)
		}
	}
	r.run(triage.Definition, r.deps)
	r.until("all is well", func() bool { return r.shows(shop, added) && r.shows(shop, redis) && r.noUnread() })
	if !strings.Contains(r.texts(shop), added) {
		t.Errorf("in service:\n%s", r.texts(shop))
	}
}

// Promise 5 (SPEC §16): a secret that a person types into the file is removed from
// the file and reaches no table, not even the outbox.
func TestSecretInAFileIsRedacted(t *testing.T) {
	t.Parallel()
	r := edited(t)
	const secret = "AKIAQYLPMN5HHHFPZAM2"
	r.replace(shop, "- "+invoice+"\n", "- "+invoice+"\n- 2026-11-19: the bucket `shop` is read with aws_access_key_id="+secret+".\n")
	r.replace(shop, "12 connections", "16 connections, password=hunter2hunter2,")
	r.until("it is done", func() bool { return len(r.written(shop)) == 1 && r.noUnread() })
	dump := exec.Command("pg_dump", "--data-only", r.db.URL)
	if out, err := dump.Output(); err == nil {
		for _, s := range []string{secret, "hunter2hunter2"} {
			if strings.Contains(string(out), s) {
				t.Errorf("%s is in the database", s)
			}
		}
	} else {
		t.Logf("the tables are not searched, pg_dump: %v", err)
	}
	if got := r.file(shop); strings.Contains(got, secret) || !strings.Contains(got, "⟨secret:") {
		t.Errorf("the file is\n%s", got)
	}
}

// Two edits in one save, and one commit by a person in two scopes, are read back
// scope by scope, each once.
func TestEditsTogetherAndByGit(t *testing.T) {
	t.Parallel()
	testenv.Require(t, testenv.CapabilityGit)
	r := edited(t)
	const team = memory.Scope("team:shop")
	r.promote(team, "The team meets on Tuesdays at 10:00.")
	r.until("both are shown", func() bool { return r.shows(team, "The team meets on Tuesdays at 10:00.") })
	r.replace(shop, "12 connections", "16 connections")
	r.replace(shop, "- "+redis+"\n", "")
	r.replace(team, "10:00", "11:30")
	for _, args := range [][]string{{"add", "-A"}, {"-c", "user.name=mara", "-c", "user.email=mara@example.org", "commit", "-qm", "corrections"}} {
		cmd := exec.Command("git", append([]string{"-C", r.vault().Dir()}, args...)...)
		if out, err := cmd.CombinedOutput(); err != nil {
			t.Fatalf("git %v: %v\n%s", args, err, out)
		}
	}
	r.until("it is done", func() bool {
		return r.noUnread() && len(r.memories(team, memory.StateArchived)) == 1
	})
	if in := r.texts(shop); !strings.Contains(in, "16 connections") || strings.Contains(in, redis) || strings.Contains(in, "12 conn") {
		t.Errorf("in service:\n%s", in)
	}
	if in := r.texts(team); in != "- The team meets on Tuesdays at 11:30.\n" {
		t.Errorf("in service for the team:\n%s", in)
	}
}

// The longest entry of a file is the longest text that triage accepts, so that a
// longer one is refused where its author sees it.
func TestEntryLimitIsTriages(t *testing.T) {
	t.Parallel()
	if projection.MaxEntry != memory.MaxText {
		t.Errorf("an entry may have %d bytes, a proposal %d", projection.MaxEntry, memory.MaxText)
	}
}

// A rendering equal to the author's file ends the edit as well: when its memory is
// archived and restored later, the line is not removed again.
func TestEditEndsWithoutAChange(t *testing.T) {
	t.Parallel()
	r := edited(t)
	r.replace(shop, "- "+redis+"\n", "")
	r.until("it is done", r.noUnread)
	d, err := r.store.Decisions(t.Context(), tenant, store.DecisionQuery{Scope: shop, Rule: review.RuleArchive})
	if err != nil || len(d) != 1 {
		t.Fatalf("%d archivings, %v", len(d), err)
	}
	if last := r.log(shop); last[len(last)-1].Hand {
		t.Errorf("the last commit is still the hand edit")
	}
}
