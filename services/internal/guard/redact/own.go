package redact

import (
	"regexp"
	"slices"
	"strings"

	"github.com/winnowhq/winnow/services/internal/guard/redact/keywords"
	"github.com/winnowhq/winnow/services/internal/guard/redact/literal"
	"github.com/winnowhq/winnow/services/internal/guard/redact/material"
	"github.com/winnowhq/winnow/services/internal/guard/redact/plausible"
	"github.com/winnowhq/winnow/services/internal/guard/redact/told"
)

// ownRules returns the rules that complement the library. Their ids are
// disjoint from the library's, so that a report shows which set found a secret.
func ownRules() []anchoredRule {
	return slices.Concat(networkRules(), webhookRules(), assignmentRules(), accountRules(), themed(told.Rules()), themed(material.Rules()), themed(literal.Rules()), clientRules(), commandRules(), statementRules(), markupRules(), oneTimeRules(), keyRules(), vendorRules(), cookieRules())
}

// themed returns the rules of a package of one theme.
func themed(rules []keywords.Rule) []anchoredRule {
	var out []anchoredRule
	for _, r := range rules {
		out = append(out, anchoredRule{id: r.ID, description: r.Description, rank: rankShaped, words: r.Words, find: r.Find})
	}
	return out
}

// networkRules returns the rules for credentials inside addresses and headers.
func networkRules() []anchoredRule {
	return []anchoredRule{
		{
			id: "url-userinfo", rank: rankShaped, reach: 400,
			description: "Password in the user part of a URL or connection string (scheme://user:password@host).",
			words:       []string{"://"},
			expr:        regexp.MustCompile(`^://[^\s/@:'"<>]{0,100}:([^\s'"<>@]{1,200}(?:@[^\s'"<>@/]{1,60})?)@[\w\[$({<.-]`),
			accept:      func(c candidate) bool { return plausible.Password(c.value()) },
		},
		{
			id: "url-token-userinfo", rank: rankShaped, reach: 300,
			description: "Token as the user of a URL (https://token@host).",
			words:       []string{"://"},
			expr:        regexp.MustCompile(`^://([A-Za-z0-9_.~-]{16,200})@[\w\[-]`),
			accept:      func(c candidate) bool { return plausible.Mixed(c.value()) && plausible.Random(c.value()) },
		},
		{
			id: "oracle-url", rank: rankShaped, reach: 260,
			description: "Password of an Oracle connection string (jdbc:oracle:thin:user/password@host).",
			words:       []string{"oracle:thin:", "oracle:oci:", "oracle:oci8:"},
			expr:        regexp.MustCompile(`(?i)^oracle:[a-z0-9]+:["']?[\w$#.-]{1,60}/["']?([^\s"'@]{3,100})["']?@`),
			accept: func(c candidate) bool {
				return plausible.Password(c.value()) && !plausible.ProseWords.MatchString(c.value())
			},
		},
		{
			id: "mysql-dsn", rank: rankShaped,
			description: "Password in a driver DSN (user:password@tcp(host:port)/database).",
			words:       []string{"@tcp(", "@unix(", "@udp("},
			find:        findDriverDSN,
		},
		{
			id: "authorization-header", rank: rankShaped, reach: 2200,
			description: "Credentials of an Authorization or Proxy-Authorization header.",
			words:       []string{"authorization"},
			expr:        regexp.MustCompile(`(?i)^authorization\\?["']?\s{0,3}(?:=>|[:=])\s{0,3}\\?["']?(?:[a-z][a-z-]{2,20}\s+)?([A-Za-z0-9._~+/=:-]{8,})`),
			accept:      func(c candidate) bool { return plausible.Token(c.value()) || plausible.BasicCredentials(c.value()) },
		},
		{
			id: "bearer-token", rank: rankShaped, reach: 2200,
			description: "Bearer token, also outside a header.",
			words:       []string{"bearer"},
			expr:        regexp.MustCompile(`(?i)^bearer[\s:=]{1,3}["']?([A-Za-z0-9._~+/=-]{8,})`),
			accept:      func(c candidate) bool { return !plausible.IsWordByte(c.before()) && plausible.Token(c.value()) },
		},
		{
			id: "basic-credentials", rank: rankShaped, reach: 600,
			description: "Base64 user:password of HTTP basic authentication.",
			words:       []string{"basic"},
			expr:        regexp.MustCompile(`(?i)^basic\s{1,3}["']?([A-Za-z0-9+/]{6,512}={0,2})`),
			accept: func(c candidate) bool {
				return !plausible.IsWordByte(c.before()) && plausible.BasicCredentials(c.value())
			},
		},
		{
			id: "signed-url", rank: rankShaped, reach: 600,
			description: "Signature of a presigned URL (Azure SAS sig=, X-Amz-Signature, X-Goog-Signature).",
			words:       []string{"sig=", "signature="},
			expr:        regexp.MustCompile(`(?i)^sig(?:nature)?=([A-Za-z0-9%+/_=-]{20,512})`),
			accept: func(c candidate) bool {
				return (c.before() == '&' || c.before() == '?' || c.before() == '-') && plausible.Mixed(c.value())
			},
		},
	}
}

