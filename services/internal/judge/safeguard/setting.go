package safeguard

import (
	"strings"

	"github.com/winnowhq/winnow/services/internal/memory"
)

// settings marks what is open by the form of a setting, whatever its product: a name that
// bypasses with a true value, a name that checks with a false one, a star where an
// allowlist is, a mode that lets everybody write.
func (s *sentence) settings() {
	for i := range s.tokens {
		w := s.tokens[i].Value
		switch {
		case i > 0 && s.assigned(i) && s.opened(i):
			s.is[i] |= hole
		case (w == "777" || w == "666" || w == "0777" || w == "a+rwx") && s.has(i-3, i, "chmod"):
			s.is[i] |= hole
		case w == "yes" && s.has(i-1, i, "permitrootlogin", "permitemptypasswords", "passwordauthentication"):
			s.is[i] |= hole
		}
	}
	s.stars()
}

// has reports one of the words among those from i up to j, j excluded.
func (s *sentence) has(i, j int, words ...string) bool {
	for k := max(i, 0); k < j; k++ {
		for _, w := range words {
			if s.tokens[k].Value == w {
				return true
			}
		}
	}
	return false
}

// assigned reports a value behind a name: `verify=false`, `verify: false`, "verify is set
// to false", and inside code `protected-mode no`.
func (s *sentence) assigned(i int) bool {
	t, before := &s.tokens[i], &s.tokens[i-1]
	if t.Sep == ':' || t.Sep == ',' && t.Start == before.End+1 && s.text[before.End] == '=' {
		return true
	}
	if t.Sep != 0 {
		return false
	}
	return t.Code && before.Code || before.Value == "to" && s.has(i-3, i, "set", "switched", "changed") || before.Value == "auf" || (before.Value == "is" || before.Value == "ist" || before.Value == "are" || before.Value == "sind") && literal[t.Value] || strings.HasPrefix(before.Value, "-") && t.Class == memory.TokenWord
}

// opened reports a value at i by which the name before it lets more through.
func (s *sentence) opened(i int) bool {
	v := s.tokens[i].Value
	yes, no := truthy[v], falsy[v]
	if !yes && !no || v == "no" && i+1 < len(s.tokens) && s.tokens[i+1].Sep == 0 && s.tokens[i+1].Code == s.tokens[i].Code {
		return false // "to verify no line changed" is no setting
	}
	back := 1
	switch s.tokens[i-1].Value {
	case "to", "auf", "is", "ist", "are", "sind":
		back = 7 // "verify in `a.yaml` is set to false"
	}
	for j := i - 1; j >= 0 && j >= i-back; j-- {
		name := s.tokens[j].Value
		switch {
		case yes && contains(name, bypasses):
			if strings.Contains(name, "debug") {
				return s.has(0, len(s.tokens), "production", "prod", "live", "produktion", "release")
			}
			return contains(name, checks) || contains(name, frank) || s.ofAny(0, len(s.is), guard|secure)
		case no && contains(name, bypasses):
			s.is[j] &^= hole | gap | weak | guard | core // a bypass that is off
			s.shut = true
			return false
		case no && (s.is[j]&(guard|keep) != 0 || contains(name, checks)):
			return true
		}
	}
	return false
}

var (
	literal = memory.WordSet(`true false 0 1 yes no none always never null`)
	truthy  = memory.WordSet(`1 true yes on always enabled all any y`)
	falsy   = memory.WordSet(`0 false no off none never disabled optional permissive warn n null detect audit monitor`)

	// bypasses and checks are parts of the names of settings.
	bypasses = []string{"bypass", "skip", "disable", "insecure", "allow_all", "allow-all", "allowall", "trust", "debug", "unsafe", "noauth", "no_auth", "no-auth", "noverify", "no-verify", "anonymous", "impersonat", "ignore", "permit", "public", "nosum"}
	frank    = []string{"bypass", "insecure", "allow_all", "allow-all", "noauth", "unsafe", "impersonat", "backdoor"}
	checks   = []string{"enforce", "verify", "auth", "secure", "strict", "require", "sign", "protect", "prevent", "encrypt", "integrity", "approval", "login", "tls", "ssl", "cert", "mfa", "sandbox", "payment", "fraud"}
)

func contains(name string, parts []string) bool {
	for _, p := range parts {
		if strings.Contains(name, p) {
			return true
		}
	}
	return false
}

// stars marks a name before a star that stands alone: `AllowUsers *`, `"Principal": "*"`,
// "was replaced with *". A star is no token, because texts use it for emphasis.
func (s *sentence) stars() {
	for i := range s.tokens {
		end := len(s.text)
		if i+1 < len(s.tokens) {
			end = s.tokens[i+1].Start
		} else {
			end = min(end, s.tokens[i].End+6)
		}
		gap := s.text[s.tokens[i].End:end]
		at := strings.IndexByte(gap, '*')
		if at < 1 || strings.Count(gap, "*") != 1 || !strings.ContainsRune(" \"'`=:(", rune(gap[at-1])) {
			continue
		}
		if at+1 < len(gap) && !strings.ContainsRune(" \"'`,.;)]}", rune(gap[at+1])) || at+1 == len(gap) && i+1 < len(s.tokens) {
			continue
		}
		if w := s.tokens[i].Value; contains(w, starred) || (w == "with" || w == "to" || w == "on" || w == "auf") && s.ofAny(0, i, guard|access|power) {
			s.is[i] |= hole
		}
	}
}

// starred are parts of the names of settings that list who may do what.
var starred = []string{"allow", "principal", "origin", "user", "action", "resource", "scope", "trusted", "cidr", "permission", "bash", "shell", "exec"}
