package plausible

import (
	"encoding/base64"
	"regexp"
	"strings"
	"unicode"
	"unicode/utf8"
)

// Password reports whether a value in the place of a password may be one,
// judged without regard to its strength: short, and no reference, no mask and
// no stand-in.
func Password(v string) bool {
	return len(v) >= 4 && len(v) <= 200 && !Placeholder(v)
}

// Token reports whether a value is random enough for a name that is also an
// ordinary word: at least eight bytes with letters and digits mixed, or long
// and varied.
func Token(v string) bool {
	if len(v) < 8 || Placeholder(v) || strings.Contains(v, "://") || Path(v) || Version.MatchString(v) {
		return false
	}
	if !Mixed(v) {
		return len(v) >= 20 && Random(v)
	}
	return Entropy(v) >= 2.5 && !Kebab.MatchString(v)
}

// Placeholder recognises what documentation and templates put in the place
// of a secret.
func Placeholder(v string) bool {
	v = strings.TrimSpace(v)
	if v == "" || masked(v) {
		return true
	}
	if reference.MatchString(v) {
		return true
	}
	return standIns.MatchString(v)
}

// reference matches variables, templates and look-ups.
var reference = regexp.MustCompile(`^\\?\$\{?\{?[A-Za-z_ ]|^\$\(|^<|^\{\{|^\{[A-Za-z_. ]*\}?$|^%[A-Za-z_]+%?$|^%[sdvq]$|^\[[A-Za-z_ -]+\]?$|^@[A-Za-z_{]|^@@|^__[A-Z][A-Z0-9_]*__$|^#\{|^!(?i:vault|secret|env|ref|sub|getatt|include|reference|cf|ENC)\b|^ENC\[|` +
	`^(?i:process\.env|os\.environ|os\.getenv|env\.|env:|vault:|ssm:|op://|secrets?\.|config\.|settings\.|self\.|this\.|ref\+|var\.|local\.|data\.|Sys\.getenv|arn:aws|secrets?(?:manager)?://|keyvault:|projects/|\{\{)`)

// standIns matches words that say "put yours here". Well-known default
// passwords such as "changeme" count as stand-ins: they protect nothing and
// are worth remembering as facts.
var standIns = regexp.MustCompile(`(?i)^(?:your|my|the|some|an?|test|dummy|fake|sample|example|demo|placeholder|insert|enter|replace|change|todo|tbd|xxx+|foo|bar|baz|null|nil|none|undefined|true|false|` +
	`empty|blank|hidden|redacted|masked|removed|secret|password|passwd|pass|pwd|token|user|username|string|str|text|bytes?|int|any|optional|required|yes|no|off|on|default|n/?a)(?:$|[-_. ]?(?:your|here|me|this|it|key|token|secret|password|passwd|pass|word|value|api|with|example|string|or|and|the|in|by|for|must|should|is)\b.*$|[-_](?:[a-z]+[-_]?)+$)|` +
	`(?:^|[-_. ])(?:example|placeholder|redacted|changeme|change-me|change_me|dummy|your[-_ ]?(?:own|api|key|token|secret|password)|goes[-_ ]here|in[-_]here)(?:$|[-_. ])|^changeit$|^EXAMPLE|EXAMPLE(?:KEY)?$`)

// masked reports whether a value consists of filler: ****, xxxx, ......, ••••.
func masked(v string) bool {
	filler := 0
	for _, r := range v {
		if strings.ContainsRune("*•.xX#_-…█?", r) {
			filler++
		}
	}
	return 3*filler >= 2*utf8.RuneCountInString(v)
}

// Prose reports whether a value reads as words and not as a password.
func Prose(v string) bool {
	if strings.ContainsAny(v, " \t") && !strings.ContainsAny(v, Digits) {
		return true
	}
	return ProseWords.MatchString(v)
}

// ProseWords are ordinary words seen after "password:" in notes and schemas.
var ProseWords = regexp.MustCompile(`(?i)^(?:required|optional|minimum|maximum|must|should|can|cannot|never|always|only|stored|hashed|encrypted|bcrypt|scrypt|argon2(?:id)?|sha-?\d+|` +
	`string|str|text|field|input|type|invalid|incorrect|wrong|missing|valid|expired|unknown|unset|available|enabled|disabled|set|change|reset|forgot|confirm|new|old|same|see|use|the|an?|is|are|not|and|or|` +
	`with|from|for|to|in|at|on|this|that|it|we|auth|authentication|login|hash|hashing|policy|rotation|manager|rotated|revoked|changed|unchanged|needed|mandatory|empty|known|shared|removed|deleted|generated|random|managed|saved|given|printed|shown|logged|accepted|rejected|refused|leaked|compromised|gone|lost|weak|strong|easy|long|short|` +
	`abgelaufen|unverändert|geändert|gesperrt|gültig|ungültig|bekannt|unbekannt|nötig|notwendig|erforderlich|optional|verschlüsselt|gehasht|gespeichert|hinterlegt|vergessen|gelöscht|erneuert|rotiert|zufällig|schwach|stark|kurz|lang|einfach|leer|falsch|fehlt|neu|wird|muss|siehe|im|in|der|die|das|nicht|nur)$`)

