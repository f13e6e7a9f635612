package safeguard

import (
	"net/netip"
	"strings"

	"github.com/winnowhq/winnow/services/internal/memory"
)

// isValue reports a fingerprint, the id of a key, an account number or a telephone number.
func (s *sentence) isValue(i int) bool {
	t := &s.tokens[i]
	switch {
	case strings.HasPrefix(t.Value, "sha256:"), strings.HasPrefix(t.Value, "0x") && len(t.Value) >= 10:
		return true
	case t.Class == memory.TokenNumber:
		return t.Start > 0 && s.text[t.Start-1] == '+' || len(t.Value) >= 7 && isDigits(t.Value)
	}
	return len(t.Value) >= 15 && len(t.Value) <= 34 && t.Value[0] >= 'a' && t.Value[1] >= 'a' && isDigits(t.Value[2:8])
}

func isDigits(s string) bool {
	for i := range len(s) {
		if s[i] < '0' || s[i] > '9' {
			return false
		}
	}
	return true
}

// isOutside reports a token that is an address beyond the private networks: a URL, a mail
// or bare address, or a host name with a public ending.
func isOutside(t *memory.Token) bool {
	switch t.Class {
	case memory.TokenURL:
		return fetchable(t.Value)
	case memory.TokenNumber, memory.TokenIdent:
		host, _, _ := strings.Cut(strings.TrimSuffix(t.Value, "/"), "/")
		if _, domain, mail := strings.Cut(host, "@"); mail && domain != "" {
			host = domain
		}
		host, _, _ = strings.Cut(host, ":")
		if host != "" && host[0] <= '9' && strings.Contains(host, ".") { // a failed parse costs an error
			if addr, err := netip.ParseAddr(host); err == nil {
				return !addr.IsPrivate() && !addr.IsLoopback() && !addr.IsLinkLocalUnicast() && !addr.IsUnspecified()
			}
		}
		dot := strings.LastIndexByte(host, '.')
		return dot > 0 && publicEndings[host[dot+1:]] && !strings.ContainsAny(host, "_()$")
	}
	return false
}

// fetchable reports a URL of the network with a host of more than one name.
func fetchable(url string) bool {
	scheme, rest, _ := strings.Cut(url, "://")
	switch scheme {
	case "http", "https", "ftp", "sftp", "git", "rsync", "ws", "wss":
		host, _, _ := strings.Cut(rest, "/")
		return strings.Contains(host, ".") && !strings.HasPrefix(host, "127.")
	}
	return strings.HasPrefix(url, "www.")
}

var publicEndings = memory.WordSet(`com org net io dev de eu co app cloud info biz example ru cn xyz uk cc top me site online shop at ch fr tech`)

// piped returns "| sh" where the sentence has a program fetched from the network and
// run at once.
func (s *sentence) piped() string {
	if len(s.tokens) == 0 {
		return ""
	}
	text := s.text[s.tokens[0].Start:s.tokens[len(s.tokens)-1].End]
	at := strings.IndexByte(text, '|')
	if at < 0 {
		return ""
	}
	text = strings.ToLower(text)
	if at = strings.IndexByte(text, '|'); !strings.Contains(text[:at], "curl") && !strings.Contains(text[:at], "wget") && !strings.Contains(text[:at], "iwr") {
		return ""
	}
	for _, shell := range []string{"sh", "bash", "sudo", "python", "iex", "zsh"} {
		if strings.HasPrefix(strings.TrimSpace(text[at+1:]), shell) {
			return "| " + shell
		}
	}
	return ""
}
