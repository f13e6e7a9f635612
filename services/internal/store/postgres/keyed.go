package postgres

import (
	"fmt"
	"strings"
)

// byKey returns a join of the parameter rows of a statement, as r, with the table
// rows that have the same keys, as t. The column t.at is the physical address
// (ctid) of the table row. A statement that changes or deletes the rows compares
// `ctid = t.at`.
//
// Like [byID], the join prevents a plan made for an empty table from reading a
// full one. SQL cannot name the index of an update: an update joined by id may
// read all rows of the tenant and compare, which costs the same for an empty
// table. So a select that allows only one index finds the rows, and the update
// fetches them by their addresses. The limit removes no row but makes the planner
// fetch by address: the planner expects ten rows of an array and a tenth of those
// from an unknown limit, and one fetch is cheaper than any index.
//
// An address is valid for one statement. A row that another transaction changes
// meanwhile is skipped like a missing row. Rows of a locked lane cannot change
// meanwhile.
//
// The parameters $1 and $2 are the tenant and the array of one of the keys.
// ordered is the key that selects the index: of all indexes of the table, only
// the primary key may have ordered next to the tenant and to the compared keys.
func byKey(table, brought, ordered string, compared ...string) string {
	var others strings.Builder
	for _, key := range compared {
		fmt.Fprintf(&others, " and t.%[1]s = r.%[1]s", key)
	}
	return fmt.Sprintf(`(select * from unnest%[2]s limit cardinality($2)) r cross join lateral (
		select t.ctid as at, t.* from %[1]s t
		where t.tenant = $1%[4]s and t.%[3]s >= r.%[3]s and t.%[3]s <= r.%[3]s order by t.%[3]s limit 1) t`,
		table, brought, ordered, others.String())
}
