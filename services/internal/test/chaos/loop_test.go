package chaos

import (
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"regexp"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"
	"google.golang.org/protobuf/types/known/timestamppb"

	"github.com/winnowhq/winnow/pkg/publish"
	winnowv1 "github.com/winnowhq/winnow/proto/winnow/v1"
	"github.com/winnowhq/winnow/services/internal/memory"
	"github.com/winnowhq/winnow/services/internal/model/llm/llmtest"
	"github.com/winnowhq/winnow/services/internal/test/testenv"
	"github.com/winnowhq/winnow/services/internal/vault/git"
)

// noted is what a person has imported: one thing said twice, three on one theme, and two
// that nothing is like.
var noted = []string{
	"The gateway of the shop gives up on `payments.acme.test` after 30 seconds.",
	"The gateway of the shop gives up on `payments.acme.test` after 30 seconds, and it logs error E4412.",
	"The mailer retries a failed delivery five times.",
	"A delivery that the mailer retries in vain goes to the queue `mail-dead`.",
	"The mailer waits longer before each delivery that it retries, at most an hour.",
	"Owls hunt at dusk.",
	"Rye bread keeps longer than white bread.",
}

// lessons are what people asked in three sessions, and what the agent found.
var lessons = [][2]string{
	{"Why does the importer of the shop drop rows?", "The importer drops rows whose date has no zone, so parse dates with time.RFC3339."},
	{"Why is the nightly report late?", "The report waits for the lock of the backup, so start it after cmd/backup has ended."},
	{"Why do thumbnails look grey?", "Thumbnails lose their profile in libvips 8.14, so keep it with the flag --keep icc."},
}

