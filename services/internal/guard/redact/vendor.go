package redact

import (
	"regexp"
	"strings"

	"github.com/winnowhq/winnow/services/internal/guard/redact/plausible"
)

// vendorRules returns the rules for keys that their beginning gives away.
func vendorRules() []anchoredRule {
	return []anchoredRule{
		{
			id: "vendor-key", rank: rankShaped, reach: 300,
			description: "Key with a vendor-like prefix (sk-, pk_live_, rk-, gsk_, hf_, whsec_ and the like).",
			words:       vendorPrefixes,
			expr:        regexp.MustCompile(`^((?:[A-Za-z0-9]{1,12}[-_.]){1,4}[A-Za-z0-9_+/=-]{12,256})`),
			accept:      acceptVendorKey,
		},
		{
			id: "vendor-prefix", rank: rankShaped, reach: 300,
			description: "Key with the exact prefix of a vendor (AKIA…, ghp_…, xoxb-…, SG.…, glpat-…), of any length from 20 on.",
			words:       exactPrefixes,
			expr:        regexp.MustCompile(`^([A-Za-z0-9][A-Za-z0-9._=+/-]{19,280})`),
			accept:      acceptExactPrefix,
		},
		{
			id: "telling-prefix", rank: rankShaped, reach: 300,
			description: "Key whose prefix says what it is (acme_live_…, corp_pat_…, xy_api_key_…), of any vendor.",
			words:       []string{"_live_", "-live-", "_prod_", "_pat_", "-pat-", "_sk_", "_key_", "-key-", "_api_", "_tok_", "_token_", "-token-", "_secret_", "_auth_"},
			find:        findTellingPrefix,
		},
	}
}

// vendorPrefixes lists the beginnings of keys of vendors whose exact lengths
// change too often for a precise rule. They begin words as well.
var vendorPrefixes = []string{
	"sk-", "sk_", "pk-", "pk_", "rk-", "rk_", "gsk_", "xai-", "hf_", "whsec_", "npm_", "pplx-",
	"tvly-", "ya29.", "gocspx-", "r8_", "nvapi-", "lsv2_", "secret_", "dckr_pat_", "figd_",
	"ghp_", "gho_", "ghu_", "ghs_", "ghr_", "glpat-", "xoxb-", "xoxp-", "ntn_", "sbp_", "pat-",
}

// exactPrefixes lists beginnings that nothing but a key has, in their true case.
// What follows may be of any length: vendors change theirs, and texts cut them
// short.
var exactPrefixes = []string{
	"AKIA", "ASIA", "ABIA", "ACCA", "AIza", "ya29.", "GOCSPX-", "1//0", "amzn.mws.", "EAAC", "EAAB", "EAAA",
	"ghp_", "gho_", "ghu_", "ghs_", "ghr_", "github_pat_", "glpat-", "gldt-", "glrt-", "glft-", "glsoat-", "glptt-", "glcbt-", "glimt-", "glagent-", "gloas-",
	"xoxb-", "xoxp-", "xoxa-", "xoxr-", "xoxs-", "xoxe-", "xoxe.", "xapp-", "SG.", "shpat_", "shpss_", "shpca_", "shppa_", "sq0atp-", "sq0csp-",
	"dop_v1_", "doo_v1_", "dor_v1_", "glsa_", "glc_", "hvs.", "hvb.", "hvr.", "atlasv1.", "pul-", "rubygems_", "pypi-", "lin_api_", "lin_oauth_", "phc_", "phx_",
	"sntrys_", "sntryu_", "nfp_", "nfc_", "PMAK-", "PMAT-", "rnd_", "fo1_", "fm1_", "fm1r_", "fm2_", "tskey-", "ATATT3", "ATCTT3", "ATBB", "ops_eyJ",
	"dp.pt.", "dp.st.", "dp.ct.", "dp.sa.", "dp.scim.", "sk-ant-", "sk-proj-", "sk-or-", "sk-svcacct-", "r8_", "EZAK", "EZTK", "apify_api_", "ddp_", "lsv2_",
	"AGE-SECRET-KEY-", "CCIPAT_", "sgp_", "bkua_", "ory_at_", "ory_rt_", "tfp_", "re_", "NRAK-", "NRII-", "NRJS-", "NRRA-", "dckr_pat_", "dckr_oat_", "pscale_",
	"sb_secret_", "sbp_", "rdme_", "shippo_live_", "shippo_test_", "sk_live_", "sk_test_", "rk_live_", "rk_test_", "whsec_", "xkeysib-", "xsmtpsib-", "mlsn.",
	"npm_", "hf_", "gsk_", "xai-", "pplx-", "nvapi-", "tvly-", "figd_", "figu_", "ntn_", "secret_", "key-", "mfa.", "cfut_", "cfat_", "HRKU-", "waka_", "zpka_",
	"CWAPI-", "aio_", "ctx7sk-", "jina_", "e2b_", "pcsk_", "sonar_", "sqp_", "squ_", "sqa_", "infracost-", "duffel_live_", "duffel_test_", "fio-u-", "pnu_",
	"rpa_", "KGAT_", "ico-", "oy2", "patrn_", "v1.0-", "LTAI", "AKID", "p8e-", "eyJrIjoi", "BSA", "fpk_", "okt_", "clojars_", "CLOJARS_", "crates_", "sdk-", "mob-",
	"PRVTKT", "flb_", "fastly_", "vcp_", "vca_", "cpk_", "bb_live_", "ak_live_", "api_live_", "tok_live_", "live_", "FLWSECK", "rzp_live_", "rzp_test_", "sec_",
}

