package run

import (
	"fmt"
	"net/url"
	"strings"

	"github.com/winnowhq/winnow/services/internal/config"
	"github.com/winnowhq/winnow/services/internal/model/embed/static"
)

// exampleModel completes a command that lacks its model.
const exampleModel = "--embed-url http://localhost:11434/v1 --embed-dim 768"

// WithModel returns the settings with another model: static, none, a name that
// embed.url serves, or the id of one of these, as `winnow index status` prints
// it. Empty returns the settings unchanged. It sends no request. The error is a
// [config.Problem] whose remedy can be copied.
func (c Config) WithModel(name string) (Config, error) {
	wrong := func(what, remedy string) (Config, error) {
		return c, &config.Problem{Field: "--model " + name, What: what, Remedy: remedy}
	}
	configured, err := c.Embed.newEmbedder()
	if err != nil {
		return c, err
	}
	switch {
	case name == "" || name == c.Embed.Model || name == configured.ID():
		return c, nil
	case name == embedStatic || name == static.ID:
		c.Embed.Model = embedStatic
		return c, nil
	case name == embedNone:
		c.Embed.Model = embedNone
		return c, nil
	case name == embedOpenAI:
		return wrong("this is a kind of server, not a model", "name one that it serves: --model nomic-embed-text "+exampleModel)
	case strings.HasPrefix(name, embedStatic+"-"):
		return wrong("the table in this binary is "+static.ID, "--model static")
	case strings.HasPrefix(name, embedOpenAI+"-"):
		return wrong("the model that is configured has the id "+configured.ID(), "name the other one as its server does: --model nomic-embed-text "+exampleModel)
	case c.Embed.URL == "" || c.Embed.Dim == 0:
		return wrong("this is neither static nor none, and no server is named that has it", "--model "+name+" "+exampleModel)
	}
	c.Embed.Model = name
	if _, err := c.Embed.newEmbedder(); err != nil {
		return wrong(err.Error(), "--model "+name+" "+exampleModel)
	}
	return c, nil
}

// ModelSettings returns the environment variables that select the model of these settings,
// as a person would write them. It contains no key or password.
func (c Config) ModelSettings() string {
	if c.Embed.Model == embedStatic || c.Embed.Model == embedNone {
		return "WINNOW_EMBED_MODEL=" + c.Embed.Model
	}
	server, err := url.Parse(c.Embed.URL)
	if err != nil { // these settings make no embedder
		return "WINNOW_EMBED_MODEL=" + c.Embed.Model
	}
	return fmt.Sprintf("WINNOW_EMBED_MODEL=%s WINNOW_EMBED_URL=%s WINNOW_EMBED_DIM=%d", c.Embed.Model, server.Redacted(), c.Embed.Dim)
}

// MeasuringEmbedder returns the embedder of a measurement: static, none, or openai for the
// configured server and model. Empty selects the configured embedder.
func (c Config) MeasuringEmbedder(name string) (Embedder, error) {
	remote := c.Embed.Model != embedStatic && c.Embed.Model != embedNone
	switch {
	case name == "", name == embedOpenAI && remote:
		return c.Embed.newEmbedder()
	case name == embedStatic, name == embedNone:
		return OfflineEmbedder(name)
	case name != embedOpenAI:
		return nil, fmt.Errorf("embedder %q: want static, none or openai", name)
	}
	return nil, &config.Problem{
		Field: "--embedder openai", What: "embed.model is " + c.Embed.Model + ", which is no model of a server",
		Remedy: "--embedder openai --embed-model nomic-embed-text " + exampleModel,
	}
}
