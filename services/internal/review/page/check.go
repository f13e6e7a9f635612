package page

import (
	"time"

	"github.com/winnowhq/winnow/services/internal/memory"
)

// CheckReply checks that a reply with this code, in this reviewer's name, is one to
// this digest. An empty code claims nothing: the channel says which digest is answered.
// The errors are [ErrForeign], for a wrong code and another reviewer alike, and, only
// for the digest's own reviewer, [ErrExpired].
func CheckReply(d memory.Digest, code, reviewer string, now time.Time) error {
	switch {
	case d.ID == "", reviewer != d.Reviewer, code != "" && code != d.Code:
		return ErrForeign
	case now.After(d.ExpiresAt):
		return ErrExpired
	}
	return nil
}
