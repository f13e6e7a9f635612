package access

// Matrix is the table of rights: r reads, i inserts, u updates the columns that
// [updatable] lists, d deletes. Row security bounds all of it to one tenant.
//
// A worker that needs another right fails with "permission denied" and the name of the
// table. Add the letter here, and the line that TestGrants asks for.
const Matrix = `
                   ingest  distill  triage  consolidate  learn  digest  index  api
active_policies    -       -        r       -            -      r       r      r
api_keys           ru      -        -       -            -      -       -      ru
audit_bodies       i       i        i       i            i      i       i      ri
audit_events       i       i        i       i            i      i       i      ri
audit_heads        -       -        -       -            -      -       r      r
audit_links        -       -        -       -            -      -       -      r
audit_signatures   -       -        -       -            -      -       r      -
boot_files         -       -        r       -            -      r       r      r
calibrations       -       -        r       ri           -      -       ri     r
decisions          ri      -        ri      ri           ri     ri      ri     ri
digest_replies     -       -        -       -            -      ri      -      ri
digests            -       -        -       -            -      ri      -      r
evidence           r       -        ri      ri           r      rid     rid    rid
goose_db_version   r       r        r       r            r      r       r      r
http_requests      riud    -        -       -            -      -       -      riud
inbox              ri      ri       ri      ri           ri     ri      ri     ri
learned            -       -        -       -            riu    -       -      riu
memories           ru      -        riu     riu          ru     riu     riu    riu
memory_links       r       -        ri      ri           r      rid     rid    rid
memory_topics      -       -        ri      ri           -      ri      ri     ri
memory_vectors     -       -        ri      ri           -      -       ri     ri
model_calls        -       riu      -       riu          -      -       -      -
model_days         -       riu      -       riu          -      -       -      -
outbox             i       i        i       i            i      i       i      i
policies           -       -        ri      -            -      r       r      r
principals         -       -        -       -            -      -       -      r
project_weights    -       -        -       -            riu    -       -      riu
proposals          ru      -        riu     riu          r      ru      ru     riu
readings           -       -        -       -            -      -       -      riu
registry_heads     r       r        r       r            r      riu     riu    riu
retention          -       -        -       -            -      -       -      -
retired_terms      -       -        r       -            -      r       r      riud
reviewers          -       -        -       r            -      r       r      r
reviews            -       -        r       -            -      ri      ri     ri
run_items          -       -        -       riu          -      riu     r      riu
run_members        -       -        -       ri           -      ri      r      ri
runs               -       -        -       riu          -      ru      r      riu
schedule_runs      -       -        -       ri           ri     ri      -      -
scope_links        -       -        -       -            -      -       -      riud
scopes             riu     riu      riu     riu          riu    riu     riu    riu
searches           -       -        -       -            -      -       -      ri
served             r       -        r       r            ru     -       -      ri
session_traces     ri      r        r       -            -      -       -      -
sessions           ri      ru       r       -            r      -       -      r
signal_aggregates  -       -        -       -            riu    -       -      riu
signals            -       -        -       -            rid    -       -      ri
tenants            -       -        -       -            -      -       -      -
workflows          -       -        r       r            -      r       r      riu
`

// updatable lists the columns of a table that a worker's update may name. Of a table that
// is not listed, an upsert replaces whole rows.
var updatable = map[string]string{
	"api_keys":    "last_used, revoked_at",
	"memories":    "state, kind, topics, authority, confidence, seen_count, last_confirmed, archived_at, archive_reason, successor_id, version",
	"model_calls": "tokens, answered_at, answer, stop, input_tokens, output_tokens",
	"model_days":  "calls, tokens",
	"proposals":   "state, kind, section, authority, seen_count, last_confirmed, target, decision_id, version, lane",
	"readings":    "read_at",
	"run_items":   "state, sources, memory_id, proposal_id, reason, detail, ended_at",
	"runs": "state, started_at, deadline, ended_at, examined, created, archived, offered, refused, skipped, " +
		"active_before, active_after, over_limit, reason, report, version",
	"scopes":    "version",
	"served":    "counted",
	"sessions":  "state, distilled_at, distiller, prompt, extracted, ungrounded, note",
	"workflows": "status, summary, updated_at, completed_at, version",
}

// narrowed replaces the columns of updatable for one worker, by "worker table".
var narrowed = map[string]string{
	"ingest api_keys": "last_used", // that a key was used; the api also revokes
}

// functions lists the workers that may run a function with its owner's rights.
var functions = map[string]string{
	"winnow_audit_append(uuid, integer, bytea)": "ingest distill triage consolidate learn digest index api",
	"winnow_principal(text, bytea)":             "ingest distill triage consolidate learn digest index api",
	"winnow_reads_json(text)":                   "digest api",
	"winnow_tenants()":                          "consolidate learn digest index",
}
