-- What must never be in a database after any storm, one row for each thing that is: the
-- name of the fault and the id. $1 has the ids of all events that publishers sent as
-- proposals, and heard were stored; null leaves the two questions about them out. Run as
-- an owner that row security does not bind, when nothing waits any more.
with sent as (select unnest($1::text[]) as id)
select 'lost: sent and not stored' as fault, sent.id from sent
	where not exists (select from proposals p where p.event_id = sent.id)
union all
select 'stored and never sent', p.event_id from proposals p
	where $1::text[] is not null and not p.event_id = any ($1::text[])
union all
select 'twice: proposals of one event', p.principal || ' ' || p.event_id from proposals p group by p.tenant, p.principal, p.event_id having count(*) > 1
union all
select 'lost: a proposal without a decision', p.id from proposals p
	where not exists (select from decisions d where d.tenant = p.tenant and d.proposal_id = p.id)
union all
select 'lost: a proposal that waits for triage', p.id from proposals p where p.state = 'pending'
union all
-- A question that a fuller one absorbs is decided again, by rule.
select 'twice: verdicts on one proposal', d.proposal_id from decisions d
	where d.actor = 'triage' and d.rule <> 'absorbed' group by d.tenant, d.proposal_id having count(*) > 1
union all
select 'the decision in force is not there', p.id from proposals p where p.decision_id <> ''
	and not exists (select from decisions d where d.tenant = p.tenant and d.id = p.decision_id)
union all
select 'a memory without its decision', m.id from memories m
	where not exists (select from decisions d where d.tenant = m.tenant and d.id = m.decision_id)
union all
select 'lost: promoted and no memory', d.id from decisions d where d.verdict = 'promoted' and d.memory_id <> ''
	and not exists (select from memories m where m.tenant = d.tenant and m.id = d.memory_id)
union all
select 'twice: memories of one decision', m.decision_id from memories m group by m.tenant, m.decision_id having count(*) > 1 and m.decision_id <> ''
union all
select 'evidence of nothing', e.subject || '/' || e.id from evidence e
	where not exists (select from memories m where m.tenant = e.tenant and m.id = e.subject)
	and not exists (select from proposals p where p.tenant = e.tenant and p.id = e.subject)
union all
select 'a row newer than its scope', p.id from proposals p join scopes s on s.tenant = p.tenant and s.id = p.scope where p.version > s.version
union all
select 'a row newer than its scope', m.id from memories m join scopes s on s.tenant = m.tenant and s.id = m.scope where m.version > s.version
union all
select 'a decision that the audit does not have', d.id from decisions d where d.actor = 'triage' and not exists (
	select from audit_events a where a.tenant = d.tenant and a.subject in (d.proposal_id, d.memory_id) and a.action = 'proposal.decided')
union all
select 'an event that was not published', o.id::text from outbox o where o.published_at is null
union all
select 'an event that the bus refused', o.id::text from outbox o where o.published_at is not null and o.stream_seq is null
order by 1, 2 limit 100
