package jsonedit_test

import (
	"bytes"

	"github.com/tailscale/hujson"
)

// doubled reports whether an object of a text has two members of one name.
func doubled(text []byte) bool {
	v, err := hujson.Parse(bytes.TrimPrefix(text, []byte("\uFEFF")))
	if err != nil {
		return false
	}
	for value := range v.All() {
		o, ok := value.Value.(*hujson.Object)
		if !ok {
			continue
		}
		names := map[string]bool{}
		for _, m := range o.Members {
			name, _ := m.Name.Value.(hujson.Literal)
			if names[name.String()] {
				return true
			}
			names[name.String()] = true
		}
	}
	return false
}
