package redact

import (
	"regexp"
	"strings"
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
	for i := 0; i < len(segment); {
		if kind(rune(segment[i])) == 0 {
			i++
			continue
		}
		start, changes, kinds, last := i, 0, 0, 0
		for ; i < len(segment); i++ {
			k := kind(rune(segment[i]))
			if k == 0 && segment[i] != '-' && segment[i] != '_' {
				break
			}
			kinds |= k
			if k != last {
				changes++
			}
			last = k
		}
		if n := i - start; n >= minRandom && n <= maxRandom && kinds == kindLower|kindUpper|kindDigit &&
			5*changes >= 2*n && entropy(segment[start:i]) > minRandomBits && !known(segment, start) && !typedID.MatchString(segment[start:i]) {
			emit(span{rule: randomRule, rank: rankGeneric, start: start, end: i})
		}
	}
}

// typedID matches a ULID with a prefix that says what it names, Winnow's own or
// another program's. The prefix adds the second case that a bare ULID lacks.
var typedID = regexp.MustCompile(`^[a-z]{2,12}_[0-7][0-9A-HJKMNP-TV-Z]{25}$`)

// known reports whether a random token grants no access: base64 digests of lock
// files (sha512-…, h1:…), whose prefix may be part of the run or stand before
// it, and ids of model calls.
func known(text string, start int) bool {
	for _, p := range []string{"sha256-", "sha384-", "sha512-", "h1:", "SHA256:", "sha256:"} {
		if strings.HasSuffix(text[:start], p) || strings.HasPrefix(text[start:], p) {
			return true
		}
	}
	for _, p := range []string{"call_", "toolu_", "msg_", "req_", "resp_", "run_", "chatcmpl-", "fc_", "rs_"} {
		if strings.HasPrefix(text[start:], p) {
			return true
		}
	}
	return false
}
