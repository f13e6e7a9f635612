package redact

import (
	"regexp"
	"strings"

	"github.com/winnowhq/winnow/services/internal/guard/redact/plausible"
)

// statementRules returns the rules for passwords in statements: of SQL and Redis, of the
// shells of network devices, and among the arguments of calls in programs.
func statementRules() []anchoredRule {
	return []anchoredRule{
		{
			id: "sql-password", rank: rankShaped, reach: 220,
			description: "Password in a statement that makes or changes an account (IDENTIFIED BY …, WITH PASSWORD = N'…', crypt('…', AUTH …).",
			words:       []string{"identified", "password", "crypt(", "auth ", "acl setuser"},
			find:        findStatement(sqlStatements),
		},
		{
			id: "device-password", rank: rankShaped,
			description: "Password in the configuration of a network device or a telephone system (enable secret …, snmp-server community …, register => user:…@host).",
			words: []string{"enable secret", "enable password", "username ", "snmp-server community", "snmp community", "rocommunity", "rwcommunity", "com2sec", "server key", "key-string", "pre-shared-key", "isakmp key",
				"authentication-key", "neighbor ", "chap password", "pap password", "wpa-psk ascii", "ascii-text", "register =", "{plain", "{clear", "ppp password", "simple-password", "message-digest-key", "stats auth ", "radius-server ", "tacacs key ", " auth sha ", " auth md5 ", " priv aes ", " priv des ", ": eap \"", ": rsa ", " on >", "send \"", " * \"", "]:25 ", "]:465 ", "]:587 "},
			find: findStatement(deviceStatements),
		},
		{
			id: "protocol-login", rank: rankShaped,
			description: "Password in a line of a protocol that logs in (PASS …, AUTHINFO PASS …, a1 LOGIN user …, IDENTIFY …, SIP2's |CO…|, RADIUS User-Password).",
			words:       []string{"pass ", "login ", "identify ", "|co", "user-password", "passcode:"},
			find:        findStatement(protocolStatements),
		},
		{
			id: "call-password", rank: rankShaped,
			description: "Password among the arguments of a call (login('user', '…'), auth=(\"user\", \"…\"), ConvertTo-SecureString \"…\").",
			words: []string{"login(", "auth(", "auth=(", "auth = (", "credential(", "credentials(", "authenticate(", "authentication(", "authorize(", "setuserinfo(", "userpassword(", "convertto-securestring",
				"withpassword(", "setpassword(", "set_password(", "with_password(", ".password(", "credential]::new(", "passwordauthentication(", "sp_addlogin ", "pragma key", "wifi.begin(", "pw_set(", "getconnection(", "connect(", "new pdo(", "credentials::new(", "getenv(", "env("},
			find: findStatement(callStatements),
		},
	}
}

// statement is a shape of a statement, from the rule's word on; one group takes part in
// each match, and it is the secret.
type statement struct {
	expr *regexp.Regexp
	// after, when set, must match the text of the line before the word.
	after *regexp.Regexp
}

var account = regexp.MustCompile(`(?i)\b(?:create|alter|set|grant|update|user|role|login|add)\b`)

var sqlStatements = map[string]statement{
	"identified":  {expr: regexp.MustCompile(`(?i)^identified\s+(?:with\s+["'\x60]?[\w.]+["'\x60]?\s+)?(?:by|as)\s+(?:password\s+)?(?:'([^'\r\n]{3,100})'|"([^"\r\n]{3,100})"|([^\s'"\x60;]{4,100}))`)},
	"password":    {expr: regexp.MustCompile(`(?i)^password\s*=?\s*\(?\s*N?'([^'\r\n]{3,100})'`), after: account},
	"crypt(":      {expr: regexp.MustCompile(`(?i)^crypt\(\s*'([^'\r\n]{4,100})'\s*[,)]?`)},
	"auth ":       {expr: regexp.MustCompile(`^AUTH\s+(?:[\w.-]{1,40}\s+)?["']?([^\s"']{6,100})["']?\s*(?:$|[\r\n])`), after: regexp.MustCompile(`^(?:[\s>$#]*|.*[>"]\s*)$`)},
	"acl setuser": {expr: regexp.MustCompile(`(?i)^acl setuser\s+\S+\s[^\r\n]{0,100}?>([^\s"']{4,100})`)},
}

