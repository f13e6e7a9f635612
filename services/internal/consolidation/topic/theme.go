package topic

import (
	"cmp"
	"slices"
	"strings"

	"github.com/winnowhq/winnow/services/internal/memory"
)

// leastWords is how many different words of a theme a text must use. One is chance:
// most texts mention a test or a file.
const leastWords = 2

// vocabulary lists the themes that software teams sort their knowledge by, with their
// usual words in English and German. The theme's own name counts like two words. The
// list is short on purpose: a publisher's tags say better what a text is about.
var vocabulary = []struct {
	theme string
	words map[string]bool
}{
	{"auth", stems("login logout token tokens oauth oidc jwt sso password credential credentials session cookie permission role authentication authorization authorise anmeldung passwort berechtigung")},
	{"build", stems("compiler compile linker makefile bazel gradle maven webpack bundler artifact binary toolchain cross-compile übersetzen")},
	{"caching", stems("cache caches cached redis memcached ttl eviction invalidate invalidation stale cdn zwischenspeicher")},
	{"ci", stems("pipeline workflow runner github-actions gitlab-ci jenkins circleci buildkite flaky job jobs lint")},
	{"config", stems("configuration setting settings environment variable yaml toml flag flags default einstellung konfiguration")},
	{"database", stems("postgres postgresql mysql sqlite sql query index migration migrations transaction schema replica vacuum pgbouncer table deadlock datenbank tabelle abfrage")},
	{"deploy", stems("deployment rollout rollback canary kubernetes helm container docker image release staging production terraform ausrollen")},
	{"frontend", stems("react vue svelte css html browser component render hydration dom layout typescript button modal")},
	{"messaging", stems("queue kafka nats rabbitmq jetstream stream consumer producer topic offset broker redelivery ack nachricht warteschlange")},
	{"networking", stems("dns tls tcp http proxy timeout load-balancer firewall port socket nginx ingress gateway latency netzwerk")},
	{"observability", stems("metric metrics log logs logging trace tracing alert alerts grafana prometheus dashboard span monitoring überwachung")},
	{"payments", stems("payment invoice billing refund charge card checkout ledger subscription currency vat rechnung zahlung")},
	{"performance", stems("slow latency throughput profile profiling benchmark memory cpu allocation bottleneck p99 langsam durchsatz")},
	{"security", stems("vulnerability cve xss csrf injection secret encryption sandbox exploit audit sanitize sicherheit verschlüsselung")},
	{"testing", stems("test tests fixture mock mocks assertion coverage e2e unit integration pytest jest snapshot testfall")},
}

func stems(words string) map[string]bool {
	m := map[string]bool{}
	for w := range strings.FieldsSeq(words) {
		m[memory.Stem(w)] = true
	}
	return m
}

// themesOf are the vocabulary's words, each with the themes that it counts for, by their
// number.
var themesOf = func() map[string][]int {
	m := map[string][]int{}
	for i, v := range vocabulary {
		for w := range v.words {
			m[w] = append(m[w], i)
		}
	}
	return m
}()

// themeNames are the stems of the themes' names, by number.
var themeNames = func() []string {
	var out []string
	for _, v := range vocabulary {
		out = append(out, memory.Stem(v.theme))
	}
	return out
}()

// themes returns the themes of a text, the most pronounced first, ties by name. Its cost
// is that of reading the text, because every proposal is asked.
func themes(t Text) []string {
	counts := make([]int, len(vocabulary))
	var seen []string // words that count, each once
	for _, text := range []string{t.Title, t.Body, strings.Join(t.Tags, " . ")} {
		if text == "" {
			continue
		}
		for _, token := range memory.Scan(memory.Clean(text)) {
			if token.Class != memory.TokenWord && token.Class != memory.TokenIdent {
				continue
			}
			word := memory.Stem(token.Value)
			of, named := themesOf[word], slices.Index(themeNames, word)
			if len(of) == 0 && named < 0 || slices.Contains(seen, word) {
				continue
			}
			seen = append(seen, word)
			for _, i := range of {
				counts[i]++
			}
			if named >= 0 {
				counts[named] += leastWords
			}
		}
	}
	type score struct {
		theme string
		n     int
	}
	var found []score
	for i, n := range counts {
		if n >= leastWords {
			found = append(found, score{vocabulary[i].theme, n})
		}
	}
	slices.SortFunc(found, func(a, b score) int { return cmp.Or(b.n-a.n, strings.Compare(a.theme, b.theme)) })
	var out []string
	for _, f := range found[:min(len(found), maxMacros)] {
		out = append(out, f.theme)
	}
	return out
}