// acceptVendorKey distinguishes keys from kebab-case words ("risk-",
// "sk-learn-...", "pat-2024-report"): one part must be long and random.
func acceptVendorKey(c candidate) bool {
	if !startsToken(c) || plausible.Placeholder(c.value()) {
		return false
	}
	for _, part := range plausible.Parts(c.value()) {
		if len(part) >= 12 && plausible.Mixed(part) && plausible.Random(part) {
			return true
		}
	}
	return false
}

// acceptExactPrefix accepts from 20 characters on, when what follows the prefix is
// no word, no digest and no id.
func acceptExactPrefix(c candidate) bool {
	v := strings.TrimRight(c.value(), "._-/=+")
	if !startsToken(c) || len(v) < 20 || plausible.Placeholder(v) || plausible.Path(v) {
		return false
	}
	length := 0
	for _, p := range exactPrefixes {
		if len(p) > length && strings.HasPrefix(v, p) {
			length = len(p)
		}
	}
	return length > 0 && randomBody(v[length:], length < 4)
}

// randomBody reports whether what follows a prefix was drawn by chance. After a
// short prefix, digests and single-case ids count as chosen.
func randomBody(body string, strict bool) bool {
	if strings.Contains(body, "..") || !strings.ContainsAny(body, plausible.Digits) || !plausible.Mixed(body) || plausible.Kebab.MatchString(body) || plausible.UUID.MatchString(body) {
		return false
	}
	longest := ""
	for _, part := range plausible.Parts(body) {
		if len(part) > len(longest) {
			longest = part
		}
	}
	if strict && (plausible.Hex.MatchString(body) || !plausible.Random(longest)) {
		return false
	}
	return len(longest) >= 8 && plausible.Entropy(body) >= 3
}

// startsToken reports whether a rule's word begins a token and is not the middle
// of one, of a path or of a domain.
func startsToken(c candidate) bool {
	b := c.before()
	return !plausible.IsWordByte(b) && b != '/' && (b < '0' || b > '9')
}

var (
	tellingHead = regexp.MustCompile(`(?:^|[^A-Za-z0-9_./-])([A-Za-z][A-Za-z0-9]{0,15}(?:[_-][A-Za-z0-9]{1,8}){0,2})$`)
	tellingBody = regexp.MustCompile(`^[_-][A-Za-z]{2,6}[_-]((?:[A-Za-z0-9]{1,4}[_-])?[A-Za-z0-9]{16,200})(?:$|[^A-Za-z0-9_/.-]|[.](?:$|\s))`)
)

// findTellingPrefix looks to both sides of a part that calls its token live, a key
// or the like. Digests and ids in one case stay, also behind such a part.
func findTellingPrefix(text string, start, _ int, emit func(from, to int)) {
	from := max(0, start-48)
	head := tellingHead.FindStringSubmatchIndex(text[from:start])
	body := tellingBody.FindStringSubmatchIndex(text[start:min(len(text), start+240)])
	if head == nil || body == nil {
		return
	}
	if v := text[start+body[2] : start+body[3]]; randomBody(v, true) && !plausible.Placeholder(v) {
		emit(from+head[2], start+body[3])
	}
}