// protocolLine matches what stands before a command in the log of a protocol.
var protocolLine = regexp.MustCompile(`^(?:[\w:.\[\] -]{0,40}(?:[>»]|C:|-->|=>)\s?|\s*|USER [^\n]{0,60}\s)$`)

var protocolStatements = map[string]statement{
	"pass ":         {expr: regexp.MustCompile(`^PASS\s+:?([^\s]{5,100})\s*(?:$|[\r\n])`), after: regexp.MustCompile(protocolLine.String() + `|AUTHINFO $`)},
	"login ":        {expr: regexp.MustCompile(`^LOGIN\s+"?[^\s"]{1,60}"?\s+"?([^\s"]{5,100})"?\s*(?:$|[\r\n])`), after: regexp.MustCompile(`(?:^|[\s:>])[A-Za-z]?\d{1,4} $`)},
	"identify ":     {expr: regexp.MustCompile(`^(?:IDENTIFY|identify)\s+(?:[\w-]{1,30}\s+)?([^\s]{5,100})\s*(?:$|[\r\n])`), after: regexp.MustCompile(`(?i)nickserv :?$`)},
	"|co":           {expr: regexp.MustCompile(`^\|CO([^|\s]{4,100})\|`), after: regexp.MustCompile(`93\d\dCN[^|]*$|\|CN[^|]*$`)},
	"user-password": {expr: regexp.MustCompile(`(?i)^user-password\s*:?=\s*"([^"\r\n]{4,100})"`)},
	"passcode:":     {expr: regexp.MustCompile(`^passcode:([^\s]{5,100})`), after: regexp.MustCompile(`^$`)},
}

var (
	encrypted = `(?:[0-9]\s+)?["']?([^\s"']{5,100})`
	serverKey = statement{expr: regexp.MustCompile(`(?i)^server key\s+` + encrypted), after: regexp.MustCompile(`(?i)(?:radius|tacacs)-?$`)}
)

// relayUser matches a line of the table with which a mail server logs in elsewhere.
var relayUser = statement{expr: regexp.MustCompile(`^\]:\d+\s+[^\s:]{1,80}:([^\s]{4,100})`)}

// authenticated and encrypting match the two passphrases of an account of SNMP.
var (
	authenticated = statement{expr: regexp.MustCompile(`(?i)^ auth (?:sha|md5|sha-?\d{3})\s+` + encrypted)}
	encrypting    = statement{expr: regexp.MustCompile(`(?i)^ priv (?:aes(?: \d{3})?|3?des)\s+` + encrypted)}
)

