package redact

import (
	"regexp"
	"slices"
	"strings"

	"github.com/winnowhq/winnow/services/internal/guard/redact/plausible"
	"github.com/winnowhq/winnow/services/internal/guard/redact/shell"
)

// clientRules returns the rules for passwords among the arguments of
// command-line programs.
func clientRules() []anchoredRule {
	var names []string
	for name := range clients {
		names = append(names, name+" ", name+`", `, name+`',`)
	}
	slices.Sort(names)
	return []anchoredRule{
		{
			id: "client-flag", rank: rankShaped,
			description: "Password in the short flags of well-known clients (mysql -p…, curl -u user:…, redis-cli -a …, docker login -p …).",
			words:       names,
			find:        findClientFlag,
		},
		{
			id: "password-flag", rank: rankShaped, reach: 260,
			description: "Password given as a command-line flag (--password …, --db-pass=…, -storepass …, -passin pass:…).",
			words:       []string{"pass", "pwd", "-pw", "token", "secret", "-key", "passwort", "kennwort"},
			find:        findLongFlag,
		},
		{
			id: "client-argument", rank: rankShaped, reach: 300,
			description: "Password as a plain argument (nmcli … password …, net use … /user:, sqlplus user/…@, users create -p, chpasswd, htpasswd -b, a password piped into a login).",
			words:       []string{"nmcli ", "wpa_passphrase ", "chpasswd", "passwd --stdin", "htpasswd ", "net use ", "net user ", "config set ", "kv put ", "kv patch ", "vault write ", "setx ", "with password", "--from-literal", "vault login ", "requirepass ", "masterauth ", "set-initial-password ", "user set password ", "user:password ", "keymaterial=", "operator unseal ", "rclone obscure ", "mkpasswd ", "openssl passwd ", "encrypt-master-password ", "encrypt-password ", "bw login ", "encrypt_string ", "samba-tool user ", "nuget push ", "mp4decrypt ", "hexkey:", "dgst ", "--encrypt ", "npm publish ", "reg add ", "lftp ", "sqlplus ", "rman ", " users create ", " user create ", " user add ", " useradd ", " create-user ", "kinit", "--password-stdin", "cryptsetup", "smbpasswd", "passphrase-fd", " login", "sudo -s", "--stdin", "--passwd-on-stdin", "secret create", "secrets create", "secret put", "secrets set", "secret set", "env add", "realm join", "pass insert", "argon2 ", "/dev/stdin", "<(echo ", "<(printf "},
			find:        findClientArgument,
		},
	}
}

// argument says how a flag carries a secret.
type argument struct {
	flag string
	// form is the part of the value that is secret: all of it, or what follows a
	// separator (user:secret).
	after byte
	// attached means that the value follows without a blank only (mysql -psecret).
	attached bool
	// within is a subcommand that must come before; empty for none.
	within string
}

