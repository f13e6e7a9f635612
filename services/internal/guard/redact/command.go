package redact

import (
	"regexp"
	"strings"

	"github.com/winnowhq/winnow/services/internal/guard/redact/plausible"
	"github.com/winnowhq/winnow/services/internal/guard/redact/shell"
)

// commandRules returns the rules for programs that no list names: what their arguments
// have in common. A password flag beside a user, "user:password" behind a flag for
// accounts, the setting of a name that says secret, and a login with one argument.
func commandRules() []anchoredRule {
	return []anchoredRule{
		{
			id: "flag-beside-user", rank: rankGeneric,
			description: "Password in a short flag of any program that also has a flag for the user (-u lena -p …).",
			words:       []string{" -p ", " -p=", " -pw ", " -w ", " -k ", " -pwd ", " -passwd ", " -new-password "},
			find:        findFlagBesideUser,
		},
		{
			id: "account-flag", rank: rankGeneric, reach: 220,
			description: "User and password joined by a colon behind a flag for accounts (-auth admin:…, --user root:…).",
			words:       []string{"-auth ", "-auth=", "--user ", "--user=", "-creds ", "-creds=", "--creds=", "--login ", "--login=", "-userpass ", "-userpass=", "--uri ", "--credentials ", "--credentials=", " -u ", " -a "},
			expr:        regexp.MustCompile(`(?i)^\s?-{0,2}[a-z]{1,12}[ =]["']?[A-Za-z0-9][\w.@+\\/-]{0,60}[:%]([^\s"'@:/]{4,100})(?:["'@]|\s|$)`),
			accept: func(c candidate) bool {
				return argumentSecret(c.value()) && (plausible.Named(c.value(), 2) || plausible.Chosen(c.value()) && credsFlag.MatchString(c.text[c.word:c.start]) && shell.Argument(c.text, c.word+1, c.start, c.end))
			},
		},
		{
			id: "stored-secret", rank: rankGeneric,
			description: "Value that a command of a store of secrets puts away (secretsmanager … --secret-string …, keyvault secret set … --value …, secret set … --body …).",
			words:       []string{" --secret-string ", " --secret-string=", " --value ", " --value=", " --body ", " --body=", " -b\"", " -b '", " --secret-value ", " --plaintext "},
			find:        findStored,
		},
		{
			id: "set-secret", rank: rankGeneric,
			description: "Value that a command sets for a name that says secret (config set db.password …, change_password lena …).",
			words: []string{"set ", "setenv ", "env ", "fastcgi_param ", "environmentvariable(", "setx ", "set\t", "put ", "change_password ", "change-password ", "reset-password ", "reset-admin-password ", "set-password ", "set_password ", "add_user ", "adduser ", "addprinc ", "pypi-token.", "http-basic.",
				"setairportnetwork ", "--script-args ", "keygen ", "radtest ", "using ", "#define ", "alias set ", "-urlencode ", "openssl passwd ", "-u root "},
			find: findSetSecret,
		},
		{
			id: "login-argument", rank: rankGeneric,
			description: "Token or password as the only argument of a login (cargo login …, bw unlock …).",
			words:       []string{" login ", " unlock ", " auth ", " authtoken ", " setapikey ", " apikey ", " activate ", " register-key ", " token "},
			find:        findLoginArgument,
		},
		{
			id: "directive", rank: rankGeneric,
			description: "Password in a file of settings, a blank before it and its line for itself (bindpw …, rootpw --plaintext …).",
			words:       []string{"pass ", "pw ", "pwd ", "passwd ", "password ", "passphrase ", "psk ", "pass\t", "pw\t", "password\t", "pass =", "pass=", "authtok", "secret ", "pw:", "psksecret "},
			find:        findDirective,
		},
		{
			id: "key-database", rank: rankShaped, reach: 200,
			description: "Password of a database's tool as user/password@ (expdp system/…@db, sqlldr userid=…).",
			words:       []string{"expdp ", "impdp ", "sqlldr ", "imp ", "exp ", "userid=", "sqlcl ", "sql "},
			expr:        regexp.MustCompile(`(?i)^(?:expdp|impdp|sqlldr|imp|exp|sqlcl|sql|userid=)\s*(?:userid=)?["']?[\w$#]{1,60}/["']?([^\s"'@/]{4,100})["']?@`),
			accept:      func(c candidate) bool { return argumentSecret(c.value()) },
		},
	}
}

