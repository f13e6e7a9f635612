package ingest

import (
	"fmt"
	"strings"
	"testing"
	"time"

	winnowv1 "github.com/winnowhq/winnow/proto/winnow/v1"
	"github.com/winnowhq/winnow/services/internal/guard/redact"
	"github.com/winnowhq/winnow/services/internal/ident"
	"github.com/winnowhq/winnow/services/internal/judge/lexical"
	"github.com/winnowhq/winnow/services/internal/memory"
	"github.com/winnowhq/winnow/services/internal/session/format"
	"github.com/winnowhq/winnow/services/internal/session/trace"
	"github.com/winnowhq/winnow/services/internal/session/trust"
)

// session is a transcript of about size bytes, as a coding agent writes it: half
// of it is what tools print, one page is from outside, one secret is in it.
func session(size int) string {
	var b strings.Builder
	b.WriteString(`{"winnow":"1","id":"s","remote":"git@github.com:acme/api.git"}` + "\n")
	for i := 0; b.Len() < size; i++ {
		switch i % 6 {
		case 0:
			fmt.Fprintf(&b, `{"role":"user","text":"Step %d: the importer of module%d loses rows, please find out why and repair it."}`+"\n", i, i%13)
		case 1, 3:
			fmt.Fprintf(&b, `{"role":"assistant","tool":"Bash","call":"%d","command":"cd services/module%d && go test ./... -run TestImport%d"}`+"\n", i, i%13, i)
		case 2, 4:
			fmt.Fprintf(&b, `{"role":"tool","call":"%d","exit_code":%d,"text":"--- FAIL: TestImport%d (0.0%ds)\n    importer_test.go:%d: got %d rows, want %d\n    internal/importer/cursor.go:%d: commit 3f2a91c left the cursor outside of the transaction\nFAIL\tacme/module%d\t0.412s"}`+"\n",
				i-1, i%4/2, i-1, i%10, 40+i, i*7, i*7+1, i+3, i%13)
		default:
			fmt.Fprintf(&b, `{"role":"assistant","text":"The cursor of module%d is read before the transaction begins; I move it inside, so that a second run begins where the first stopped."}`+"\n", i%13)
		}
		if i == 8 {
			b.WriteString(`{"role":"tool","tool":"WebFetch","text":"Cursors in Postgres: declare them inside of a transaction block. Hold them open with hold. Read more on the manual page."}` + "\n" +
				`{"role":"tool","tool":"Bash","text":"DATABASE_URL=postgres://app:tr0ub4dor3@db.internal:5432/app"}` + "\n")
		}
	}
	return b.String()
}

// BenchmarkIngest is everything between an event and its change: read, redact,
// bind origins, compress, decide; and the parts that cost most, alone.
func BenchmarkIngest(b *testing.B) {
	r, err := redact.New(redact.Config{Key: []byte("test")})
	if err != nil {
		b.Fatal(err)
	}
	words := lexical.NewAnalyzer()
	for _, size := range []int{10_000, 68_000} {
		text := session(size)
		run := func(name string, work func() error) {
			b.Run(fmt.Sprintf("%dkB/%s", size/1000, name), func(b *testing.B) {
				b.SetBytes(int64(len(text)))
				b.ReportAllocs()
				for b.Loop() {
					if err := work(); err != nil {
						b.Fatal(err)
					}
				}
			})
		}
		who := memory.Principal{ID: "agent", Tenant: "acme", Highest: memory.OriginFirstParty}
		run("decide", func() error {
			a := arrival{who: who, eventID: "e", at: time.Unix(0, 0), msg: &winnowv1.SessionCompleted{}}
			a.normalise(r.Stream("acme"))
			reader, err := format.Open(strings.NewReader(text), trace.Options{Rewrite: r.Stream("acme").Text})
			if err != nil {
				return err
			}
			prep, err := prepare(reader, trust.Options{Config: trust.DefaultConfig(), Highest: who.Highest, Similar: words.Alike(), Loose: lexical.PointLoose})
			if err != nil {
				return err
			}
			_, set := decideSession(input{arrival: a, prepared: &prep, scope: "project:api", project: "api", now: time.Unix(0, 0), newID: ident.New})
			if len(set.Sessions) != 1 || set.Sessions[0].Redactions == 0 || set.Sessions[0].External == 0 {
				return fmt.Errorf("decided %+v", set.Sessions)
			}
			return nil
		})
		s, err := format.Read(strings.NewReader(text), trace.Options{})
		if err != nil {
			b.Fatal(err)
		}
		run("redact", func() error {
			stream := r.Stream("acme")
			for _, t := range s.Turns {
				stream.Text(t.Text)
			}
			return nil
		})
		run("trust", func() error {
			trust.Assess(s.Turns, trust.Options{Config: trust.DefaultConfig(), Format: s.Format, Highest: who.Highest, Similar: words.Alike(), Loose: lexical.PointLoose})
			return nil
		})
		run("read", func() error {
			_, err := format.Read(strings.NewReader(text), trace.Options{})
			return err
		})
	}
}
