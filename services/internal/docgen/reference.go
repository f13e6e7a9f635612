package main

import (
	"fmt"
	"strings"

	"github.com/winnowhq/winnow/services/fleet"
	"github.com/winnowhq/winnow/services/internal/judge"
	"github.com/winnowhq/winnow/services/run"
)

// settings returns docs/config.md.
func settings() string {
	var b strings.Builder
	fmt.Fprintf(&b, notice, "services/run/config.go, or services/WORKER/config.go,")
	b.WriteString(`# Settings

Order: defaults, then one YAML file, then the environment, then flags. An unknown
key is an error. Unknown keys and unreadable values are reported together, then
values that make no sense. ` + "`winnow config print`" + ` shows every value with its source,
secrets masked; ` + "`winnow config check`" + ` only checks. In a file the dots of a key are
nesting; as a flag, dots and underscores are hyphens: ` + "`--postgres-url`" + `. A secret is
better given as a file: the variable with ` + "`_FILE`" + ` names it.

All processes of a fleet may read one file: each knows the settings of all workers.

`)
	b.WriteString(run.ConfigReference(fleet.All))
	return b.String()
}

// rules returns docs/rules.md.
func rules() string {
	var b strings.Builder
	fmt.Fprintf(&b, notice, "the table in services/internal/judge/rules.go")
	b.WriteString(`# Rules of triage

In order of precedence: quarantine, reject, update, conflict, merge, promote,
review. The first rule that matches decides; the others that matched are stored
with the decision, and ` + "`winnow why ID`" + ` prints them. A rule may give another verdict
than its own where that is safer: a duplicate of a waiting proposal is merged into
it, and a rule that a person asked to remember goes to review.

The table is in [rules.go](../services/internal/judge/rules.go), and each row names the
function that decides whether the rule matches. Those that compare with neighbours are in
[rules_near.go](../services/internal/judge/rules_near.go): ` + "`dup.near`" + ` is ` + "`matchDupNear`" + `.

| Rule | Verdict | Why |
|---|---|---|
`)
	for _, r := range judge.Rules() {
		fmt.Fprintf(&b, "| `%s` | %s | %s |\n", r.ID, r.Verdict, r.Sentence)
	}
	return b.String()
}
