package relay

import (
	"context"
	"errors"
	"fmt"
	"time"

	"go.uber.org/zap"

	"github.com/winnowhq/winnow/services/internal/bus"
	"github.com/winnowhq/winnow/services/internal/store"
	"github.com/winnowhq/winnow/services/internal/store/signed"
	"github.com/winnowhq/winnow/services/internal/telemetry"
)

const (
	headInterval = time.Hour
	headTimeout  = time.Minute
)

// signHeads signs the head of every tenant's chain that grew since its last signed head,
// publishes it, and stores a copy in the database, where the vault's writer reads it. It
// costs two reads for each tenant, whatever the length of the chain.
func (r *relay) signHeads(ctx context.Context) {
	if r.deps.Signer == nil {
		return
	}
	ctx, cancel := context.WithTimeout(ctx, headTimeout)
	defer cancel()
	heads, err := r.deps.Store.AuditHeads(ctx)
	for _, h := range heads {
		err = errors.Join(err, r.signHead(ctx, h)) // one tenant's failure is not another's
	}
	if err != nil && ctx.Err() == nil {
		r.log.Warn("heads of the audit are signed at the next hour", zap.Error(err))
	}
}

// signHead signs one head. A chain that does not go on from the head that the stream has
// is not signed: a signature would make what was cut off or written anew look whole.
func (r *relay) signHead(ctx context.Context, h store.AuditHead) error {
	subject := bus.SubjectAuditHead + string(h.Tenant)
	note, err := r.deps.Publisher.Last(ctx, subject)
	if err != nil {
		return err
	}
	last, err := signed.Open(string(note))
	if note != nil && (err != nil || last.Tenant != h.Tenant) {
		r.log.Error("the newest message in the stream of signed heads is none; nothing is signed. Remedy: winnow audit verify",
			zap.String(telemetry.KeySubject, subject))
		return nil //nolint:nilerr // said above; another hour would find the same
	}
	hash, newest, err := r.deps.Store.AuditLink(ctx, h.Tenant, last.Seq)
	if err != nil {
		return fmt.Errorf("last signed link of %s: %w", h.Tenant, err)
	}
	// An operator with the key accepted the chain after a restore, in the database: the
	// stream hears of it here.
	if a, err := signed.Open(newest); err == nil && a.Accepted && a.Tenant == h.Tenant && a.Public == r.deps.Signer.Public() && a.At.After(last.At) {
		if err := r.publishHead(ctx, subject, a, newest); err != nil {
			return err
		}
		r.log.Warn("a restored audit log was accepted", zap.Int64("links", a.Seq), zap.Int64("agreed_until", a.Since))
		last = a
		if hash, _, err = r.deps.Store.AuditLink(ctx, h.Tenant, last.Seq); err != nil {
			return fmt.Errorf("accepted link of %s: %w", h.Tenant, err)
		}
	}
	switch {
	case hash != last.Hash:
		r.log.Error("the audit log does not go on from its last signed head; nothing is signed. Remedy: winnow audit verify",
			zap.Int64("signed", last.Seq), zap.Int64("links", h.Seq), zap.Time("signed_at", last.At))
		return nil
	case h.Seq == last.Seq && last.Public == r.deps.Signer.Public():
		return nil // a rotated key signs the same link again
	}
	head := signed.Head{Tenant: h.Tenant, Seq: h.Seq, Hash: h.Hash, At: r.deps.Now()}
	text := r.deps.Signer.Sign(head)
	if err := r.publishHead(ctx, subject, head, text); err != nil {
		return err
	}
	return r.deps.Store.KeepSigned(ctx, h.Tenant, h.Seq, text)
}

func (r *relay) publishHead(ctx context.Context, subject string, h signed.Head, text string) error {
	id := fmt.Sprintf("head/%s/%d/%d", h.Tenant, h.Seq, h.At.UnixNano())
	_, err := r.deps.Publisher.Publish(ctx, []bus.Outgoing{{ID: id, Subject: subject, Data: []byte(text)}})
	if err != nil {
		return fmt.Errorf("publish the head of %s: %w", h.Tenant, err)
	}
	return nil
}
