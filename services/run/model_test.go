package run_test

import (
	"strings"
	"testing"
	"time"

	"github.com/winnowhq/winnow/services/internal/config"
	"github.com/winnowhq/winnow/services/internal/model/embed/static"
	"github.com/winnowhq/winnow/services/run"
)

// A model has the name that users know, and the error for a wrong name contains the
// correct setting.
func TestWithModel(t *testing.T) {
	t.Parallel()
	local := run.DefaultConfig()
	remote := local
	remote.Embed = run.EmbedConfig{Model: "nomic-embed-text", URL: "http://user:secret@localhost:11434/v1", Dim: 768, Timeout: time.Second}
	for _, c := range []struct {
		from       run.Config
		name, want string // model, or empty
		remedy     string
	}{
		{from: local, name: "", want: "static"},
		{from: local, name: "static", want: "static"},
		{from: local, name: static.ID, want: "static"},
		{from: local, name: "none", want: "none"},
		{from: remote, name: "", want: "nomic-embed-text"},
		{from: remote, name: "nomic-embed-text", want: "nomic-embed-text"},
		{from: remote, name: "openai-nomic-embed-text-768", want: "nomic-embed-text"},
		{from: remote, name: static.ID, want: "static"},
		{from: remote, name: "bge-m3", want: "bge-m3"},
		{from: local, name: "bge-m3", remedy: "--model bge-m3 --embed-url"},
		{from: local, name: "openai", remedy: "--model nomic-embed-text --embed-url"},
		{from: local, name: "static-minilm-l6-256-int8-r0", remedy: "--model static"},
		{from: remote, name: "openai-bge-m3-1024", remedy: "as its server does: --model"},
	} {
		got, err := c.from.WithModel(c.name)
		if c.want != "" {
			if err != nil || got.Embed.Model != c.want || got.Validate() != nil {
				t.Errorf("%s with %q: %q, %v, %v; want %q", c.from.Embed.Model, c.name, got.Embed.Model, err, got.Validate(), c.want)
			}
			continue
		}
		if problems := config.Problems(err); len(problems) != 1 || !strings.Contains(problems[0].Remedy, c.remedy) {
			t.Errorf("%s with %q: %v, want %q", c.from.Embed.Model, c.name, err, c.remedy)
		}
	}
	if s := remote.ModelSettings(); !strings.Contains(s, "WINNOW_EMBED_DIM=768") || strings.Contains(s, "secret") {
		t.Errorf("settings %s", s)
	}
}
