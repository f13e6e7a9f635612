package wording

import (
	"net/netip"
	"strings"

	"github.com/winnowhq/winnow/services/internal/memory"
)

// sensitive returns the words by which a text says that a protection was lowered or
// that a source of trust changed, empty for other texts. False facts of this kind
// cannot be told from true ones by their wording: "TLS verification is off for
// payments since March" reads like any other fact, and an agent that believes it
// becomes less safe. So a person confirms them.
//
// A sentence is read as a whole. Two things have to meet in it, such as a protection
// and its removal, or a credential and a place where many can read it. Neither alone
// says anything: certificates are renewed and flags are switched off every day.
func sensitive(t *Text) string {
	start := 0
	for i := 1; i <= len(t.Tokens); i++ {
		if i < len(t.Tokens) && !sentenceEnd(t.Tokens[i].Sep) {
			continue
		}
		if w := exposes(t.Clean, t.Tokens[start:i]); w != "" {
			return w
		}
		start = i
	}
	return ""
}

func sentenceEnd(sep byte) bool { return sep == '.' || sep == '\n' }

// signs are what one sentence says of protections, credentials and sources.
type signs struct {
	unguarded              string // a protection and its removal, near each other
	protected, lowered     int    // the place of the last of either, from 1
	credential, readable   string
	hidden                 bool // masked, encrypted, rotated: the safe direction
	source, address, moved string
	fetched                bool
	opened, anyone, access string
	exchanged              bool
	grants, power          string
	factory, approved      string
	vouched                string
	stored                 string
	account                bool
}

// exposes returns the words of one sentence that make it sensitive.
func exposes(text string, tokens []memory.Token) string {
	var s signs
	for i := range tokens {
		s.token(tokens, i)
	}
	switch {
	case s.unguarded != "":
		return s.unguarded
	case s.credential != "" && s.readable != "" && !s.hidden:
		return s.credential + " " + s.readable
	case s.credential != "" && s.factory != "":
		return s.credential + " " + s.factory
	case s.stored != "" && s.readable == "public" && !s.hidden:
		return s.stored + " " + s.readable
	case s.source != "" && s.address != "" && (s.moved != "" || s.fetched):
		return s.source + " " + s.address
	case s.opened != "" && s.anyone != "" && s.access != "":
		return s.opened + " " + s.anyone
	case s.grants != "" && (s.credential != "" || s.account) && s.power != "":
		return s.grants + " " + s.power
	case s.vouched != "" && s.approved != "":
		return s.vouched + " " + s.approved
	case s.exchanged:
		if w := lookalike(tokens); w != "" {
			return w
		}
	}
	return piped(text, tokens)
}

// token adds what one word says.
func (s *signs) token(tokens []memory.Token, i int) {
	t := &tokens[i]
	w := strings.TrimSuffix(strings.TrimSuffix(t.Value, "'s"), "’s")
	note := func(to *string) {
		if *to == "" {
			*to = w
		}
	}
	is := kindsOfParts.in(w)
	if (is&ofProtection != 0 || w == "vault" || strings.HasPrefix(w, "signing") || strings.HasPrefix(w, "sign-") || i > 0 && protectionPairs.in(tokens[i-1].Value, w)) && !outdatedProtocol(tokens, i) {
		s.protected = i + 1
	}
	if lowers(tokens, i) {
		s.lowered = i + 1
	}
	if (s.protected == i+1 || s.lowered == i+1) && s.unguarded == "" {
		s.meet(tokens)
	}
	if is&ofCredential != 0 || keyOf(tokens, i) {
		note(&s.credential)
	}
	if place := readableBy(tokens, i); place != "" && (s.readable == "" || place == "public") {
		s.readable = place
	}
	s.hidden = s.hidden || is&ofHiding != 0 && !negatedAt(tokens, i)
	if is&ofSource != 0 {
		note(&s.source)
	}
	if outside(t) {
		note(&s.address)
	}
	if moves[w] {
		note(&s.moved)
	}
	s.fetched = s.fetched || fetches[w]
	if opens[w] {
		note(&s.opened)
	}
	if everybody[w] || w == "0.0.0.0/0" || w == "::/0" {
		note(&s.anyone)
	}
	if is&ofAccess != 0 || w == "0.0.0.0/0" || w == "::/0" {
		note(&s.access)
	}
	s.exchanged = s.exchanged || swapWords[w]
	if granted[w] {
		note(&s.grants)
	}
	if (t.Class == memory.TokenIdent || strings.Contains(w, "-")) && is&ofPower != 0 || t.Class == memory.TokenWord && powerWords[w] {
		note(&s.power)
	}
	s.account = s.account || accounts[w]
	if factories[w] {
		note(&s.factory)
	}
	if is&ofHolding != 0 {
		note(&s.stored)
	}
	if offices[w] {
		note(&s.vouched)
	}
	if approvals[w] {
		note(&s.approved)
	}
}

