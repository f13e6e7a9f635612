package ingest

import (
	"google.golang.org/protobuf/proto"
	"google.golang.org/protobuf/reflect/protoreflect"

	"github.com/winnowhq/winnow/services/internal/memory"
	"github.com/winnowhq/winnow/services/internal/redact"
)

// redactMessage replaces secrets in every string of the message, whatever the
// field is called: people put keys into titles and tags too. Ids, scopes and
// paths survive redaction by its own rules.
func redactMessage(r *redact.Redactor, tenant memory.Tenant, m proto.Message) {
	redactFields(r, string(tenant), m.ProtoReflect())
}

func redactFields(r *redact.Redactor, tenant string, m protoreflect.Message) {
	m.Range(func(f protoreflect.FieldDescriptor, v protoreflect.Value) bool {
		switch {
		case f.IsList() && f.Kind() == protoreflect.StringKind:
			for i := range v.List().Len() {
				clean, _ := r.Text(tenant, v.List().Get(i).String())
				v.List().Set(i, protoreflect.ValueOfString(clean))
			}
		case f.IsList() && f.Kind() == protoreflect.MessageKind:
			for i := range v.List().Len() {
				redactFields(r, tenant, v.List().Get(i).Message())
			}
		case f.IsList(), f.IsMap():
			// Events have neither lists of other kinds that hold text nor maps.
		case f.Kind() == protoreflect.MessageKind:
			redactFields(r, tenant, v.Message())
		case f.Kind() == protoreflect.StringKind:
			clean, _ := r.Text(tenant, v.String())
			m.Set(f, protoreflect.ValueOfString(clean))
		}
		return true
	})
}