// Chosen reports whether a value may be what a person chose where its carrier leaves no doubt
// that a password stands there: in a flag of a command, as a literal in a statement. A plain
// word counts as well; a reference, a stand-in, a name in capitals, a path and what the
// manuals of programs write in the place of a password do not.
func Chosen(v string) bool {
	return Password(v) && !ProseWords.MatchString(v) && !metavariable.MatchString(v) && !numberedName.MatchString(v) && !strings.Contains(v, "://") && !strings.HasPrefix(v, "--") &&
		(!namesSecret.MatchString(v) || strings.ContainsAny(v, Digits)) && !strings.ContainsAny(v, "<>{}()") && !Path(v) && !Dates.MatchString(v) && !Version.MatchString(v)
}

// metavariable matches names in capitals, and the words by which manuals name an argument.
var metavariable = regexp.MustCompile(`^[A-Z]+(?:[_-][A-Z]+)*$|^(?i:values?|args?|arguments?|names?|words?|phrase|code|literal|option|options|prompt|ask|stdin|keyring|keychain|basic|digest|plain|plaintext|base64|clear|cleartext|field|column|variable|content|contents|data|input|output|email|mail|host|admin|root|guest|self|cmd|command|program|script|store|vault|manager|function|method|class|object|module|package|interface|struct|const|static|public|private|return|import|export|self|this|and|or|then|when|where|what|which|that|there|here)$`)

// CodeReference reports whether a bare value is an expression that names the secret
// and does not hold it: cfg.Password, userPassword, get_secret.
func CodeReference(v string) bool {
	return numberedName.MatchString(v) || defaulted.MatchString(v) || memberAccess.MatchString(v) && !strings.ContainsAny(v, Digits) || strings.HasSuffix(v, "()") || namesSecret.MatchString(v) && !strings.ContainsAny(v, Digits)
}

var (
	memberAccess = regexp.MustCompile(`^&?\*?[A-Za-z_]\w*(?:(?:\.|::|->)[A-Za-z_]\w*)+\(?\)?$`)
	// defaulted matches an argument with the nothing it stands for by default.
	defaulted   = regexp.MustCompile(`^\w+=(?:None|null|nil|true|false|True|False)$`)
	namesSecret = regexp.MustCompile(`(?i)^[a-z_.-]*(?:password|passwd|pwd|pass|secret|token|key|credential|cred|auth)s?[a-z_.-]*$`)
	// numberedName matches variables of such a name: password1, pass_2, newToken2.
	numberedName = regexp.MustCompile(`^[A-Za-z_.]*(?i:password|passwd|pwd|pass|secret|token|key)s?_?\d{1,2}(?:\(\)?)?$`)
	Version      = regexp.MustCompile(`^[vV]?\d+(?:\.\d+){1,4}(?:[-+][A-Za-z0-9.-]+)?$`)
	// Kebab are words joined by signs, with at most a short number each:
	// claude-sonnet-4, cl100k_base, utf-8, gpt-4o-mini.
	Kebab = regexp.MustCompile(`^(?:[A-Za-z]*\d{0,3}[A-Za-z]{0,3}|\d{1,8})(?:[-_./:+](?:[A-Za-z]*\d{0,3}[A-Za-z]{0,3}|\d{1,8}))*$`)
)

// Path reports whether a value is a file path or module path.
func Path(v string) bool {
	if strings.HasPrefix(v, "/") || strings.HasPrefix(v, "./") || strings.HasPrefix(v, "../") || strings.HasPrefix(v, "~/") {
		return !strings.ContainsAny(v, "+=") && strings.Count(v, "/") >= 1
	}
	return FileEnding.MatchString(v)
}

var FileEnding = regexp.MustCompile(`(?i)\.(?:go|py|js|ts|tsx|jsx|json|ya?ml|toml|env|txt|md|pem|key|crt|cer|der|csr|pub|asc|gpg|sig|age|p8|p12|pfx|jks|ppk|kdbx|sh|rs|java|rb|php|c|h|cpp|cs|html|css|sql|ini|cfg|conf|lock|log|xml|proto)$`)

// Random reports whether neighbouring characters change their kind (lower,
// upper, digit) as often as in random text and not as rarely as in words,
// camel case included.
func Random(s string) bool {
	changes, kinds := 0, 0
	last := 0
	counted := 0
	for _, r := range s {
		k := Kind(r)
		if k == 0 {
			last = 0
			continue
		}
		kinds |= k
		counted++
		if last != 0 && k != last {
			changes++
		}
		last = k
	}
	if counted < 8 {
		return false
	}
	if kinds&KindDigit == 0 {
		return kinds == KindLower|KindUpper && 5*changes >= 2*counted && Entropy(s) >= 3.5
	}
	return 4*changes >= counted && Entropy(s) >= 3
}

const (
	KindLower = 1 << iota
	KindUpper
	KindDigit
)

func Kind(r rune) int {
	switch {
	case 'a' <= r && r <= 'z':
		return KindLower
	case 'A' <= r && r <= 'Z':
		return KindUpper
	case '0' <= r && r <= '9':
		return KindDigit
	}
	return 0
}

// BasicCredentials reports whether v is base64 of printable "user:password".
func BasicCredentials(v string) bool {
	raw, err := base64.RawStdEncoding.DecodeString(strings.TrimRight(v, "="))
	if err != nil || len(raw) < 3 {
		return false
	}
	user, pass, found := strings.Cut(string(raw), ":")
	if !found || user == "" && pass == "" {
		return false
	}
	for _, r := range string(raw) {
		if r == utf8.RuneError || !unicode.IsPrint(r) {
			return false
		}
	}
	return true
}

// Parts cuts a token at its joiners.
func Parts(s string) []string {
	return strings.FieldsFunc(s, func(r rune) bool { return r == '-' || r == '_' || r == '.' })
}