// keyRules returns the rules for key material, by its shape.
func keyRules() []anchoredRule {
	return []anchoredRule{
		{
			id: "private-key-block", rank: rankShaped, reach: 20000,
			description: "Private key block, also when its end is missing or its lines are escaped.",
			words:       []string{"-----begin"},
			expr: regexp.MustCompile(`(?i)^(-----BEGIN[ A-Z0-9_-]{0,40}PRIVATE KEY(?: BLOCK)?-----` +
				`(?:\\[rn]|\s|[A-Za-z][A-Za-z-]{2,20}: [^\r\n]{1,80}(?:\\n|\n))*` +
				`[A-Za-z0-9+/=]{16,}(?:(?:\\[rn]|["'\s>|])*[A-Za-z0-9+/=]+)*` +
				`(?:(?:\\[rn]|\s)*-----END[ A-Z0-9_-]{0,40}KEY(?: BLOCK)?-----)?)`),
		},
		{
			id: "jwt-like", rank: rankShaped, reach: 8000,
			description: "JSON web token, also unsigned or cut short.",
			words:       []string{"eyj"}, starts: true,
			expr: regexp.MustCompile(`^(eyJ[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]{6,}(?:\.[A-Za-z0-9_-]*){0,3})`),
		},
	}
}

// webhookRules returns the rule for addresses that are themselves the secret:
// whoever knows them may post.
func webhookRules() []anchoredRule {
	return []anchoredRule{{
		id: "webhook-url", rank: rankShaped,
		description: "Secret parts of a webhook's address (chat, alerting and automation services).",
		words: []string{
			"webhook", "/hooks/", "/hook/", "hooks.", "hook.", "/services/t", "api.telegram.org/bot", "hc-ping.com/", "ifttt.com/", "/robot/send", "/bot/v2/",
			"/workflows/", "/incoming/", "/trigger", "chat.googleapis.com", "/ping/",
		},
		find: findWebhook,
	}}
}

var (
	addressEnd = regexp.MustCompile(`[\s"'<>\x60)\]}|]`)
	hexPart    = regexp.MustCompile(`(?i)^[0-9a-f]{16,128}$`)
	keyParam   = regexp.MustCompile(`(?i)^(?:key|token|access_token|secret|sign|sig|auth|api_?key|t|code)=(.+)$`)
)

// findWebhook replaces the parts of an address's path and query that come after a
// word for a webhook and that are no words.
func findWebhook(text string, start, _ int, emit func(from, to int)) {
	from := max(0, start-200)
	scheme := strings.LastIndex(text[from:start], "://")
	if scheme < 0 || addressEnd.MatchString(text[from+scheme:start]) {
		return
	}
	limit := min(len(text), start+600)
	if m := addressEnd.FindStringIndex(text[start:limit]); m != nil {
		limit = start + m[0]
	}
	// One vendor's parts are too short to be told from words by themselves.
	short := strings.Contains(strings.ToLower(text[from+scheme:min(limit, start+8)]), "hooks.zapier.com")
	for at := start; at < limit; {
		to := at
		for to < limit && strings.IndexByte("/?&#@,;", text[to]) < 0 {
			to++
		}
		begin := at
		if m := keyParam.FindStringSubmatchIndex(text[at:to]); m != nil {
			begin = at + m[2]
		} else if i := strings.LastIndexByte(text[at:to], ':'); i >= 0 {
			begin = at + i + 1 // bot123456:AA…
		}
		if v := strings.TrimRight(text[begin:to], ".:!"); secretPart(v, short) {
			emit(begin, begin+len(v))
		}
		at = to + 1
	}
}

// secretPart reports whether a part of a webhook's address was drawn by chance.
func secretPart(v string, short bool) bool {
	if plausible.Placeholder(v) || strings.Contains(v, ".") {
		return false
	}
	return short && len(v) >= 6 && plausible.Mixed(v) && strings.ContainsAny(v, plausible.Digits) ||
		len(v) >= 16 && plausible.Mixed(v) && !plausible.Kebab.MatchString(v) || hexPart.MatchString(v) || plausible.UUID.MatchString(v)
}
