package redact

import (
	"regexp"
	"slices"
)

// ownRules returns the rules that complement the library. Their ids are
// disjoint from the library's, so that a report shows which set found a secret.
func ownRules() []anchoredRule {
	return slices.Concat(networkRules(), assignmentRules(), keyRules(), cookieRules())
}

// networkRules returns the rules for credentials inside addresses and headers.
func networkRules() []anchoredRule {
	return []anchoredRule{
		{
			id: "url-userinfo", rank: rankShaped, reach: 400,
			description: "Password in the user part of a URL or connection string (scheme://user:password@host).",
			words:       []string{"://"},
			expr:        regexp.MustCompile(`^://[^\s/@:'"<>]{0,100}:([^\s'"<>@]{1,200}(?:@[^\s'"<>@/]{1,60})?)@[\w\[$({<.-]`),
			accept:      func(c candidate) bool { return plausiblePassword(c.value()) },
		},
		{
			id: "url-token-userinfo", rank: rankShaped, reach: 300,
			description: "Token as the user of a URL (https://token@host).",
			words:       []string{"://"},
			expr:        regexp.MustCompile(`^://([A-Za-z0-9_.~-]{16,200})@[\w\[-]`),
			accept:      func(c candidate) bool { return mixed(c.value()) && randomLooking(c.value()) },
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
			expr:        regexp.MustCompile(`(?i)^authorization\\?["']?\s{0,3}(?:=>|[:=])\s{0,3}\\?["']?(?:(?:bearer|basic|token|digest|negotiate|apikey|api-key)\s+)?([A-Za-z0-9._~+/=:-]{8,})`),
			accept:      func(c candidate) bool { return plausibleToken(c.value()) || basicCredentials(c.value()) },
		},
		{
			id: "bearer-token", rank: rankShaped, reach: 2200,
			description: "Bearer token, also outside a header.",
			words:       []string{"bearer"},
			expr:        regexp.MustCompile(`(?i)^bearer[\s:=]{1,3}["']?([A-Za-z0-9._~+/=-]{8,})`),
			accept:      func(c candidate) bool { return !isWordByte(c.before()) && plausibleToken(c.value()) },
		},
		{
			id: "basic-credentials", rank: rankShaped, reach: 600,
			description: "Base64 user:password of HTTP basic authentication.",
			words:       []string{"basic"},
			expr:        regexp.MustCompile(`(?i)^basic\s{1,3}["']?([A-Za-z0-9+/]{6,512}={0,2})`),
			accept:      func(c candidate) bool { return !isWordByte(c.before()) && basicCredentials(c.value()) },
		},
		{
			id: "signed-url", rank: rankShaped, reach: 600,
			description: "Signature of a presigned URL (Azure SAS sig=, X-Amz-Signature, X-Goog-Signature).",
			words:       []string{"sig=", "signature="},
			expr:        regexp.MustCompile(`(?i)^sig(?:nature)?=([A-Za-z0-9%+/_=-]{20,512})`),
			accept: func(c candidate) bool {
				return (c.before() == '&' || c.before() == '?' || c.before() == '-') && mixed(c.value())
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
			words:       []string{"eyj"},
			expr:        regexp.MustCompile(`^(eyJ[A-Za-z0-9_-]{8,}\.[A-Za-z0-9_-]{6,}(?:\.[A-Za-z0-9_-]*){0,3})`),
			accept:      func(c candidate) bool { return !isWordByte(c.before()) || c.before() == '.' },
		},
		{
			id: "vendor-key", rank: rankShaped, reach: 300,
			description: "Key with a vendor-like prefix (sk-, pk_live_, rk-, gsk_, hf_, whsec_ and the like).",
			words:       vendorPrefixes,
			expr:        regexp.MustCompile(`^((?:[A-Za-z0-9]{1,12}[-_.]){1,4}[A-Za-z0-9_+/=-]{12,256})`),
			accept:      acceptVendorKey,
		},
	}
}

// vendorPrefixes lists the beginnings of keys of vendors whose exact lengths
// change too often for a precise rule.
var vendorPrefixes = []string{
	"sk-", "sk_", "pk-", "pk_", "rk-", "rk_", "gsk_", "xai-", "hf_", "whsec_", "npm_", "pplx-",
	"tvly-", "ya29.", "gocspx-", "r8_", "nvapi-", "lsv2_", "secret_", "dckr_pat_", "figd_",
	"ghp_", "gho_", "ghu_", "ghs_", "ghr_", "glpat-", "xoxb-", "xoxp-", "ntn_", "sbp_", "pat-",
}

// acceptVendorKey distinguishes keys from kebab-case words ("risk-",
// "sk-learn-...", "pat-2024-report"): one part must be long and random.
func acceptVendorKey(c candidate) bool {
	if b := c.before(); isLetter(rune(b)) || '0' <= b && b <= '9' || b == '-' || b == '_' || b == '/' || b == '.' {
		return false
	}
	if placeholderLike(c.value()) {
		return false
	}
	for _, part := range splitParts(c.value()) {
		if len(part) >= 12 && mixed(part) && randomLooking(part) {
			return true
		}
	}
	return false
}