// credsFlag matches the flags that take nothing but user and password.
var credsFlag = regexp.MustCompile(`(?i)^\s?-{0,2}(?:creds|credentials|userpass|auth|login)[ =]`)

var (
	storeBefore = regexp.MustCompile(`(?i)\b(?:secrets?|secretsmanager|keyvault|vault|securestring|password|passw|token|key)\b[^\n]*$`)
	storedValue = regexp.MustCompile(`^ --?[a-z-]{1,20}[ =]?(?:"([^"\r\n]{4,200})"|'([^'\r\n]{4,200})'|([^\s"'|;&<>$]{4,200}))`)
)

// findStored needs a command that says before the value that it stores a secret.
func findStored(text string, start, end int, emit func(from, to int)) {
	from, _ := commandAround(text, start, end, 200)
	m := storedValue.FindStringSubmatchIndex(text[start:min(len(text), start+240)])
	if m == nil || !storeBefore.MatchString(text[from:start]) {
		return
	}
	for g := 2; g < len(m); g += 2 {
		if m[g] < 0 {
			continue
		}
		if v := text[start+m[g] : start+m[g+1]]; plausible.Chosen(v) && argumentSecret(v) && shell.Argument(text, start+1, start+m[g], start+m[g+1]) && (plausible.Loose(v) || strings.Contains(text[from:start], "secret")) {
			emit(start+m[g], start+m[g+1])
		}
	}
}

var (
	userFlag  = regexp.MustCompile(`(?:^|\s)(?:-[uUDl]|--?user(?:name)?|--?login|-Username|--?account)[ =]\S`)
	flagValue = regexp.MustCompile(`^ -[a-zA-Z-]{1,13}[ =](?:"([^"\r\n]{5,100})"|'([^'\r\n]{5,100})'|([^\s"'|;&<>]{5,100}))`)
)

// findFlagBesideUser looks through the rest of the line for the flag of a user.
func findFlagBesideUser(text string, start, end int, emit func(from, to int)) {
	m := flagValue.FindStringSubmatchIndex(text[start:min(len(text), start+140)])
	if m == nil {
		return
	}
	from, to := commandAround(text, start, end, 200)
	if !userFlag.MatchString(text[from:start]) && !userFlag.MatchString(text[end:to]) {
		return
	}
	for g := 2; g < len(m); g += 2 {
		if m[g] < 0 {
			continue
		}
		if v := text[start+m[g] : start+m[g+1]]; plausible.Named(v, 2) && argumentSecret(v) && !strings.ContainsAny(v, ":/,") {
			emit(start+m[g], start+m[g+1])
		}
	}
}

// commandAround returns the part of at most reach bytes to either side within the line.
func commandAround(text string, start, end, reach int) (from, to int) {
	from, to = max(0, start-reach), min(len(text), end+reach)
	if i := strings.LastIndexByte(text[from:start], '\n'); i >= 0 {
		from += i + 1
	}
	if i := strings.IndexByte(text[end:to], '\n'); i >= 0 {
		to = end + i
	}
	return from, to
}