// within is how many words lie at most between a protection and its removal, and denied
// the same where the removal is a mere "no" or "without".
const (
	within = 9
	denied = 3
)

// meet notes a protection whose removal is near it in the same part of the sentence.
func (s *signs) meet(tokens []memory.Token) {
	if s.protected == 0 || s.lowered == 0 {
		return
	}
	a, b := min(s.protected, s.lowered), max(s.protected, s.lowered)
	reach := within
	switch tokens[s.lowered-1].Value {
	case "no", "without", "ohne", "kein", "keine", "keinen", "nicht", "not":
		reach = denied
		if s.lowered > s.protected && !tokens[s.lowered-1].Code && s.lowered-s.protected > 1 && tokens[s.lowered-1].Value != "nicht" && tokens[s.lowered-1].Value != "not" {
			return // "permission without warning" lacks the warning
		}
	}
	for j := a; j < b; j++ {
		if tokens[j].Sep == ';' || tokens[j].Sep == '(' {
			return
		}
	}
	if b-a <= reach {
		s.unguarded = tokens[s.protected-1].Value + " " + tokens[s.lowered-1].Value
	}
}

var (
	// protections are parts of words for what keeps an attacker out. EN and DE.
	protections = []string{"tls", "ssl", "certificate", "zertifikat", "signature", "signatur", "cosign", "verif", "validation", "validate", "attestation", "checksum", "prüfsumme",
		"mfa", "2fa", "otp", "webauthn", "authentic", "authoriz", "authoris", "authz", "password", "passwort", "kennwort", "sandbox", "firewall", "cors", "csrf", "hsts", "encrypt", "verschlüssel",
		"approval", "freigabe", "review", "codeowners", "branch-protection", "protected", "protection", "schutz", "gitleaks", "trufflehog", "scanner", "secret-scan", "virenscan", "antivirus",
		"rate-limit", "ratelimit", "rbac", "selinux", "apparmor", "seccomp", "allowlist", "whitelist", "hostkey", "host-key", "known_hosts", "pinning", "integrity", "jwt", "vpn", "audit", "keyring"}

	// protectionPairs are protections of two words.
	protectionPairs = newPairs("rate limit", "key check", "access control", "access check", "security check", "network polic", "secret scan", "virus scan", "image scan", "vulnerability scan", "code scan", "spam filter", "content filter", "input filter", "origin check", "token check", "two factor", "second factor")

	credentials = []string{"credential", "secret", "token", "password", "passwort", "kennwort", "api-key", "apikey", "api_key", "schlüssel", "zugangsdaten", "login", "anmeldedaten", "private_key", "passphrase"}

	hidings = []string{"mask", "redact", "hash", "encrypt", "verschlüssel", "sealed", "rotat", "scrub", "strip", "geschwärzt", "removed", "entfernt", "revoked", "expired", "vault"}

	// sources are parts of words for what others trust to be genuine. EN and DE.
	sources = []string{"registry", "mirror", "repository", "installer", "gpg", "signing", "firmware", "update", "package", "paket", "image", "artifact", "artefact", "proxy", "endpoint", "webhook", "receiver", "backup", "sicherung",
		"dns", "resolve", "aufgelöst", "nameserver", "upstream", "cdn", "pypi", "npm", "download", "identity", "issuer", "idp", "callback", "remote", "code"}

	accesses = []string{"port", "origin", "network", "netz", "host", "admin", "bucket", "database", "datenbank", "dashboard", "console", "endpoint", "share", "drive", "laufwerk", "file", "credential", "access", "zugriff", "ingress", "cors"}

	powers   = []string{"admin", "root", "owner", "superuser", "sudo", "write:", ":write", "*"}
	holdings = []string{"backup", "sicherung", "dump", "daten", "export", "archive", "archiv", "data"}

	powerWords = wordSet(`admin administrator root owner superuser wildcard unlimited unrestricted`)
	accounts   = wordSet(`account accounts role roles bot bots service-account serviceaccount konto rolle agent agents runner runners`)
	granted    = wordSet(`got has given granted receives received gets gained holds erhält erhielt bekam bekommt hat`)
	factories  = wordSet(`factory default werkseinstellung standardpasswort werks standard shared gemeinsames`)
	offices    = wordSet(`security audit auditors compliance legal management sicherheit datenschutz revision leitung ciso`)
	approvals  = wordSet(`approved approves cleared waived allowed agreed genehmigt freigegeben erlaubt zugestimmt`)
	moves      = wordSet(`changed changes moved moves now since new replaced switched renamed instead goes go migrated redirected points from as seit jetzt neu neue neuer ab umgezogen geändert ersetzt umgestellt`)
	fetches    = wordSet(`fetched pulled downloaded served installed loaded cloned geladen bezogen heruntergeladen installiert`)
	opens      = wordSet(`open opened allow allows allowed accept accepts permits exposed reachable readable writable accessible public offen geöffnet erlaubt erreichbar freigegeben lesbar öffentlich`)
	everybody  = wordSet(`every all any anyone everyone anybody everybody world internet public jeder jeden jedem alle allen allem öffentlich`)
	swapWords  = wordSet(`replaced replaces replacement renamed fork forked switched swapped successor supersedes superseded favour favor published ersetzt ersatz umbenannt nachfolger abgelöst umgestellt`)
)

