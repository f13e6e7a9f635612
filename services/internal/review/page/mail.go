package page

import (
	"regexp"
	"strings"
)

// breaks normalises all kinds of line ends.
var breaks = strings.NewReplacer("\r\n", "\n", "\r", "\n", "\v", "\n", "\f", "\n", "\u0085", "\n", "\u2028", "\n", "\u2029", "\n")

// cuts match the begin of what mail and chat clients put below an answer: the quoted
// message, a signature.
var cuts = []*regexp.Regexp{
	regexp.MustCompile(`^-- ?$`),
	regexp.MustCompile(`(?i)^-{2,} ?(original message|ursprüngliche nachricht|forwarded message|weitergeleitete nachricht) ?-{2,}`),
	regexp.MustCompile(`^_{8,}$`),
	regexp.MustCompile(`(?i)^(on|am) .*(wrote|schrieb.*):$`),
	regexp.MustCompile(`(?i)^(from|von): .+`),
	regexp.MustCompile(`(?i)^(sent from my|von meinem) .+`),
	regexp.MustCompile(`(?i)^memory.triage: `),
}

// wrapped matches the first half of "On Monday … wrote:" that was broken in two.
var wrapped = regexp.MustCompile(`(?i)^(on|am) .+`)

// ownLines returns the lines that the person wrote. Quoted lines and everything after a
// cut repeat the digest, whose examples are not answers.
func ownLines(text string) []string {
	lines := strings.Split(breaks.Replace(text), "\n")
	var out []string
	for i, line := range lines {
		line = strings.TrimSpace(strings.TrimPrefix(line, "\ufeff"))
		if strings.HasPrefix(line, ">") || line == "" {
			continue
		}
		if isCut(line) || i+1 < len(lines) && wrapped.MatchString(line) && isCut(line+" "+strings.TrimSpace(lines[i+1])) {
			break
		}
		out = append(out, line)
	}
	return out
}

func isCut(line string) bool {
	for _, c := range cuts {
		if c.MatchString(line) {
			return true
		}
	}
	return false
}
