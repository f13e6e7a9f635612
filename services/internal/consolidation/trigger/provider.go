package trigger

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"

	"github.com/winnowhq/winnow/services/internal/memory"
	"github.com/winnowhq/winnow/services/internal/recall/calibrate"
	"github.com/winnowhq/winnow/services/internal/recall/indexing"
	"github.com/winnowhq/winnow/services/internal/store"
)

// Provider is the embedding model that finds what is similar.
type Provider struct {
	ID  string
	Dim int // 0: there is none, and words alone are compared
	// Sure says that its calibration allows the engine to act on similarity (D2).
	Sure bool
}

// ProviderOf returns the embedding model in use. A model that is not calibrated yet is
// not sure.
func ProviderOf(ctx context.Context, t *indexing.Truth, tenant memory.Tenant) (Provider, error) {
	if t == nil {
		return Provider{ID: "none"}, nil
	}
	p := Provider{ID: t.Embedder.ID(), Dim: t.Embedder.Dim()}
	c, err := t.Store.Calibration(ctx, tenant, p.ID)
	if errors.Is(err, store.ErrNotFound) {
		return p, nil
	}
	if err != nil {
		return p, fmt.Errorf("calibration of %s: %w", p.ID, err)
	}
	p.Sure, err = Sure(c)
	return p, err
}

// Sure reports whether a calibration allows acting on its duplicate point.
func Sure(c store.Calibration) (bool, error) {
	if len(c.Report) == 0 {
		return false, nil
	}
	var report calibrate.Result
	if err := json.Unmarshal(c.Report, &report); err != nil {
		return false, fmt.Errorf("calibration %s: %w", c.ID, err)
	}
	return report.Duplicate.Sure, nil
}

// warning says what a person should know about the provider, empty when nothing.
func (p Provider) warning() string {
	switch {
	case p.Dim == 0:
		return "No embedding model is configured: only texts in the same words are found. Set embed.model to static, which needs no network, or to a model."
	case !p.Sure:
		return fmt.Sprintf("The calibration of %s does not allow acting on similarity alone: what is only similar is offered to a person. More labelled pairs change that: winnow calibrate.", p.ID)
	}
	return ""
}