// clients maps programs to the short flags in which they take a password. Long
// flags need no list, see findLongFlag.
var clients = map[string][]argument{
	"mysql": dashP, "mysqldump": dashP, "mysqladmin": dashP, "mysqlimport": dashP, "mysqlcheck": dashP, "mysqlshow": dashP, "mysqlsh": dashP, "mariadb": dashP, "mariadb-dump": dashP, "mariadb-admin": dashP, "mycli": dashP, "xtrabackup": dashP,
	"mongo": onlyP, "mongosh": onlyP, "mongodump": onlyP, "mongorestore": onlyP, "mongoexport": onlyP, "mongoimport": onlyP, "cqlsh": onlyP, "sshpass": onlyP, "psexec": onlyP, "beeline": onlyP, "7z": dashP, "7za": dashP, "7zz": dashP, "7zr": dashP, "p7zip": dashP, "rar": {{flag: "-p", attached: true}, {flag: "-hp", attached: true}}, "unrar": dashP, "ncrack": onlyP, "couchbase-cli": onlyP, "cbq": onlyP, "arangosh": onlyP, "neo4j-admin": onlyP, "cypher-shell": onlyP, "nxc": onlyP, "crackmapexec": onlyP, "evil-winrm": onlyP, "hdbsql": onlyP, "plink": {{flag: "-pw"}}, "pscp": {{flag: "-pw"}}, "putty": {{flag: "-pw"}},
	"redis-cli": {{flag: "-a"}}, "valkey-cli": {{flag: "-a"}}, "redis-benchmark": {{flag: "-a"}}, "keydb-cli": {{flag: "-a"}},
	"curl": userColon, "xh": httpAuth, "http": httpAuth, "https": httpAuth, "ab": {{flag: "-A", after: ':'}}, "hey": {{flag: "-a", after: ':'}}, "lftp": {{flag: "-u", after: ','}}, "influx": {{flag: "-password"}}, "ncftpput": onlyP, "ncftpget": onlyP,
	"mosquitto_pub": upperP, "mosquitto_sub": upperP, "mosquitto_rr": upperP, "sqlcmd": upperP, "bcp": upperP, "isql": upperP, "tsql": upperP, "ipmitool": upperP, "zip": upperP, "unzip": upperP, "fisql": upperP, "osql": upperP,
	"ldapsearch": lowerW, "ldapmodify": lowerW, "ldapadd": lowerW, "ldapdelete": lowerW, "ldapwhoami": lowerW, "ldapcompare": lowerW, "ldappasswd": {{flag: "-w"}, {flag: "-s"}, {flag: "-a"}},
	"smbclient": userPercent, "smbmap": onlyP, "rpcclient": userPercent, "smbget": userPercent, "wmic": userPercent, "winexe": userPercent, "snmpwalk": snmp, "snmpget": snmp, "snmpset": snmp, "snmpbulkwalk": snmp,
	"docker": loginP, "podman": loginP, "helm": loginP, "buildah": loginP, "skopeo": loginP, "oras": loginP, "crane": loginP, "nerdctl": loginP, "az": loginP, "oc": loginP, "cf": loginP, "argocd": loginP, "regctl": loginP, "apptainer": loginP,
	"signtool": {{flag: "/p"}}, "schtasks": {{flag: "/rp"}, {flag: "/p"}}, "schtasks.exe": {{flag: "/rp"}}, "certutil": onlyP, "pk12util": {{flag: "-W"}, {flag: "-K"}}, "osslsigncode": {{flag: "-pass"}}, "ccrypt": {{flag: "-K"}}, "ccencrypt": {{flag: "-K"}}, "ccdecrypt": {{flag: "-K"}},
	"pdftotext": pdfFlags, "pdftoppm": pdfFlags, "pdfimages": pdfFlags, "pdfinfo": pdfFlags, "pdftops": pdfFlags, "pdftk": {{flag: "input_pw"}, {flag: "owner_pw"}, {flag: "user_pw"}}, "sendemail": {{flag: "-xp"}}, "zerotier-cli": {{flag: "-T"}}, "usermod": onlyP, "dsadd": {{flag: "-pwd"}}, "dsmod": {{flag: "-pwd"}},
	"psftp": {{flag: "-pw"}}, "nzsql": {{flag: "-pw"}}, "vsql": lowerW, "db2": {{flag: "using"}}, "codecov": {{flag: "-t"}}, "ncftp": onlyP, "racadm": onlyP, "vncviewer": {{flag: "-passwd"}}, "consul": {{flag: "-encrypt"}}, "netlify": {{flag: "--auth"}}, "rabbitmqadmin": onlyP, "mosquitto_passwd": {{flag: "-b"}}, "ora2pg": {{flag: "--pwd"}}, "ssh-keygen": {{flag: "-N"}, {flag: "-P"}},
	"mysqlpump": dashP, "mysqlslap": dashP, "mariadb-check": dashP, "mariadb-import": dashP, "mongostat": onlyP, "mongotop": onlyP, "bsondump": onlyP, "memcstat": onlyP, "jenkins-cli": {{flag: "-auth", after: ':'}}, "etcdctl": {{flag: "--user", after: ':'}}, "siege": {{flag: "--login", after: ':'}}, "impacket-smbclient": onlyP, "kadmin": lowerW, "kadmin.local": {{flag: "-pw"}},
	"rdesktop": onlyP, "xfreerdp": {{flag: "/p:"}}, "wfreerdp": {{flag: "/p:"}}, "security": {{flag: "-w"}, {flag: "-p", within: "unlock-keychain"}, {flag: "-p", within: "create-keychain"}, {flag: "-k", within: "set-key-partition-list"}, {flag: "-P", within: "import"}}, "openssl": {{flag: "-k"}, {flag: "-K"}},
}

