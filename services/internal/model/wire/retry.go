package wire

import (
	"errors"
	"net/http"
	"strconv"
	"time"
)

// Retry reports whether the request that failed with err may be repeated, and after
// what least wait. An unreadable answer may be, because a cut connection looks like
// one; an answer that was too long was paid for and would be as long again. Errors of
// other kinds are not retried.
func Retry(err error) (wait time.Duration, again bool) {
	if f := (*Fault)(nil); errors.As(err, &f) {
		if f.Class() == Permanent {
			return 0, false
		}
		return f.Wait, true
	}
	if u := (*Unreadable)(nil); errors.As(err, &u) {
		_, long := u.tooLong()
		return 0, !long
	}
	return 0, false
}

// retryAfter parses the Retry-After header in either form; 0 for none.
func retryAfter(header string, now time.Time) time.Duration {
	if seconds, err := strconv.ParseInt(header, 10, 32); err == nil {
		return time.Duration(max(0, seconds)) * time.Second
	}
	if at, err := http.ParseTime(header); err == nil {
		return max(0, at.Sub(now))
	}
	return 0
}