// The loop of SPEC §11 from outside, each part a process of its own: sessions arrive over
// NATS and become lessons; with them the project passes the threshold, and a run merges
// what says the same. A search by a person and one by an agent show the new memory and
// no source, also for what only a source said; MEMORY.md follows. On Monday the digest
// tells what was merged and asks about the theme; the answer merges it. The run is taken
// back, then the answer, and a search shows what it showed before.
func TestWholeLoop(t *testing.T) {
	f := newFleet(t)
	testenv.Require(t, testenv.CapabilityGit)
	folder := t.TempDir()
	model := llmtest.NewServer(t, llmtest.Always(llmtest.Valid))
	f.run("ingest", "ingest", "")
	f.run("distill", "distill", "", "WINNOW_LLM_URL="+model.URL, "WINNOW_LLM_MODEL=scripted")
	f.run("triage", "triage", "")
	f.run("relay", "relay", "")
	f.run("index", "index", "", "WINNOW_VAULT_DIR="+folder)
	chat := f.startGateway(gateway)
	f.beginSchedule(1)

	file := filepath.Join(t.TempDir(), "notes.md")
	if err := os.WriteFile(file, []byte("# Facts\n\n- "+strings.Join(noted, "\n- ")+"\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	f.winnow("import", file, "--scope", string(notedScope))
	f.publishSessions()
	learned := func() int {
		return f.count(`select count(*) from memories where state = 'active' and kind = 'strategy' and scope = $1`, string(notedScope))
	}
	eventually(t, waitTimeout, "the sessions become lessons", func() (bool, string) {
		return learned() >= len(lessons), fmt.Sprintf("%d lessons", learned())
	})
	before := f.searches()

	// Seven notes are not above the threshold, and the lessons pass it.
	f.run("consolidate", "consolidate", "", fmt.Sprintf("WINNOW_CONSOLIDATION_MEMORY_COUNT_THRESHOLD=%d", len(noted)), "CONSOLIDATION_SCHEDULER_ENABLED=false")
	eventually(t, waitTimeout, "the run ends", func() (bool, string) {
		done := f.count(`select count(*) from runs where state = 'completed' and trigger = 'threshold'`)
		return done == 1, fmt.Sprintf("%d completed of %d", done, f.count(`select count(*) from runs`))
	})
	merged := f.successor(noted[0])
	if merged == "" || merged != f.successor(noted[1]) {
		t.Fatalf("the two that say the same have the successors %q and %q", merged, f.successor(noted[1]))
	}
	sources := f.ids(noted[:2])
	after := f.searches()
	f.shows(after, merged, sources)
	f.agentSees(merged, sources)
	f.memoryFile(folder, "after the run", func(text string) bool { return strings.Count(text, "The gateway of the shop") == 1 })

	run := f.text(`select id from runs`)
	monday := time.Now().Add(3 * time.Second).UTC().Truncate(time.Second)
	f.run("digest", "digest", "", slot(monday))
	page := chat.await(t, "merge these 3 into it?")
	if !strings.Contains(page, "Merged for you: 2 memories became 1.") || !strings.Contains(page, "winnow runs undo "+run) {
		t.Errorf("the digest does not tell what was merged:\n%s", page)
	}
	n := offered.FindStringSubmatch(page)
	if n == nil {
		t.Fatalf("no question about the theme:\n%s", page)
	}
	chat.say(t, n[1]+"y")
	chat.await(t, "Done: "+n[1]+" promoted")
	theme := f.successor(noted[2])
	for _, text := range noted[2:5] {
		if s := f.successor(text); s == "" || s != theme {
			t.Errorf("%q has the successor %q, want %q", text, s, theme)
		}
	}
	f.auditVerifies()

	// The person's answer is theirs, and stands until it is taken back itself.
	out, err := f.command("runs", "undo", run).CombinedOutput()
	var exit *exec.ExitError
	if !errors.As(err, &exit) || exit.ExitCode() != partly || !strings.Contains(string(out), "it was answered") {
		t.Fatalf("runs undo: %v\n%s", err, out)
	}
	if f.successor(noted[0]) != "" || f.successor(noted[2]) != theme {
		t.Errorf("after the undo of the run: successors %q and %q", f.successor(noted[0]), f.successor(noted[2]))
	}
	f.winnow("undo", f.text(`select proposal_id from memories where id = $1`, theme))
	again := f.searches()
	for query, ids := range before {
		if !slices.Equal(ids, again[query]) {
			t.Errorf("%q found %v before the run and %v after its undo", query, ids, again[query])
		}
	}
	f.memoryFile(folder, "after the undo", func(text string) bool {
		return !slices.ContainsFunc(noted, func(n string) bool { return !strings.Contains(text, n) })
	})
	f.auditVerifies()
}

// offered finds the number of the question whether to merge a theme.
var offered = regexp.MustCompile(`(?m)^(\d+)\. .*\n   merge these 3 into it\?`)

// questionsAsked are searches; the second and the third ask for what one source alone
// said.
var questionsAsked = []string{
	"when does the gateway give up on payments", "what is E4412", "which error does the gateway log", "how often does the mailer retry",
	"when do owls hunt", "why are thumbnails grey",
}

// searches returns the ids that each question finds, best first.
func (f *fleet) searches() map[string][]string {
	f.t.Helper()
	all := map[string][]string{}
	for _, query := range questionsAsked {
		var found struct {
			Found []struct {
				ID string `json:"id"`
			} `json:"found"`
		}
		if err := json.Unmarshal(f.winnow("search", query, "--scope", string(notedScope), "--json"), &found); err != nil {
			f.t.Fatal(err)
		}
		all[query] = []string{}
		for _, m := range found.Found {
			all[query] = append(all[query], m.ID)
		}
	}
	return all
}

// shows checks that every question about the gateway finds the new memory first, and that
// none shows a source.
func (f *fleet) shows(searches map[string][]string, merged string, sources []string) {
	f.t.Helper()
	for n, query := range questionsAsked {
		ids := searches[query]
		if n < 3 && (len(ids) == 0 || ids[0] != merged) {
			f.t.Errorf("%q finds %v, want %s first", query, ids, merged)
		}
		for _, id := range sources {
			if slices.Contains(ids, id) {
				f.t.Errorf("%q shows the archived %s", query, id)
			}
		}
	}
}

// agentSees asks the same as an agent, over MCP.
func (f *fleet) agentSees(merged string, sources []string) {
	f.t.Helper()
	address := fmt.Sprintf("127.0.0.1:%d", testenv.Port(f.t))
	f.run("api", "api", "", "WINNOW_HTTP_ADDR="+address, "WINNOW_DEFAULT_PRINCIPAL=agent")
	var session *mcp.ClientSession
	eventually(f.t, waitTimeout, "the API answers", func() (bool, string) {
		client := mcp.NewClient(&mcp.Implementation{Name: "test", Version: "1"}, nil)
		var err error
		session, err = client.Connect(f.t.Context(), &mcp.StreamableClientTransport{Endpoint: "http://" + address + "/mcp"}, nil)
		return err == nil, fmt.Sprint(err)
	})
	defer session.Close()
	searches := map[string][]string{}
	for _, query := range questionsAsked {
		answer, err := session.CallTool(f.t.Context(), &mcp.CallToolParams{Name: "memory_search", Arguments: map[string]any{"query": query, "project": notedScope.ID()}})
		if err != nil || answer.IsError {
			f.t.Fatalf("memory_search: %v, %v", answer.Content, err)
		}
		text, err := json.Marshal(answer.StructuredContent)
		if err != nil {
			f.t.Fatal(err)
		}
		searches[query] = memoryID.FindAllString(string(text), -1)
	}
	f.shows(searches, merged, sources)
}

var memoryID = regexp.MustCompile(`\bmem_[0-9A-Z]{26}\b`)

// memoryFile waits until MEMORY.md is as wanted.
func (f *fleet) memoryFile(folder, when string, wanted func(string) bool) {
	f.t.Helper()
	v, err := git.Open(folder, memory.DefaultTenant, git.Options{})
	if err != nil {
		f.t.Fatal(err)
	}
	eventually(f.t, waitTimeout, "MEMORY.md follows "+when, func() (bool, string) {
		files, err := v.Read(notedScope)
		if err != nil {
			return false, err.Error()
		}
		text := string(files["MEMORY.md"])
		return wanted(text), text
	})
}

// publishSessions publishes the sessions in which the lessons were learned.
func (f *fleet) publishSessions() {
	f.t.Helper()
	client, err := publish.New(f.nc)
	if err != nil {
		f.t.Fatal(err)
	}
	for n, l := range lessons {
		trace, err := json.Marshal([]map[string]string{
			{"role": "user", "content": l[0]}, {"role": "assistant", "content": l[1]}, {"role": "user", "content": "Great, that works."},
		})
		if err != nil {
			f.t.Fatal(err)
		}
		id := fmt.Sprintf("loop-%d", n)
		if _, err := client.SessionCompleted(f.t.Context(), &winnowv1.SessionCompleted{
			Id: id, SessionId: id, Scope: string(notedScope), Format: "openai-chat", Outcome: "success",
			Trace: &winnowv1.SessionCompleted_Inline{Inline: trace}, EndedAt: timestamppb.New(time.Now().Add(-time.Hour)),
		}); err != nil {
			f.t.Fatal(err)
		}
	}
}

// winnow runs the command line and returns its output.
func (f *fleet) winnow(args ...string) []byte {
	f.t.Helper()
	out, err := f.command(args...).Output()
	if err != nil {
		f.t.Fatalf("winnow %s: %v\n%s", strings.Join(args, " "), err, out)
	}
	return out
}

// command is a command line on the fleet.
func (f *fleet) command(args ...string) *exec.Cmd {
	cmd := exec.Command(filepath.Join(binaries, "winnow"), args...)
	cmd.Env = append(cmd.Environ(), "WINNOW_POSTGRES_URL="+f.dbURL, "WINNOW_NATS_URL="+f.natsURL(), "WINNOW_NATS_USER=cli", "WINNOW_NATS_PASSWORD="+password("cli"),
		"WINNOW_NATS_FORGET_USER=forget", "WINNOW_NATS_FORGET_PASSWORD="+password("forget"),
		"WINNOW_REDACT_KEY=only for tests")
	return cmd
}

// partly is the exit code of a command that left something as it was, and said why.
const partly = 6

// text is one text from the database.
func (f *fleet) text(query string, args ...any) string {
	f.t.Helper()
	var s string
	if err := f.pool.QueryRow(f.t.Context(), query, args...).Scan(&s); err != nil {
		f.t.Fatalf("%s: %v", query, err)
	}
	return s
}

// ids are those of imported notes, in order.
func (f *fleet) ids(notes []string) []string {
	f.t.Helper()
	var ids []string
	for _, n := range notes {
		ids = append(ids, f.text(`select id from memories where body = $1 order by id limit 1`, n))
	}
	return ids
}

// successor is the memory that replaced a note, empty for none.
func (f *fleet) successor(note string) string {
	f.t.Helper()
	return f.text(`select successor_id from memories where body = $1 order by id limit 1`, note)
}
