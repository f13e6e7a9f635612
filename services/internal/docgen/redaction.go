package main

import (
	"fmt"
	"strings"

	"github.com/winnowhq/winnow/services/internal/guard/redact"
)

// redaction returns docs/redaction.md.
func redaction() (string, error) {
	all, err := redact.Rules()
	if err != nil {
		return "", err
	}
	var b strings.Builder
	fmt.Fprintf(&b, notice, "the rules in services/internal/guard/redact")
	b.WriteString(`# What is redacted

Redaction is the first thing that happens to a session and to a proposal: before a row is
written, before a model is asked, and once more right before the model. What is found is
replaced by ` + "`⟨secret:rule:tag⟩`" + `. The tag is a keyed digest of tenant and secret: the
same secret reads the same everywhere in a tenant, and nothing can be learned from it
without the key (` + "[`redact.key`](config.md)" + `).

Commit ids and other digests, ULIDs, UUIDs, paths, versions, names of variables,
references such as ` + "`$TOKEN`" + ` and stand-ins such as ` + "`<your password>`" + ` survive. Streams
hold what was published before redaction; the shipped configuration encrypts them, and
they forget it after days ([streams](events.md)).

` + "`winnow eval security`" + ` measures it on your own lines ([how](evaluation.md#hostile-text)).

## Our own rules

| Rule | Replaces |
|---|---|
`)
	table := func(source string) {
		for _, r := range all {
			if r.Source == source {
				fmt.Fprintf(&b, "| `%s` | %s |\n", r.ID, r.Description)
			}
		}
	}
	table(redact.SourceOwn)
	b.WriteString("\n## Personal data, with `redact.pii: true`\n\n| Rule | Replaces |\n|---|---|\n")
	table(redact.SourcePersonal)
	b.WriteString("\n## Disguises\n\nWhat is promised is tested with the example beside it. What is not promised passes: somebody " +
		"who wants to hide a secret\nfrom a pattern can. Nothing is decoded more than once, and no rule joins pieces.\n\n| A secret | Promised | Example |\n|---|---|---|\n")
	for _, d := range redact.Disguises() {
		promised := "no"
		if d.Promised {
			promised = "yes"
		}
		example := strings.NewReplacer("\n", "⏎", "|", "\\|", "`", "'", "\u200b", "·").Replace(d.Text)
		fmt.Fprintf(&b, "| %s | %s | `%s` |\n", d.Name, promised, example)
	}
	b.WriteString("\nThe cost of redaction grows little faster than the length of a text, one line or many, with secrets or without:\n8 MB of random text cost 1.15 to 1.19 times as much as eight texts of 1 MB (`BenchmarkBySize` in\nservices/internal/guard/redact). The work for a byte is the same: 436,000 allocations and 36 MB for each MB, at 1 MB and\nat 8. The rest is the garbage collector and caches that a long text does not fit into.\n")
	b.WriteString("\n## Rules of gitleaks\n\nTheir expressions, entropy bounds and allow lists are those that gitleaks publishes:\n\n")
	var ids []string
	for _, r := range all {
		if r.Source == redact.SourceLibrary {
			ids = append(ids, "`"+r.ID+"`")
		}
	}
	b.WriteString(strings.Join(ids, ", ") + ".\n")
	return b.String(), nil
}
