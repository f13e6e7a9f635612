package postgres

import (
	"context"

	"github.com/jackc/pgx/v5"

	"github.com/winnowhq/winnow/services/internal/memory"
	"github.com/winnowhq/winnow/services/internal/store"
)

// The ids of a session's proposals are in the order of arrival. The memory of a
// proposal is found by its decision, because memories have no index by proposal.
var (
	selectNeighbours = `
select a.id, case when m.place < p.id
	then row_number() over (partition by a.id, m.place < p.id order by m.place desc)
	else row_number() over (partition by a.id, m.place < p.id order by m.place) end, ` + memoryColumns + `
from unnest($2::text[]) as a (id)
join memories o on o.tenant = $1 and o.id = a.id
join proposals p on p.tenant = $1 and p.id = o.proposal_id and p.session_id <> ''
cross join lateral (
	(` + ofSession + ` < p.id order by q.id desc limit $3)
	union all
	(` + ofSession + ` > p.id order by q.id limit $3)
) m
order by a.id, m.place`
	ofSession = `
	select q.id as place, m.*
	from proposals q
	join decisions d on d.tenant = q.tenant and d.id = q.decision_id
	join memories m on m.tenant = d.tenant and m.id = d.memory_id and m.state = 'active' and m.proposal_id = q.id
	where q.tenant = $1 and q.session_id = p.session_id and q.session_id <> '' and q.principal = p.principal
		and m.scope = o.scope and q.id`
)

// Neighbours implements [store.NeighbourReader].
func (s *Store) Neighbours(ctx context.Context, tenant memory.Tenant, reach int, memories ...string) ([]store.Neighbour, error) {
	if len(memories) == 0 || reach < 1 {
		return nil, nil
	}
	return list(ctx, s, tenant, "read neighbours", func(row pgx.CollectableRow) (n store.Neighbour, err error) {
		err = row.Scan(append([]any{&n.Of, &n.Distance}, memoryTargets(&n.Memory)...)...)
		return n, err
	}, selectNeighbours, string(tenant), memories, reach)
}
