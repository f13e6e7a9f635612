package postgres

import (
	"fmt"
	"strings"
)

// byKey pairs the rows that a statement brings, as r, with the rows of a table
// that have their keys, as t, and where those stand, as t.at. A statement that
// changes or deletes them says `ctid = t.at`.
//
// Like [byID], it keeps a plan that was made for an empty table from being a way
// through a full one. An update cannot be told by which index to find its rows:
// joined by their ids, it may as well read all rows of the tenant and compare,
// which costs the same while there are none. So they are found by a select that
// leaves no choice, and then fetched from their places. The limit, which cuts
// off nothing, is what makes the planner fetch: it takes a limit that it does not
// know for a tenth of the ten rows that it expects of an array, and one fetch is
// cheaper than any index.
//
// A place is good for one statement. A row that another transaction changes
// meanwhile is left out as if it were missing; what belongs to a lane cannot be
// changed meanwhile.
//
// The parameters $1 and $2 are the tenant and the array of one of the keys.
// ordered is the key by whose order the index is chosen: of all indexes of the
// table, only the primary key may have it next to the tenant and to the other
// keys, which are compared.
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
