package eval

import (
	"errors"
	"net/http"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/winnowhq/winnow/services/internal/model/embed"
	"github.com/winnowhq/winnow/services/internal/model/embed/embedtest"
	"github.com/winnowhq/winnow/services/internal/model/embed/openai"
	"github.com/winnowhq/winnow/services/internal/model/embed/static"
)

// remote returns a model of a server that gives these replies first, with its key in a
// file.
func remote(t *testing.T, script ...embedtest.Reply) (*embedtest.Server, embed.Embedder) {
	t.Helper()
	return asking(t, embedtest.NewServer(t, 16, script...))
}

// asking returns the embedder of a server.
func asking(t *testing.T, server *embedtest.Server) (*embedtest.Server, embed.Embedder) {
	t.Helper()
	key := filepath.Join(t.TempDir(), "key")
	if err := os.WriteFile(key, []byte("sesame\n"), 0o600); err != nil {
		t.Fatal(err)
	}
	e, err := openai.New(openai.Config{URL: server.URL, Model: "words", Dim: 16, KeyFile: key, Attempts: 2, Backoff: time.Millisecond})
	if err != nil {
		t.Fatal(err)
	}
	return server, e
}

// SPEC §18: every measurement of similarity can use a server's model. A transient
// refusal is retried, the key is sent, and single words are not sent to the server.
func TestModelOfAServer(t *testing.T) {
	t.Parallel()
	server, e := remote(t, embedtest.TooMany("0"))
	retrieval, err := Retrieval(t.Context(), "testdata/retrieval/lines.jsonl", RetrievalOptions{Embedder: e, Words: static.New(), Open: scratch})
	if err != nil || retrieval.Embedder != "openai-words-16" || retrieval.N == 0 {
		t.Errorf("retrieval %+v, %v", retrieval, err)
	}
	for _, r := range server.Requests() {
		if r.Authorization != "sesame" {
			t.Fatalf("key %q", r.Authorization)
		}
		for _, text := range r.Input {
			if !strings.Contains(text, " ") {
				t.Errorf("the server was asked for the word %q", text)
			}
		}
	}
	dir := t.TempDir()
	pairs, clusters := filepath.Join(dir, "pairs.jsonl"), filepath.Join(dir, "clusters.jsonl")
	write := func(path, text string) {
		if err := os.WriteFile(path, []byte(text), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	write(pairs, `{"id":"1","a":"Prices are in cents.","b":"In cents prices are.","label":1,"kind":"paraphrase"}
{"id":"2","a":"Prices are in cents.","b":"The job times out after 90 minutes.","label":0,"kind":"random"}`)
	write(clusters, `{"id":"1","cluster":"x","text":"Prices are in cents."}
{"id":"2","cluster":"x","text":"In cents prices are."}
{"id":"3","cluster":"y","text":"The job times out after 90 minutes."}`)
	if r, err := Pairs(t.Context(), pairs, e); err != nil || r.Embedder != "openai-words-16" || r.Metrics.APStatic == nil {
		t.Errorf("pairs %+v, %v", r, err)
	}
	if r, err := Clusters(t.Context(), clusters, ClustersOptions{Embedder: e}); err != nil || r.Embedder != "openai-words-16" {
		t.Errorf("clusters %+v, %v", r, err)
	}
	if r, err := Calibrate(t.Context(), ShippedPairs, e); err != nil || r.Model != "openai-words-16" {
		t.Errorf("calibrate %+v, %v", r, err)
	}
}

// Bad answers are an error without figures: no figures of fewer texts or of zeros.
func TestBadServer(t *testing.T) {
	t.Parallel()
	for name, c := range map[string]struct {
		reply embedtest.Reply
		want  error
	}{
		"NaN":               {embedtest.NaN, embed.ErrAnswer},
		"too few":           {embedtest.TooFew, embed.ErrAnswer},
		"another dimension": {embedtest.WrongDimension, embed.ErrInvalid},
		"unknown model":     {embedtest.Refuse(http.StatusNotFound, "model_not_found"), embed.ErrInvalid},
		"down":              {embedtest.Refuse(http.StatusInternalServerError, ""), embed.ErrUnavailable},
	} {
		t.Run(name, func(t *testing.T) {
			t.Parallel()
			_, e := asking(t, embedtest.Always(t, 16, c.reply))
			if r, err := Retrieval(t.Context(), "testdata/retrieval/lines.jsonl", RetrievalOptions{Embedder: e, Words: static.New(), Open: scratch}); !errors.Is(err, c.want) || r != nil {
				t.Errorf("retrieval %+v, %v, want %v", r, err, c.want)
			}
			_, e = asking(t, embedtest.Always(t, 16, c.reply))
			if r, err := Calibrate(t.Context(), ShippedPairs, e); !errors.Is(err, c.want) || r != nil {
				t.Errorf("calibrate %+v, %v, want %v", r, err, c.want)
			}
		})
	}
}
