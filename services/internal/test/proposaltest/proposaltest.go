// Package proposaltest writes proposals for tests and benchmarks: dated facts about
// tools and files. Each differs from the others in its words and not only in a
// number, so that triage has as much work with them as with real ones.
//
// The same seed gives the same proposals, so a failure can be reproduced.
package proposaltest

import (
	"fmt"
	"math/rand/v2"
	"time"

	"google.golang.org/protobuf/types/known/timestamppb"

	winnowv1 "github.com/winnowhq/winnow/proto/winnow/v1"
)

var (
	systems = []string{
		"billing", "checkout", "ledger", "search", "mailer", "gateway", "scheduler", "inventory",
		"profile", "auth", "webhook", "catalog", "pricing", "refund", "shipping", "report",
		"archive", "import", "export", "session", "quota", "audit", "media", "notify",
	}
	tools = []string{
		"pgbouncer", "redis", "terraform", "helm", "vite", "jest", "pytest", "ruff", "eslint", "webpack",
		"prometheus", "grafana", "kafka", "minio", "envoy", "nginx", "buf", "goose", "poetry", "gradle",
		"cosign", "trivy", "flyway", "celery", "sidekiq", "caddy", "vault", "consul", "packer", "ansible",
	}
	causes = []string{
		"because connections ran out under load", "after the nightly job timed out",
		"since the old image had no arm64 build", "to stop the flaky upload test",
		"so that retries keep their order", "because two pods wrote the same key",
		"after the certificate expired", "to halve the cold start",
		"since the cache was never invalidated", "because the queue grew without bound",
		"after a reader saw stale rows", "to keep the log under its budget",
		"because the health check passed too early", "since the index was not used",
		"after the vendor changed its header", "to make the release reproducible",
	}
	objects = []string{
		"pool size", "read timeout", "retry budget", "batch window", "image tag", "worker count",
		"memory limit", "cache ttl", "heartbeat", "page size", "log level", "queue depth",
		"idle timeout", "rate limit", "shard count", "backoff cap",
	}
	folders = []string{"deploy", "config", "charts", "infra", "build", "ops", "services", "env"}
	words   = []string{
		"amber", "basalt", "cobalt", "delta", "ember", "fjord", "garnet", "harbor", "indigo", "juniper",
		"krypton", "lagoon", "mosaic", "nectar", "onyx", "prairie", "quartz", "raven", "saffron", "tundra",
		"umber", "velvet", "willow", "xenon", "yonder", "zephyr", "aspen", "birch", "cedar", "dune",
		"elm", "flint", "glacier", "heron", "iris", "jasper", "kelp", "lotus", "maple", "nimbus",
	}
)

// Fact returns one sentence that `standard` promotes when nothing similar is stored.
func Fact(r *rand.Rand, day time.Time) string {
	pick := func(from []string) string { return from[r.IntN(len(from))] }
	// Two words of a list make a name that few other facts share, as the names
	// of real branches, hosts and flags do.
	name := fmt.Sprintf("%s-%s-%d", pick(words), pick(words), r.IntN(900)+100)
	system, tool, object := pick(systems), pick(tools), pick(objects)
	file := fmt.Sprintf("%s/%s/%s.yaml", pick(folders), system, name)
	date := day.Format(time.DateOnly)
	switch r.IntN(6) {
	case 0:
		return fmt.Sprintf("%s: the %s of %s is set in `%s` by %s, %s.", date, object, system, file, tool, pick(causes))
	case 1:
		return fmt.Sprintf("%s: %s reads its %s from `%s`; host %s was rebuilt %s.", date, system, object, file, name, pick(causes))
	case 2:
		return fmt.Sprintf("%s: bug in `%s/%s.go` of %s found with %s and fixed %s.", date, system, name, system, tool, pick(causes))
	case 3:
		return fmt.Sprintf("%s: installed %s on %s for %s %s.", date, tool, name, system, pick(causes))
	case 4:
		return fmt.Sprintf("%s: `%s` runs `%s --profile %s` before the %s step %s.", date, file, tool, name, system, pick(causes))
	default:
		return fmt.Sprintf("%s: service %s was deployed from `%s` with %s %s.", date, name, file, tool, pick(causes))
	}
}

// Week returns n proposals with ids, distributed in turn over so many project scopes.
// About one in ten repeats an earlier text of its scope, as in real sessions.
func Week(seed uint64, n, scopes int) []*winnowv1.ProposalCreated {
	r := rand.New(rand.NewPCG(seed, 0x77696e6e6f77))
	day := time.Date(2026, 11, 16, 9, 0, 0, 0, time.UTC)
	said := make([][]string, scopes)
	out := make([]*winnowv1.ProposalCreated, n)
	for i := range out {
		scope := i % scopes
		text := Fact(r, day)
		if earlier := said[scope]; len(earlier) > 0 && r.IntN(10) == 0 {
			text = earlier[r.IntN(len(earlier))]
		}
		said[scope] = append(said[scope], text)
		out[i] = &winnowv1.ProposalCreated{
			Id:         fmt.Sprintf("evt_%x_%06d", seed, i),
			Scope:      fmt.Sprintf("project:load-%02d", scope),
			Text:       text,
			ObservedAt: timestamppb.New(day),
		}
	}
	return out
}

var syllables = []string{
	"ba", "ce", "di", "fo", "gu", "ka", "le", "mi", "no", "pu",
	"ra", "se", "ti", "vo", "zu", "lan", "mer", "nik", "tor", "wul",
}

// Apart is like Week, of sentences that share few words: each that is no repeat of an
// earlier one becomes a memory of its own, whatever the rules make of similar ones.
func Apart(seed uint64, n, scopes int) []*winnowv1.ProposalCreated {
	r := rand.New(rand.NewPCG(seed, 0x6170617274))
	word := func() (w string) {
		for range 4 {
			w += syllables[r.IntN(len(syllables))]
		}
		return w
	}
	said := make([][]string, scopes)
	out := Week(seed, n, scopes)
	for i, p := range out {
		scope := i % scopes
		text := fmt.Sprintf("2026-11-16: service %s was deployed from `%s/%s/%s.yaml` with %s because %s %s.",
			word(), word(), word(), word(), word(), word(), word())
		if earlier := said[scope]; len(earlier) > 0 && r.IntN(10) == 0 {
			text = earlier[r.IntN(len(earlier))]
		}
		said[scope] = append(said[scope], text)
		p.Text = text
	}
	return out
}
