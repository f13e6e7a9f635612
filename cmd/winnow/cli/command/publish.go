package command

import (
	"context"

	winnowv1 "github.com/winnowhq/winnow/proto/winnow/v1"
	"github.com/winnowhq/winnow/services/local"
)

// PublishAll publishes in order. Consecutive events of one principal are
// published in one batch.
func (a *App) PublishAll(ctx context.Context, s *Session, list []local.Submission) (int, error) {
	bar := a.Bar(len(list), "publish")
	done := 0
	for start := 0; start < len(list); {
		end := start
		var batch []*winnowv1.ProposalCreated
		for end < len(list) && list[end].Principal == list[start].Principal {
			batch = append(batch, list[end].Proposal)
			end++
		}
		if _, err := s.Publish(ctx, list[start].Principal, batch, func(n int) { _ = bar.Set(done + n) }); err != nil {
			return done, err
		}
		done += len(batch)
		start = end
	}
	return done, bar.Finish()
}