// loweringWords say that something is off, gone or weaker. EN and DE.
var loweringWords = wordSet(`off disabled disable disables disabling deactivated dropped removed skipped skips skip waived waives lifted relaxed loosened weakened bypassed bypass bypasses exempt exempted optional unnecessary
 without ignored ignores suspended paused retired insecure unencrypted plaintext unverified unsigned needless superfluous lowered trusted blanket
 abgeschaltet ausgeschaltet deaktiviert entfernt übersprungen aufgehoben ausgesetzt entfällt entfallen ohne kein keine keinen unnötig gelockert umgangen unverschlüsselt klartext abgeschafft ausgenommen`)

// lowers reports whether token i says that a protection is gone or weaker.
func lowers(tokens []memory.Token, i int) bool {
	w := tokens[i].Value
	next := ""
	if i+1 < len(tokens) {
		next = tokens[i+1].Value
	}
	switch {
	case w == "no" || w == "nicht":
		// "needs no approval", "no longer verified", "protected-mode no"; "no" before
		// a fault is good news.
		return !faults[next] && !strings.Contains(next, "fehler") && !strings.Contains(next, "nur") && !looksFor(tokens, i) && !moreThan(tokens, i+1)
	case w == "not":
		return next == "required" || next == "needed" || next == "checked" || next == "verified" || next == "enforced" || next == "necessary" || next == "validated" || next == "encrypted"
	case w == "false" || w == "none" || w == "0":
		return i > 0 && (tokens[i].Sep == ':' || tokens[i].Sep == ',' || tokens[i].Code)
	case w == "aus":
		return i+1 == len(tokens) || tokens[i+1].Sep != 0
	case w == "count" || w == "counts" || w == "gilt" || w == "gelten":
		return next == "as" || next == "als"
	case strings.Contains(w, "insecure"), strings.Contains(w, "no-verify"), strings.Contains(w, "skip-"), strings.Contains(w, "disable-"), strings.Contains(w, "--no-"):
		return true
	}
	return loweringWords[w] && !negatedAt(tokens, i)
}

// negatedAt reports a negation right before token i: "no longer skipped".
func negatedAt(tokens []memory.Token, i int) bool {
	for j := i - 1; j >= 0 && j >= i-2; j-- {
		switch tokens[j].Value {
		case "not", "never", "longer", "nicht", "nie", "cannot":
			return true
		}
	}
	return false
}

// outdatedProtocol reports a version of a protocol that nobody should use: to switch
// off TLS 1.0 raises the protection.
func outdatedProtocol(tokens []memory.Token, i int) bool {
	if !strings.Contains(tokens[i].Value, "tls") && !strings.Contains(tokens[i].Value, "ssl") {
		return false
	}
	return strings.HasSuffix(tokens[i].Value, "v3") || strings.HasSuffix(tokens[i].Value, "v2") || i+1 < len(tokens) && tokens[i+1].Class == memory.TokenNumber && tokens[i+1].Sep == 0 && tokens[i+1].Value < "1.2"
}

// keyOf reports the word "key" where it is one that opens something.
func keyOf(tokens []memory.Token, i int) bool {
	if w := tokens[i].Value; w != "key" && w != "keys" || i == 0 {
		return false
	}
	switch tokens[i-1].Value {
	case "api", "private", "ssh", "deploy", "access", "signing", "encryption", "service", "master", "root":
		return true
	}
	return false
}

