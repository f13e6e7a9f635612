// Package material tells key material from what only looks like it: it finds keys by the
// name that stands before them, whatever their alphabet (hexadecimal digits are a digest
// elsewhere), and recognises data that is made to be shown: certificates, public keys,
// pictures and other files in base64, by how they begin and by what announces them.
package material

import "github.com/winnowhq/winnow/services/internal/guard/redact/keywords"

// Rules returns the rules of this package.
func Rules() []keywords.Rule {
	return []keywords.Rule{
		{
			ID:          "key-material",
			Description: "Key in hexadecimal digits, base64 or groups behind a name that ends in key (content key: …, -decryption_key …, AES-Schlüssel …).",
			Words:       []string{"key", "schlüssel"},
			Find:        findNamedKey,
		},
		{
			ID:          "key-acronym",
			Description: "Key behind the acronym of a standard (GUEK of meters, LTK of Bluetooth, KEK of payments) in hexadecimal digits.",
			Words:       acronyms,
			Find:        findAcronym,
		},
		{
			ID:          "stream-key",
			Description: "Key at the end of an address to which a stream is sent (rtmp://host/live/…).",
			Words:       []string{"rtmp://", "rtmps://"},
			Find:        findStreamKey,
		},
		{
			ID:          "private-jwk",
			Description: "Private part of a JSON web key (\"d\", \"k\" beside \"kty\").",
			Words:       []string{`"kty"`, `'kty'`, `\"kty\"`},
			Find:        findPrivateJWK,
		},
	}
}