var (
	httpAuth    = []argument{{flag: "-a", after: ':'}, {flag: "--auth", after: ':'}}
	pdfFlags    = []argument{{flag: "-upw"}, {flag: "-opw"}}
	dashP       = []argument{{flag: "-p", attached: true}}
	onlyP       = []argument{{flag: "-p"}}
	upperP      = []argument{{flag: "-P"}}
	lowerW      = []argument{{flag: "-w"}}
	userColon   = []argument{{flag: "-u", after: ':'}, {flag: "--user", after: ':'}, {flag: "-U", after: ':'}, {flag: "--proxy-user", after: ':'}, {flag: "-E", after: ':'}}
	userPercent = []argument{{flag: "-U", after: '%'}, {flag: "--user", after: '%'}}
	snmp        = []argument{{flag: "-c"}, {flag: "-A"}, {flag: "-X"}}
	loginP      = []argument{{flag: "-p", within: "login"}}
)

// commandReach bounds the length of a command in bytes.
const commandReach = 600

// findClientFlag looks through the arguments of a client for its flags.
func findClientFlag(text string, start, end int, emit func(from, to int)) {
	if b := byteBefore(text, start); b != 0 && (plausible.IsWordByte(b) || '0' <= b && b <= '9') {
		return
	}
	flags := clients[strings.ToLower(strings.TrimRight(text[start:end], "\"', "))]
	if len(flags) == 0 {
		return
	}
	words := shell.Words(text, end, min(len(text), end+commandReach))
	if text[end-1] != ' ' || text[end-2] == ',' { // ["redis-cli", "-a", "…"]
		words = shell.Items(text, end, min(len(text), end+commandReach))
	}
	seen := ""
	for i, w := range words {
		w.From, w.To = shell.Unquoted(text, w.From, w.To)
		arg := text[w.From:w.To]
		for _, f := range flags {
			if f.within != "" && !strings.Contains(seen, " "+f.within+" ") {
				continue
			}
			at := 0
			if m := clustered.FindString(arg); f.after == ':' && strings.HasSuffix(m, f.flag[1:]) {
				at = len(m) - len(f.flag) // curl -sSu user:…
			} else if !strings.HasPrefix(arg, f.flag) {
				continue
			}
			from, to := w.From+at+len(f.flag), w.To
			switch {
			case from == to && !f.attached && i+1 < len(words):
				from, to = words[i+1].From, words[i+1].To
			case from == to, strings.HasPrefix(f.flag, "--") && text[from] != '=':
				continue
			case text[from] == '=':
				from++
			case at == 0 && len(arg) > 2 && plausible.IsLetter(rune(arg[1])) && arg[1] != f.flag[1]:
				continue
			}
			from, to = shell.Unquoted(text, from, to)
			if f.after != 0 {
				i := strings.IndexByte(text[from:to], f.after)
				if i < 0 {
					continue
				}
				from += i + 1
			}
			if argumentSecret(text[from:to]) {
				emit(from, to)
			}
		}
		seen += " " + arg + " "
	}
}

// clustered matches several short flags in one, of which the last takes a value.
var clustered = regexp.MustCompile(`^-[a-zA-Z]{1,7}[uU]$`)

// argumentSecret reports whether the value of a password flag is given and not
// taken from elsewhere.
func argumentSecret(v string) bool {
	return plausible.Password(v) && v[0] != '-' && !strings.HasPrefix(v, "/") && !strings.Contains(v, "$(") && !strings.HasPrefix(v, "pass:$") && !plausible.ProseWords.MatchString(v)
}

// longFlag matches what stands around the word of a long flag: the flag's
// beginning to the left is checked by code, since expressions start at the word.
var (
	longFlagTail = regexp.MustCompile(`(?i)^(?:pass(?:word|wd|phrase|code)?|pwd|-pw|token|secret|-key|passwort|kennwort)(-?key|-?id|-?token|-?pass|-?password|-?secret)?(?:=|[ \t]+|:|["'], ?)\\?(?:'([^'\r\n]{1,200})'|"([^"\r\n]{1,200})"|([^\s"'<>|;&]{4,200}))`)
	longFlagHead = regexp.MustCompile(`(?:^|[\s"'\x60\[(])(?:--?|/)(?:[A-Za-z0-9][A-Za-z0-9.]{0,20}[-_.])*[A-Za-z0-9]{0,16}-?$`)
	// chosenFlag matches the words of flags whose values people choose.
	chosenFlag  = regexp.MustCompile(`(?i)^(?:pass|pwd|-pw|passwort|kennwort)`)
	opensslPass = regexp.MustCompile(`-pass(?:in|out)?[ \t]+["']?$`)
)