// readableBy returns where token i says that many can read something: "public" for a
// place open to all, else the place, empty for none.
func readableBy(tokens []memory.Token, i int) string {
	w := tokens[i].Value
	switch w {
	case "public", "publicly", "öffentlich", "öffentliche", "öffentlichen", "öffentlicher", "öffentliches":
		return "public"
	case "log", "logs", "logging", "readme", "wiki", "gist", "pastebin", "plain", "plaintext", "klartext", "git", "slack", "chat", "forks", "fork", "committed", "shared", "unencrypted", "cleartext":
		return w
	}
	if strings.HasSuffix(w, "-log") || strings.HasSuffix(w, "-logs") || strings.HasPrefix(w, "readme") || strings.HasSuffix(w, "wiki") {
		return w
	}
	return ""
}

// outside reports a token that is an address beyond the private networks: a URL, a
// bare address, or a host name with a public ending.
func outside(t *memory.Token) bool {
	switch t.Class {
	case memory.TokenURL:
		return true
	case memory.TokenNumber, memory.TokenIdent:
		host, _, _ := strings.Cut(strings.TrimSuffix(t.Value, "/"), "/")
		host, _, _ = strings.Cut(host, ":")
		if addr, err := netip.ParseAddr(host); err == nil {
			return !addr.IsPrivate() && !addr.IsLoopback() && !addr.IsLinkLocalUnicast() && !addr.IsUnspecified()
		}
		dot := strings.LastIndexByte(host, '.')
		return dot > 0 && publicEndings[host[dot+1:]] && !strings.ContainsAny(host, "_()@$")
	}
	return false
}

var publicEndings = wordSet(`com org net io dev de eu co app cloud info biz example ru cn xyz uk`)

// lookalike returns the second of two names of which one looks like the other with a
// part added, as a package does that waits for a mistyped name. Instances of one thing
// (`redis-a`, `redis-b`) and files are none.
func lookalike(tokens []memory.Token) string {
	for i := range tokens {
		fresh := nameParts(&tokens[i])
		if len(fresh) == 0 || tokens[i].Class == memory.TokenWord && !tokens[i].Code {
			continue
		}
		for j := range tokens {
			old := nameParts(&tokens[j])
			if i == j || len(old) == 0 || tokens[i].Value == tokens[j].Value || len(fresh) < len(old) {
				continue
			}
			if shares(fresh, old) && !instances(fresh, old) {
				return tokens[i].Value
			}
		}
	}
	return ""
}

// nameParts returns the words inside the name of a package or image, nil for files,
// paths and settings.
func nameParts(t *memory.Token) []string {
	if t.Class != memory.TokenIdent && t.Class != memory.TokenWord || t.Call {
		return nil
	}
	w := t.Value
	if strings.ContainsAny(w, "_()$.#=") || strings.HasPrefix(w, "-") || strings.HasPrefix(w, "/") || strings.Count(w, "/") > 1 {
		return nil
	}
	parts := strings.FieldsFunc(w, func(r rune) bool { return strings.ContainsRune("-/@:", r) })
	if t.Class == memory.TokenWord && !t.Code && len(parts) == 1 && (len(w) < 5 || !t.Upper && common(w) && !strings.HasSuffix(w, "s")) {
		return nil
	}
	return parts
}

// shares reports a part of five letters or more that both names have, apart from
// digits at its end.
func shares(a, b []string) bool {
	for _, x := range a {
		for _, y := range b {
			x, y := strings.TrimRight(x, "0123456789"), strings.TrimRight(y, "0123456789")
			if len(x) > 4 && x == y {
				return true
			}
		}
	}
	return false
}

// instances reports two names that differ only in a short mark at the end.
func instances(a, b []string) bool {
	if len(a) != len(b) {
		return false
	}
	for i := range len(a) - 1 {
		if a[i] != b[i] {
			return false
		}
	}
	x, y := a[len(a)-1], b[len(b)-1]
	return len(x) <= 2 && len(y) <= 2 || strings.TrimRight(x, "0123456789") == strings.TrimRight(y, "0123456789")
}

// piped returns "| sh" where the sentence has a program fetched from the network and
// run at once.
func piped(text string, tokens []memory.Token) string {
	if len(tokens) == 0 {
		return ""
	}
	s := strings.ToLower(text[tokens[0].Start:tokens[len(tokens)-1].End])
	at := strings.IndexByte(s, '|')
	if at < 0 || !strings.Contains(s[:at], "curl") && !strings.Contains(s[:at], "wget") && !strings.Contains(s[:at], "iwr") {
		return ""
	}
	for _, shell := range []string{"sh", "bash", "sudo", "python", "iex", "zsh"} {
		if strings.HasPrefix(strings.TrimSpace(s[at+1:]), shell) {
			return "| " + shell
		}
	}
	return ""
}
