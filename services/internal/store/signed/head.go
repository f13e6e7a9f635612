package signed

import (
	"crypto/ed25519"
	"crypto/sha256"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"strings"
	"time"

	"github.com/winnowhq/winnow/services/internal/memory"
)

const (
	// prefix begins every note and names its form.
	prefix = "winnow-head-1"
	// domain separates what is signed from anything else that a key might sign.
	domain = "winnow/audit/head/v1\x00"
	// publicPrefix begins a printed public key.
	publicPrefix = "ed25519:"
	// minSecret is the least length of a secret from which a key is made.
	minSecret = 32
)

// ErrNote means that a text is no signed head: another form, or a signature that does not
// belong to it.
var ErrNote = errors.New("not a signed head")

// Head is the end of a tenant's audit chain at one time.
type Head struct {
	Tenant memory.Tenant `json:"tenant"`
	Seq    int64         `json:"seq"`  // of the newest link
	Hash   string        `json:"hash"` // of that link, in hex
	At     time.Time     `json:"at"`   // when it was signed
	// Accepted says that an operator accepted the chain after an older backup was
	// restored: heads signed before this one that name links after Since belong to a
	// chain that is lost.
	Accepted bool  `json:"accepted,omitempty"`
	Since    int64 `json:"since,omitempty"`
	// Public is the printed key whose signature it has.
	Public string `json:"key"`
}

// Key signs heads.
type Key struct{ private ed25519.PrivateKey }

// NewKey returns the key that follows from a secret of at least 32 characters, such as
// the random ones of `make fleet-env`. Equal secrets make equal keys.
func NewKey(secret string) (Key, error) {
	if len(secret) < minSecret {
		return Key{}, fmt.Errorf("%d characters; give a random secret of at least %d", len(secret), minSecret)
	}
	seed := sha256.Sum256([]byte("winnow/audit/key/v1\x00" + secret))
	return Key{ed25519.NewKeyFromSeed(seed[:])}, nil
}

// Public returns the public key as it is printed and configured: "ed25519:…".
func (k Key) Public() string {
	return publicPrefix + base64.RawURLEncoding.EncodeToString(k.private.Public().(ed25519.PublicKey))
}

// String hides the key from logs.
func (k Key) String() string { return "***" }

// GoString hides it from %#v as well.
func (k Key) GoString() string { return k.String() }

// Sign returns the head as one token without spaces, which [Open] reads.
func (k Key) Sign(h Head) string {
	h.Public, h.At = k.Public(), h.At.UTC()
	body, _ := json.Marshal(h) // plain data
	signature := ed25519.Sign(k.private, append([]byte(domain), body...))
	return prefix + "." + base64.RawURLEncoding.EncodeToString(body) + "." + base64.RawURLEncoding.EncodeToString(signature)
}

// ValidPublic reports whether a text is a printed public key.
func ValidPublic(s string) bool {
	_, err := parsePublic(s)
	return err == nil
}

func parsePublic(s string) (ed25519.PublicKey, error) {
	encoded, found := strings.CutPrefix(s, publicPrefix)
	key, err := base64.RawURLEncoding.Strict().DecodeString(encoded)
	if !found || err != nil || len(key) != ed25519.PublicKeySize {
		return nil, fmt.Errorf("%w: %q is no public key", ErrNote, s)
	}
	return key, nil
}

// Open returns the head in a note whose signature is that of the key that the head names.
// Whether that key is to be trusted is the caller's question. Otherwise the error is
// ErrNote.
func Open(note string) (Head, error) {
	var h Head
	parts := strings.Split(note, ".")
	if len(parts) != 3 || parts[0] != prefix {
		return h, fmt.Errorf("%w: it does not begin with %s", ErrNote, prefix)
	}
	body, errBody := base64.RawURLEncoding.Strict().DecodeString(parts[1])
	signature, errSign := base64.RawURLEncoding.Strict().DecodeString(parts[2])
	if err := errors.Join(errBody, errSign); err != nil {
		return h, fmt.Errorf("%w: %w", ErrNote, err)
	}
	if err := json.Unmarshal(body, &h); err != nil {
		return Head{}, fmt.Errorf("%w: %w", ErrNote, err)
	}
	public, err := parsePublic(h.Public)
	if err != nil {
		return Head{}, err
	}
	if !ed25519.Verify(public, append([]byte(domain), body...), signature) {
		return Head{}, fmt.Errorf("%w: the signature is not of its key", ErrNote)
	}
	return h, nil
}
