package memory

import "crypto/sha256"

// TextHash names a text as exact comparison sees it: equal for texts whose
// [NormalOf] is equal. The zero value stands for a text of which nothing is left,
// such as a bare date, which equals no other.
type TextHash [16]byte

// HashNormal returns the hash of a normal form.
func HashNormal(normal string) TextHash {
	if normal == "" {
		return TextHash{}
	}
	sum := sha256.Sum256([]byte(normal))
	return TextHash(sum[:16])
}

// HashText returns the hash of a text, scanning it.
func HashText(text string) TextHash {
	clean := Clean(text)
	tokens := Scan(clean)
	return HashNormal(NormalOf(clean, tokens, Stamps(clean, tokens)))
}