var deviceStatements = map[string]statement{
	"enable secret":         {expr: regexp.MustCompile(`(?i)^enable secret\s+(?:level \d+\s+)?` + encrypted)},
	"enable password":       {expr: regexp.MustCompile(`(?i)^enable password\s+(?:level \d+\s+)?` + encrypted)},
	"username ":             {expr: regexp.MustCompile(`(?i)^username\s+\S{1,60}\s+(?:privilege \d+\s+)?(?:secret|password)\s+` + encrypted)},
	"snmp-server community": {expr: regexp.MustCompile(`(?i)^snmp-server community\s+["']?([^\s"']{5,100})`)},
	"snmp community":        {expr: regexp.MustCompile(`(?i)^snmp community\s+(?:string\s+)?(?:is\s+|:\s*|=\s*)?["']?([^\s"']{5,100})`)},
	"rocommunity":           {expr: regexp.MustCompile(`(?i)^rocommunity6?\s+["']?([^\s"']{5,100})`)},
	"rwcommunity":           {expr: regexp.MustCompile(`(?i)^rwcommunity6?\s+["']?([^\s"']{5,100})`)},
	"com2sec":               {expr: regexp.MustCompile(`(?i)^com2sec6?\s+(?:-Cn\s+\S+\s+)?\S+\s+\S+\s+["']?([^\s"']{5,100})`)},
	"server key":            serverKey,
	"key-string":            {expr: regexp.MustCompile(`(?i)^key-string\s+` + encrypted)},
	"pre-shared-key":        {expr: regexp.MustCompile(`(?i)^pre-shared-key\s+(?:(?:local|remote|ascii-text|hexadecimal|address\s+\S+(?:\s+\d+\.\S+)?\s+key|hex)\s+)?` + encrypted)},
	"isakmp key":            {expr: regexp.MustCompile(`(?i)^isakmp key\s+` + encrypted)},
	"authentication-key":    {expr: regexp.MustCompile(`(?i)^authentication-key\s+(?:\d+\s+md5\s+)?` + encrypted)},
	"neighbor ":             {expr: regexp.MustCompile(`(?i)^neighbor\s+\S+\s+password\s+` + encrypted)},
	"chap password":         {expr: regexp.MustCompile(`(?i)^chap password\s+` + encrypted)},
	"pap password":          {expr: regexp.MustCompile(`(?i)^pap password\s+` + encrypted)},
	"ppp password":          {expr: regexp.MustCompile(`(?i)^ppp password\s+` + encrypted)},
	"wpa-psk ascii":         {expr: regexp.MustCompile(`(?i)^wpa-psk ascii\s+` + encrypted)},
	"ascii-text":            {expr: regexp.MustCompile(`(?i)^ascii-text\s+` + encrypted)},
	"simple-password":       {expr: regexp.MustCompile(`(?i)^simple-password\s+` + encrypted)},
	"message-digest-key":    {expr: regexp.MustCompile(`(?i)^message-digest-key\s+\d+\s+md5\s+` + encrypted)},
	"stats auth ":           {expr: regexp.MustCompile(`(?i)^stats auth\s+[^\s:]{1,60}:([^\s]{4,100})`)},
	"radius-server ":        {expr: regexp.MustCompile(`(?i)^radius-server\s[^\r\n]{0,80}?\skey\s+` + encrypted)},
	"tacacs key ":           {expr: regexp.MustCompile(`(?i)^tacacs key\s+` + encrypted)},
	" auth sha ":            authenticated, " auth md5 ": authenticated,
	" priv aes ": encrypting, " priv des ": encrypting,
	": eap \"": {expr: regexp.MustCompile(`(?i)^: eap "([^"\r\n]{4,100})"`)},
	": rsa ":   {expr: regexp.MustCompile(`^: RSA \S{1,80} "([^"\r\n]{4,100})"`)},
	" on >":    {expr: regexp.MustCompile(`^ on >([^\s>]{4,100})`), after: regexp.MustCompile(`(?i)(?:^|\s)user\s\S{1,40}$`)},
	"send \"":  {expr: regexp.MustCompile(`^send "([^"\r\n\\$]{5,100})\\[rn]"`)},
	" * \"":    {expr: regexp.MustCompile(`^ \* "([^"\r\n]{4,100})"\s+\*`)},
	"]:25 ":    relayUser, "]:465 ": relayUser, "]:587 ": relayUser,
	"register =": {expr: regexp.MustCompile(`(?i)^register\s*=>?\s*[^\s:@]{1,60}:([^\s@]{4,100})@`)},
	"{plain":     {expr: regexp.MustCompile(`(?i)^\{plain(?:text)?\}([^\s:"']{4,100})`)},
	"{clear":     {expr: regexp.MustCompile(`(?i)^\{clear(?:text)?\}([^\s:"']{4,100})`)},
}

var (
	secondArgument = statement{expr: regexp.MustCompile(`(?i)^[a-z_\]:]+\s?=?\s?\(\s*(?:["']{2}\s*,\s*|[\w.]{1,40}\s*,\s*)?["'][^"'\r\n]{1,60}["']\s*,\s*["']([^"'\r\n]{4,100})["']\s*[,)]?`)}
	// lastArgument takes the password behind a user who is behind something else.
	lastArgument = statement{expr: regexp.MustCompile(`(?i)^[a-z_ ]+\(\s*(?:["'][^"'\r\n]{0,120}["']|[$\w.]{1,40})\s*,\s*(?:\d{1,5}\s*,\s*)?["'][^"'\r\n]{1,60}["']\s*,\s*["']([^"'\r\n]{4,100})["']\s*[,)]`)}
	// envDefault takes the value that stands in for a variable.
	envDefault   = statement{expr: regexp.MustCompile(`(?i)^[a-z]+\(\s*["']\w*(?:pass|password|passwd|pwd|pw|secret|token|key|kennwort)\w{0,8}["']\s*,\s*["']([^"'\r\n]{4,100})["']`)}
	onlyArgument = statement{expr: regexp.MustCompile(`(?i)^[a-z_]+\(\s*["']([^"'\r\n]{4,100})["']\s*\)`)}
)

