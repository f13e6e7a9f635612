package ingest

import (
	"google.golang.org/protobuf/proto"

	"github.com/winnowhq/winnow/services/internal/memory"
	"github.com/winnowhq/winnow/services/internal/redact"
	"github.com/winnowhq/winnow/services/internal/redact/message"
)

// redactMessage replaces secrets in every string of the message.
func redactMessage(r *redact.Redactor, tenant memory.Tenant, m proto.Message) {
	message.Redact(r.Stream(string(tenant)), m)
}
