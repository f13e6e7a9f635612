package develop

import (
	"github.com/winnowhq/winnow/cmd/winnow/cli/command"
	"github.com/winnowhq/winnow/services/run"
)

// The help text on the model, for every measurement with a choice of models.
const (
	embedderHelp = "static, none, or openai for embed.model at embed.url"
	embedFlags   = "    --embed-model nomic-embed-text --embed-url http://localhost:11434/v1 --embed-dim 768"
)

// measuring returns the embedder of a measurement. The settings are read only
// when needed: static and none have no settings.
func measuring(a *command.App, name string) (run.Embedder, error) {
	if name == "static" || name == "none" {
		return run.OfflineEmbedder(name)
	}
	cfg, err := a.Settings()
	if err != nil {
		return nil, err
	}
	return cfg.MeasuringEmbedder(name)
}