// findLongFlag finds the value of a flag whose name holds a word for a secret:
// --password=…, --db-pass …, -storepass …, -passin pass:….
func findLongFlag(text string, start, end int, emit func(from, to int)) {
	head := text[max(0, start-64):start]
	if !flagBefore(head) && !strings.Contains(head, "-pass") {
		return // no expression below could match
	}
	if strings.HasSuffix(strings.TrimSuffix(head, "-"), "-ask") {
		return // --askpass, --ask-become-pass take nothing
	}
	if !longFlagHead.MatchString(head) && !opensslPass.MatchString(head) {
		return
	}
	m := longFlagTail.FindStringSubmatchIndex(text[start:min(len(text), start+260)])
	if m == nil || m[2] >= 0 && strings.HasSuffix(strings.ToLower(text[start+m[2]:start+m[3]]), "id") {
		return
	}
	for g := 4; g < len(m); g += 2 {
		if m[g] < 0 {
			continue
		}
		from, to := start+m[g], start+m[g+1]
		if comma := text[start : start+m[g]]; strings.ContainsRune(comma, ',') && (head[len(head)-1] != '-' && !strings.Contains(head, "--") || !chosenFlag.MatchString(text[start:end])) {
			return // names and values of a program's text, and no list of a command's words
		}
		tight := text[start+m[g]-1] == '=' || g < 8
		v := text[from:to]
		if !argumentSecret(v) || plausible.Path(v) || plausible.CodeReference(v) && !plausible.Chosen(v) || strings.HasPrefix(v, "file:") || strings.HasPrefix(v, "env:") || strings.HasPrefix(v, "fd:") {
			return
		}
		if tight && !stream.MatchString(v) || plausible.Loose(v) && strings.ContainsAny(v, plausible.Digits) || plausible.Chosen(v) && chosenFlag.MatchString(text[start:end]) && shell.Argument(text, start, from, to) {
			emit(from, to)
		}
	}
}

// flagBefore reports whether head ends in the beginning of a flag: a hyphen or slash
// behind the last byte that no flag has. It is a necessary condition for longFlagHead.
func flagBefore(head string) bool {
	at := len(head)
	for at > 0 && (head[at-1] == '/' || '0' <= head[at-1] && head[at-1] <= '9' || plausible.IsWordByte(head[at-1])) {
		at--
	}
	return at < len(head) && (head[at] == '-' || head[at] == '/')
}

// stream matches values that say where the password comes from.
var stream = regexp.MustCompile(`(?i)^(?:stdin|prompt|ask|file|option|flag|env|auto|generate|random|keychain|keyring|-)$`)