// setShapes are the shapes of commands that set a secret, from the rule's word on. One
// group takes part in each match, and it is the secret.
var setShapes = []struct {
	words *regexp.Regexp
	expr  *regexp.Regexp
}{
	{regexp.MustCompile(`^(?:setenv|SetEnv|ENV|fastcgi_param|set -gx|set -x|PassEnv)\s`), regexp.MustCompile(`^(?:setenv|SetEnv|ENV|fastcgi_param|set -gx|set -x|PassEnv)\s+[A-Z0-9_]*(?:PASS|PW|PWD|PASSWORD|PASSWD|PASSPHRASE|SECRET|TOKEN|KEY|PSK)\s+["']?([^\s"'$;][^\s"';]{3,200})["']?;?\s*(?:$|[\r\n])`)},
	{regexp.MustCompile(`(?i)^environmentvariable\(`), regexp.MustCompile(`(?i)^environmentvariable\(\s*["']\w*(?:pass|pw|pwd|password|secret|token|key)\w{0,8}["'],\s*["']([^"'\r\n]{4,200})["']`)},
	{regexp.MustCompile(`(?i)^(?:set|setx|put)\s`), regexp.MustCompile(`(?i)^(?:set|setx|put)\s+(?:--?\S+\s+){0,3}["']?[\w./:\[\]@-]*(?:pass|password|passwd|passphrase|pwd|pw|secret|token|key|psk|authtok)(?:_id)?["']?(?:\s+|=)(?:'([^'\r\n]{5,200})'|"([^"\r\n]{5,200})"|([^\s"'|;&<>=]{5,200}))(?:\s*$|\s*[\r\n|;&#"'\x60])`)},
	{regexp.MustCompile(`(?i)^(?:change|reset|set)[_-]`), regexp.MustCompile(`(?i)^[a-z_-]+\s+(?:[\w.@+-]{1,40}\s+)?["']?([^\s"']{5,100})["']?\s*(?:$|[\r\n|;&#"'\x60])`)},
	{regexp.MustCompile(`(?i)^add_?user\s`), regexp.MustCompile(`(?i)^add_?user\s+[\w.@+-]{1,40}\s+["']?([^\s"'-][^\s"']{4,100})["']?\s*(?:$|[\r\n|;&#\x60])`)},
	{regexp.MustCompile(`(?i)^addprinc\s`), regexp.MustCompile(`(?i)^addprinc\s+-pw\s+["']?([^\s"']{4,100})`)},
	{regexp.MustCompile(`(?i)^(?:pypi-token|http-basic)\.`), regexp.MustCompile(`(?i)^(?:pypi-token\.[\w.-]+|http-basic\.[\w.-]+\s+[\w.@+-]{1,60})\s+["']?([^\s"']{5,200})`)},
	{regexp.MustCompile(`(?i)^setairportnetwork\s`), regexp.MustCompile(`(?i)^setairportnetwork\s+\S+\s+\S+\s+["']?([^\s"']{5,100})`)},
	{regexp.MustCompile(`(?i)^--script-args\s`), regexp.MustCompile(`(?i)^--script-args[ =][^\s]{0,100}?pass\w*=["']?([^\s"',]{4,100})`)},
	{regexp.MustCompile(`(?i)^keygen\s`), regexp.MustCompile(`^keygen\s[^\r\n|;&]{0,120}?\s-(?:N|P)\s+(?:'([^'\r\n]{5,100})'|"([^"\r\n]{5,100})"|([^\s"'-][^\s"']{4,100}))`)},
	{regexp.MustCompile(`(?i)^radtest\s`), regexp.MustCompile(`(?i)^radtest\s+(?:-\S+\s+\S+\s+)?\S+\s+["']?([^\s"']{5,100})`)},
	{regexp.MustCompile(`(?i)^alias set\s`), regexp.MustCompile(`(?i)^alias set\s+\S+\s+https?://\S+\s+\S+\s+["']?([^\s"']{5,200})`)},
	{regexp.MustCompile(`(?i)^-urlencode\s`), regexp.MustCompile(`(?i)^-urlencode\s+["']?\w*(?:pass|password|passwd|pwd|pw|secret|token)=([^\s"'&]{4,200})`)},
	{regexp.MustCompile(`(?i)^openssl passwd\s`), regexp.MustCompile(`(?i)^openssl passwd\s+(?:-\S+\s+(?:[a-z]\S*\s+)?){0,3}["']?([^\s"'-][^\s"']{4,100})["']?\s*(?:$|[\r\n|;&#\x60])`)},
	{regexp.MustCompile(`(?i)^-u\s`), regexp.MustCompile(`(?i)^-u\s+\S+\s+password\s+["']?([^\s"']{5,100})`)},
	{regexp.MustCompile(`(?i)^using\s`), regexp.MustCompile(`(?i)^using\s+["']?([^\s"']{5,100})["']?\s*(?:$|[\r\n|;&])`)},
	{regexp.MustCompile(`(?i)^#define\s`), regexp.MustCompile(`(?i)^#define\s+\w*(?:pass|password|passwd|passphrase|pwd|pw|secret|token|key|psk)\w{0,10}\s+"([^"\r\n]{5,100})"`)},
}

// userBefore matches the user of a database's connect statement.
var userBefore = regexp.MustCompile(`(?i)\bconnect\s+to\s+\S+\s+user\s+\S+\s+$`)

