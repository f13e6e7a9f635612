package page

import (
	"crypto/sha256"
	"strconv"
	"strings"
	"time"
)

// The characters of a code. None looks like another (0 O 1 I L), and no letter begins a
// piece of a reply (y n j p), so that a code is never read as an answer.
const (
	codeLetters = "ABCDEFGHKMQRSTUVWXZ"
	codeDigits  = "23456789"
	codeLength  = 4
)

// Code returns the code by which a reply names its digest, such as K7Q2. It follows
// from the digest's id. It keeps replies to last week's message from hitting this
// week's numbers; it is not an authorisation.
func Code(id string) string {
	sum := sha256.Sum256([]byte("winnow digest code\x00" + id))
	var code [codeLength]byte
	for i := range code {
		n := int(sum[2*i])<<8 | int(sum[2*i+1])
		alphabet := codeAlphabet(i)
		code[i] = alphabet[n%len(alphabet)]
	}
	return string(code[:])
}

// codeAlphabet alternates letters and digits, so that no word of any language looks
// like a code.
func codeAlphabet(i int) string {
	if i%2 == 0 {
		return codeLetters
	}
	return codeDigits
}

// codeShaped returns s in capitals where it has the form of a code.
func codeShaped(s string) (string, bool) {
	if len(s) != codeLength {
		return "", false
	}
	s = strings.ToUpper(s)
	for i := range codeLength {
		if len(s) != codeLength || strings.IndexByte(codeAlphabet(i), s[i]) < 0 {
			return "", false
		}
	}
	return s, true
}

// SlotName returns the name of the due time t of a schedule: the ISO week, such as
// 2026-W47, where the cron line fires once a week, else the minute, or the second where
// the line has seconds. It is the same for every replica, and unique within a schedule.
func SlotName(schedule string, t time.Time, zone *time.Location) string {
	t = t.In(zone)
	if !weekly(schedule) {
		if t.Second() != 0 || len(strings.Fields(schedule)) > 5 {
			return t.Format(time.RFC3339)
		}
		return t.Format("2006-01-02T15:04Z07:00")
	}
	year, week := t.ISOWeek()
	name := strconv.Itoa(year) + "-W"
	if week < 10 {
		name += "0"
	}
	return name + strconv.Itoa(week)
}

// weekly reports whether a cron line has one minute, one hour and one day of the week.
func weekly(schedule string) bool {
	if schedule == "@weekly" {
		return true
	}
	f := strings.Fields(schedule)
	return len(f) == 5 && !strings.ContainsAny(f[0]+f[1]+f[4], "*,-/?") && f[2] == "*" && f[3] == "*"
}