// arguments matches plain arguments, from the word of the rule on. The last
// group is the secret.
var arguments = map[string]*regexp.Regexp{
	"nmcli ":                   regexp.MustCompile(`(?i)^nmcli [^\r\n]{0,160}?\b(?:password|wifi-sec\.psk|802-1x\.password)\s+["']?([^\s"']{4,100})`),
	"wpa_passphrase ":          regexp.MustCompile(`(?i)^wpa_passphrase\s+(?:"[^"]{1,60}"|'[^']{1,60}'|\S{1,60})\s+["']?([^\s"']{8,100})`),
	"htpasswd ":                regexp.MustCompile(`(?i)^htpasswd\s+(?:-[A-Za-z]+\s+){0,4}(?:-[A-Za-z]*b[A-Za-z]*)\s+(?:\S+\s+){1,2}["']?([^\s"']{4,100})["']?\s*(?:$|[\r\n;&|])`),
	"net use ":                 regexp.MustCompile(`(?i)^net use\s+(?:\S+\s+){1,2}(?:["']?([^\s"'/\\][^\s"']{3,100})["']?\s+/user:|/user:\S+\s+["']?([^\s"'/][^\s"']{3,100}))`),
	"sqlplus ":                 regexp.MustCompile(`(?i)^sqlplus\s+(?:-\S+\s+){0,3}["']?[\w$#]{1,60}/["']?([^\s"'@/]{4,100})["']?@`),
	"rman ":                    regexp.MustCompile(`(?i)^rman\s+(?:target|auxiliary|catalog)[ =]["']?[\w$#]{1,60}/["']?([^\s"'@/]{4,100})["']?@`),
	" users create ":           createUser,
	" user create ":            createUser,
	" user add ":               createUser,
	" useradd ":                createUser,
	" create-user ":            createUser,
	"net user ":                regexp.MustCompile(`(?i)^net user\s+\S+\s+["']?([^\s"'/][^\s"']{3,100})`),
	"config set ":              regexp.MustCompile(`(?i)^config set\s+["']?[\w./:-]*(?:pass|password|secret|token|_?auth|key|requirepass|masterauth)\w*["']?\s+["']?([^\s"']{4,200})`),
	"vault write ":             regexp.MustCompile(`(?i)^vault write\s+\S+\s+(?:[\w.-]+=\S+\s+){0,3}?[\w.-]*(?:pass|pw|secret|token|key|pin)\w*=["']?([^\s"'@]{4,200})`),
	"kv patch ":                regexp.MustCompile(`(?i)^kv patch\s+\S+\s+(?:[\w.-]+=\S+\s+){0,3}?[\w.-]*(?:pass|pw|secret|token|key|pin)\w*=["']?([^\s"'@]{4,200})`),
	"setx ":                    regexp.MustCompile(`(?i)^setx\s+\w*(?:pass|pw|pwd|secret|token|key|pin|cred|kennwort|auth)\w*\s+["']?([^\s"'%$]{4,200})`),
	"kv put ":                  regexp.MustCompile(`(?i)^kv put\s+\S+\s+(?:[\w.-]+=\S+\s+){0,3}?[\w.-]*(?:pass|pw|secret|token|key|pin)\w*=["']?([^\s"'@]{4,200})`),
	"with password":            regexp.MustCompile(`(?i)^with password\s+'([^'\r\n]{3,100})'`),
	"--from-literal":           regexp.MustCompile(`(?i)^--from-literal[= ]["']?[\w.-]*(?:pass|pw|pwd|secret|token|key|pin|cred|kennwort)[\w.-]*=["']?([^\s"']{4,200})`),
	"vault login ":             regexp.MustCompile(`(?i)^vault login\s+(?:-[\w-]+(?:=\S+)?\s+){0,3}([^\s=-][^\s=]{7,200})(?:\s|$)`),
	"requirepass ":             regexp.MustCompile(`(?i)^requirepass\s+["']?([^\s"']{4,200})`),
	"set-initial-password ":    regexp.MustCompile(`(?i)^set-initial-password\s+["']?([^\s"']{4,100})`),
	"user set password ":       regexp.MustCompile(`(?i)^user set password\s+\d+\s+["']?([^\s"']{4,100})`),
	"user:password ":           regexp.MustCompile(`(?i)^user:password\s+\S+\s+["']?([^\s"']{4,100})`),
	"keymaterial=":             regexp.MustCompile(`(?i)^keymaterial=["']?([^\s"']{4,100})`),
	"operator unseal ":         regexp.MustCompile(`(?i)^operator unseal\s+["']?([A-Za-z0-9+/=]{16,100})`),
	"rclone obscure ":          regexp.MustCompile(`(?i)^rclone obscure\s+["']?([^\s"'-][^\s"']{3,100})`),
	"mkpasswd ":                regexp.MustCompile(`(?i)^mkpasswd\s+(?:-\w\s+\S+\s+|--?\w+=\S+\s+|-\w\s+)*["']?([^\s"'-][^\s"']{3,100})`),
	"openssl passwd ":          regexp.MustCompile(`(?i)^openssl passwd\s+(?:-\d\s+|-salt\s+\S+\s+|-apr1\s+|-crypt\s+)*["']?([^\s"'-][^\s"']{3,100})`),
	"encrypt-master-password ": regexp.MustCompile(`(?i)^encrypt-master-password\s+["']?([^\s"'-][^\s"']{3,100})`),
	"encrypt-password ":        regexp.MustCompile(`(?i)^encrypt-password\s+["']?([^\s"'-][^\s"']{3,100})`),
	"bw login ":                regexp.MustCompile(`(?i)^bw login\s+\S+@\S+\s+["']?([^\s"'-][^\s"']{3,100})`),
	"encrypt_string ":          regexp.MustCompile(`(?i)^encrypt_string\s[^\r\n]{0,120}?["']([^\r\n"']{4,100})["']\s+(?:--name|-n)\b`),
	"samba-tool user ":         regexp.MustCompile(`(?i)^samba-tool user (?:create|add)\s+\S+\s+["']?([^\s"'-][^\s"']{3,100})`),
	"nuget push ":              regexp.MustCompile(`(?i)^nuget push\s+\S+\s+(?:[^\r\n]{0,80}?(?:-k|--api-key)\s+)?["']?([^\s"'-][^\s"']{15,200})`),
	"mp4decrypt ":              regexp.MustCompile(`(?i)^mp4decrypt\s[^\r\n]{0,80}?--key\s+[0-9a-f]{1,32}:([0-9a-f]{32})`),
	"hexkey:":                  regexp.MustCompile(`(?i)^hexkey:([0-9a-f]{16,128})`),
	"dgst ":                    regexp.MustCompile(`(?i)^dgst\s[^\r\n]{0,60}?-hmac\s+["']?([^\s"'-][^\s"']{3,100})`),
	"--encrypt ":               regexp.MustCompile(`(?i)^--encrypt\s+["']?([^\s"'-][^\s"']{3,60})["']?\s+["']?[^\s"'-]+["']?\s+(?:40|128|256)\s`),
	"npm publish ":             regexp.MustCompile(`(?i)^npm publish\s[^\r\n]{0,60}?--otp[= ](\d{6,8})`),
	"reg add ":                 regexp.MustCompile(`(?i)^reg(?:\.exe)? add\s[^\r\n]{0,160}?/v\s+["']?\w*(?:pass|pwd|secret|token|pin)\w*["']?\s[^\r\n]{0,60}?/d\s+["']?([^\s"'/][^\s"']{3,100})`),
	"masterauth ":              regexp.MustCompile(`(?i)^masterauth\s+["']?([^\s"']{4,200})`),
}