func findSetSecret(text string, start, end int, emit func(from, to int)) {
	if b := byteBefore(text, start); b != 0 && strings.IndexByte("#-", text[start]) < 0 && (plausible.IsLetter(rune(b)) || b == '_') {
		return
	}
	rest := text[start:min(len(text), start+300)]
	if strings.HasPrefix(strings.ToLower(rest), "using") && !userBefore.MatchString(text[max(0, start-160):start]) {
		return
	}
	for i, s := range setShapes {
		if !s.words.MatchString(rest[:min(len(rest), 20)]) {
			continue
		}
		m := s.expr.FindStringSubmatchIndex(rest)
		for g := 2; g < len(m); g += 2 {
			if m[g] >= 0 {
				if v := rest[m[g]:m[g+1]]; argumentSecret(v) && (plausible.Named(v, 2) || plausible.Token(v) && plausible.Random(v) || i < 2 && plausible.Chosen(v)) {
					emit(start+m[g], start+m[g+1])
				}
			}
		}
		return
	}
}

var (
	commandHead = regexp.MustCompile(`(?:^|[\n\x60$>]\s*|&&\s|[;|]\s)(?:sudo\s)?[a-z][\w./-]{0,30}(?:\s[a-z-]{2,20})?$`)
	lastWord    = regexp.MustCompile(`^ [a-z-]+ (?:--?[a-z-]+[ =])?["']?([^\s"'\x60]{6,300})["']?\s*(?:$|[\n\r\x60;|&#])`)
)

// findLoginArgument needs a line that is nothing but the command.
func findLoginArgument(text string, start, _ int, emit func(from, to int)) {
	m := lastWord.FindStringSubmatchIndex(text[start:min(len(text), start+340)])
	if m == nil || !commandHead.MatchString(text[max(0, start-60):start]) {
		return
	}
	if v := text[start+m[2] : start+m[3]]; argumentSecret(v) && (plausible.Token(v) && plausible.Random(v) && len(v) >= 16 && plausible.Named(v, 3) || plausible.Named(v, 3) && strings.HasPrefix(text[start:], " unlock")) {
		emit(start+m[2], start+m[3])
	}
}

var (
	directiveHead = regexp.MustCompile(`(?:^|\n)[ \t]*(?:[a-z-]{1,4}\s)?(?:[A-Za-z0-9_./-]{0,30})$`)
	directiveTail = regexp.MustCompile(`(?i)^(?:pass|pw|pwd|passwd|password|passphrase|psk|psksecret|secret|authtok)[ \t]*(?:[ \t]|=|: )[ \t]*(?:--?plaintext[ \t]+|password[ \t]+)?["']?([^\s"';#][^\s"';]{4,100})["']?[ \t]*(?:[#;][^\n]*)?(?:\n|\r|$)`)
	otherPass     = regexp.MustCompile(`(?i)(?:by|com|tres|sur|encom|over|under|first|second|one|two|multi|single|im|low|high|band)$`)
)

// findDirective needs a name and a value that share a line with nothing else.
func findDirective(text string, start, _ int, emit func(from, to int)) {
	m := directiveTail.FindStringSubmatchIndex(text[start:min(len(text), start+200)])
	if m == nil {
		return
	}
	head := text[max(0, start-60):start]
	if !directiveHead.MatchString(head) || otherPass.MatchString(head) {
		return
	}
	if v := text[start+m[2] : start+m[3]]; argumentSecret(v) && (plausible.Named(v, 2) || plausible.Chosen(v) && compound(text, start) && !typed.MatchString(v)) {
		emit(start+m[2], start+m[3])
	}
}

// typed matches what a program text has behind a name: a type, a number.
var typed = regexp.MustCompile(`^(?:\[\]|\*|&|0x|u?int\d*$|uintptr$|\w+_t$|Uid|Gid|float\d+$|string$|bool$|char$|byte$|=)`)

// compound reports whether the word at an offset is the end of a name that only settings have:
// rootpw, bind_pass, AuthLDAPBindPassword.
func compound(text string, at int) bool {
	b := byteBefore(text, at)
	return b == '_' || b == '.' || b == '-' || 'a' <= b && b <= 'z' && text[at] >= 'a' || strings.IndexByte(text[at:min(len(text), at+24)], '"') >= 0 && plausible.IsLetter(rune(b))
}
