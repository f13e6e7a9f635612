package redact

import (
	"regexp"
	"strings"

	"github.com/winnowhq/winnow/services/internal/guard/redact/material"
	"github.com/winnowhq/winnow/services/internal/guard/redact/plausible"
)

// entropyScanner finds tokens that no label explains but that are too random
// to be words: at least minRandom bytes, upper and lower case and digits, and
// the changes between them that base62 text has and camel case has not.
// Digests, ULIDs and UUIDs have a single case and hence survive.
type entropyScanner struct{}

const (
	randomRule = "random-token"
	minRandom  = 24
	maxRandom  = 512
	// minRandomBits is the entropy in bits per byte that a token must exceed.
	minRandomBits = 4.0
)

func (entropyScanner) scan(segment string, emit func(span)) {
	public := 0 // where the last public block ends
	for i := 0; i < len(segment); {
		if plausible.Kind(rune(segment[i])) == 0 {
			if segment[i] == '-' && strings.HasPrefix(segment[i:], "-----BEGIN ") {
				public = max(public, publicBlockEnd(segment, i))
			}
			i++
			continue
		}
		start, changes, kinds, last := i, 0, 0, 0
		for ; i < len(segment); i++ {
			k := plausible.Kind(rune(segment[i]))
			if k == 0 && segment[i] != '-' && segment[i] != '_' {
				break
			}
			kinds |= k
			if k != last {
				changes++
			}
			last = k
		}
		if n := i - start; n >= minRandom && n <= maxRandom && kinds == plausible.KindLower|plausible.KindUpper|plausible.KindDigit && start >= public &&
			5*changes >= 2*n && plausible.Entropy(segment[start:i]) > minRandomBits && !known(segment, start) && !saysWords(segment[start:i]) && !typedID.MatchString(segment[start:i]) && !(strings.IndexByte(segment[start:i], '-') > 0 && plausible.Kebab.MatchString(segment[start:i])) {
			emit(span{rule: randomRule, rank: rankGeneric, start: start, end: i})
		}
	}
}

// saysWords reports whether a token is base64 of words. What else base64 may hold
// is for encodedScanner to judge.
func saysWords(token string) bool {
	plain, ok := readable(token)
	return ok && strings.Contains(strings.TrimSpace(plain), " ")
}

// maxPublicBlock bounds the length of a certificate or public key in bytes.
const maxPublicBlock = 16384

// publicBlock matches the heads of blocks that are made to be shown.
var publicBlock = regexp.MustCompile(`^-----BEGIN (?:CERTIFICATE|NEW CERTIFICATE REQUEST|CERTIFICATE REQUEST|TRUSTED CERTIFICATE|PUBLIC KEY|RSA PUBLIC KEY|EC PUBLIC KEY|SSH2 PUBLIC KEY|PGP PUBLIC KEY BLOCK|PGP SIGNATURE|SSH SIGNATURE|X509 CRL|DH PARAMETERS|PKCS7|CMS)-----`)

// publicBlockEnd returns where a block that begins at an offset ends, the offset
// itself when it is none or has no end.
func publicBlockEnd(text string, at int) int {
	block := text[at:min(len(text), at+maxPublicBlock)]
	if publicBlock.MatchString(block) {
		if end := strings.Index(block, "-----END "); end >= 0 {
			return at + end
		}
	}
	return at
}

// typedID matches a ULID with a prefix that says what it names, Winnow's own or
// another program's. The prefix adds the second case that a bare ULID lacks.
var typedID = regexp.MustCompile(`^[a-z]{2,12}_[0-7][0-9A-HJKMNP-TV-Z]{25}$`)

// known reports whether a random token grants no access: what package material knows to be
// public, and ids of model calls.
func known(text string, start int) bool {
	for _, p := range []string{"call_", "toolu_", "msg_", "req_", "resp_", "run_", "chatcmpl-", "fc_", "rs_"} {
		if strings.HasPrefix(text[start:], p) {
			return true
		}
	}
	return material.IsPublic(text, start)
}