// createUser matches the short flag of a command that makes an account.
var createUser = regexp.MustCompile(`(?i)^ (?:users? (?:create|add)|useradd|create-user) [^\r\n|;&]{0,200}?(?:^|\s)-p[= ]["']?([^\s"'-][^\s"']{5,100})`)

var (
	// substituted matches what a shell writes into a file that only the command sees.
	substituted  = regexp.MustCompile(`(?i)^<\((?:echo|printf)\s+(?:-\w+\s+)?(?:["']%s["']\s+)?["']?([^\s"'|)]{6,200})["']?\s*\)`)
	secretBefore = regexp.MustCompile(`(?i)(?:pass|psk|pw|key|secret|token|auth|cred|pin)[\w-]*[ =]$`)
	piped        = regexp.MustCompile(`(?i)(?:echo|printf)\s+(?:-\w+\s+)?["']?(?:[\w.-]+:)?([^\s"'|:]{4,100})["']?\s*\|[^|\r\n]{0,40}$`)
	hereNamed    = regexp.MustCompile(`(?i)<<<\s*["']?(?:[\w.-]+:)?([^\s"']{4,100})`)
)

func findClientArgument(text string, start, end int, emit func(from, to int)) {
	word := strings.ToLower(text[start:end])
	if expr := arguments[word]; expr != nil {
		if m := expr.FindStringSubmatchIndex(text[start:min(len(text), start+300)]); m != nil {
			last := len(m) - 2 // of two orders of arguments one has a group
			if m[last] < 0 {
				last -= 2
			}
			from, to := start+m[last], start+m[last+1]
			if v := text[from:to]; argumentSecret(v) && (!plausible.CodeReference(v) || strings.ContainsAny(v, plausible.Digits)) {
				emit(from, to)
			}
		}
		return
	}
	if strings.HasPrefix(word, "<(") {
		from, _ := commandAround(text, start, end, 200)
		m := substituted.FindStringSubmatchIndex(text[start:min(len(text), start+200)])
		if m != nil && secretBefore.MatchString(text[from:start]) && argumentSecret(text[start+m[2]:start+m[3]]) && plausible.Loose(text[start+m[2]:start+m[3]]) {
			emit(start+m[2], start+m[3])
		}
		return
	}
	// chpasswd, passwd --stdin, kinit and logins read the password from a pipe or a here string.
	from := max(0, start-200)
	if strings.LastIndexByte(text[from:start], '|') < 0 && !strings.Contains(text[end:min(len(text), end+160)], "<<<") {
		return
	}
	if m := piped.FindStringSubmatchIndex(text[from:start]); m != nil && argumentSecret(text[from+m[2]:from+m[3]]) {
		emit(from+m[2], from+m[3])
	}
	if word == " login" || word == "sudo -s" {
		return // a here string of another program
	}
	if m := hereNamed.FindStringSubmatchIndex(text[end:min(len(text), end+160)]); m != nil && argumentSecret(text[end+m[2]:end+m[3]]) {
		emit(end+m[2], end+m[3])
	}
}
