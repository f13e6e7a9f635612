package ingest

import (
	"fmt"
	"strings"
	"testing"

	"github.com/winnowhq/winnow/services/internal/guard/redact"
	"github.com/winnowhq/winnow/services/internal/memory"
	"github.com/winnowhq/winnow/services/internal/session/format"
	"github.com/winnowhq/winnow/services/internal/session/trace"
	"github.com/winnowhq/winnow/services/internal/session/transcript"
	"github.com/winnowhq/winnow/services/internal/session/trust"
)

// StoredText returns what ingest stores of a trace, as one text.
func StoredText(t testing.TB, text string, limits trace.Limits) string {
	t.Helper()
	r, err := redact.New(redact.Config{Key: []byte("test")})
	if err != nil {
		t.Fatal(err)
	}
	secrets := r.Stream("acme")
	rd, err := format.Open(strings.NewReader(text), trace.Options{Limits: limits, Rewrite: secrets.Text})
	if err != nil {
		t.Fatal(err)
	}
	prep, err := prepare(rd, trust.Options{Config: trust.DefaultConfig(), Highest: memory.OriginFirstParty})
	if err != nil {
		t.Fatal(err)
	}
	if err := prep.again(secrets); err != nil {
		t.Fatal(err)
	}
	all, err := transcript.Read(prep.chunks)
	if err != nil {
		t.Fatal(err)
	}
	return fmt.Sprintf("%+v %+v", prep.session, all)
}