var callStatements = map[string]statement{
	"login(": secondArgument, "auth(": secondArgument, "auth=(": secondArgument, "auth = (": secondArgument, "credential(": secondArgument, "credentials(": secondArgument, "authenticate(": secondArgument,
	"authentication(": secondArgument, "authorize(": secondArgument, "setuserinfo(": secondArgument, "userpassword(": secondArgument,
	"withpassword(": onlyArgument, "setpassword(": onlyArgument, "set_password(": onlyArgument, "with_password(": onlyArgument,
	".password(":        {expr: regexp.MustCompile(`(?i)^\.password\(\s*["']([^"'\r\n]{4,100})["']\s*\)`)},
	"credential]::new(": secondArgument, "passwordauthentication(": secondArgument,
	"sp_addlogin ": {expr: regexp.MustCompile(`(?i)^sp_addlogin\s+N?'[^'\r\n]{1,60}',\s*N?'([^'\r\n]{4,100})'`)},
	"pragma key":   {expr: regexp.MustCompile(`(?i)^pragma key\s*=\s*["']([^"'\r\n]{4,100})["']`)},
	"wifi.begin(":  {expr: regexp.MustCompile(`(?i)^wifi\.begin\(\s*["'][^"'\r\n]{1,60}["']\s*,\s*["']([^"'\r\n]{4,100})["']`)},
	"pw_set(":      lastArgument, "getconnection(": lastArgument, "connect(": lastArgument, "new pdo(": lastArgument,
	"credentials::new(": {expr: regexp.MustCompile(`(?i)^credentials::new\([^\r\n]{1,80}?,\s*"([^"\r\n]{4,100})"`)},
	"getenv(":           envDefault, "env(": envDefault,
	"convertto-securestring": {expr: regexp.MustCompile(`(?i)^convertto-securestring\s+(?:-String\s+)?["']([^"'\r\n]{4,100})["']`)},
}

// findStatement returns a finder for the statements that begin with its words.
func findStatement(statements map[string]statement) func(text string, start, end int, emit func(from, to int)) {
	return func(text string, start, end int, emit func(from, to int)) {
		s := statements[strings.ToLower(text[start:end])]
		if s.expr == nil {
			return
		}
		m := s.expr.FindStringSubmatchIndex(text[start:min(len(text), start+260)])
		if m == nil {
			return
		}
		if s.after != nil {
			head := text[max(0, start-160):start]
			if !s.after.MatchString(head[strings.LastIndexByte(head, '\n')+1:]) {
				return
			}
		}
		for g := 2; g < len(m); g += 2 {
			if m[g] < 0 {
				continue
			}
			if v := text[start+m[g] : start+m[g+1]]; plainType.MatchString(text[start:start+m[g]]) && argumentSecret(v) || statedSecret(v, text[start+m[g]-1]) {
				emit(start+m[g], start+m[g+1])
			}
		}
	}
}

// plainType matches a device's line that says how its secret is stored, or for which
// level it is: what follows is a secret whatever it looks like.
var plainType = regexp.MustCompile(`(?i)^(?:username\s\S+\s.*privilege \d+\s+(?:secret|password)\s+(?:\d\s+)?|.*(?:secret|password|key|key-string)\s+[057]\s+)["']?$`)

// statedSecret reports whether a statement holds a password and no reference to one. In
// quotation marks nearly any value is one.
func statedSecret(v string, before byte) bool {
	if before == '\'' || before == '"' {
		return plausible.Chosen(v) && argumentSecret(v) && !strings.ContainsAny(v, " {}")
	}
	return plausible.Named(v, 2) || plausible.Passphrase(v)
}
