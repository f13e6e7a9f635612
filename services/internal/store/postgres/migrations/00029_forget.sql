-- winnow forget (SPEC §7, D9): the one thing that takes words out of the database for
-- good, and only a person asks for it. Rows stay as tombstones without a word, so that
-- keys, lineage and counts hold and every projection learns of it as of any change.

-- +goose Up

-- Does a text say one of these, whatever the case of its letters?
-- +goose StatementBegin
create function winnow_says(wanted text[], said text) returns boolean
language sql immutable parallel safe set search_path = pg_catalog as $$
  select exists (select from unnest(wanted) as w (t) where position(lower(w.t) in lower(said)) > 0)
$$;
-- +goose StatementEnd

-- The same of bytes, which need not be a text.
-- +goose StatementBegin
create function winnow_says(wanted text[], said bytea) returns boolean
language sql immutable parallel safe set search_path = pg_catalog as $$
  select exists (select from unnest(wanted) as w (t)
    where position(lower(encode(convert_to(w.t, 'UTF8'), 'escape')) in lower(encode(said, 'escape'))) > 0)
$$;
-- +goose StatementEnd

-- A text with a mark in the place of each of these.
-- +goose StatementBegin
create function winnow_without(unwanted text[], said text) returns text
language plpgsql immutable parallel safe set search_path = pg_catalog as $$
declare
  one text;
begin
  foreach one in array unwanted loop
    said := regexp_replace(said, regexp_replace(one, '([\\.^$*+?()\[\]{}|-])', '\\\1', 'g'), '⟨forgotten⟩', 'gi');
  end loop;
  return said;
end $$;
-- +goose StatementEnd
revoke execute on function winnow_says(text[], text), winnow_says(text[], bytea), winnow_without(text[], text) from public;

-- Erases the memories, proposals and sessions of these ids, what says these words, and
-- everything that carries a text of theirs: the same text, a text that contains it, what
-- was derived or consolidated from it, repeats that were rejected or merged. Returns what it
-- found, with the texts; the caller rolls back to have a preview. All scopes of the tenant
-- are locked meanwhile: nobody judges by what is about to go.
-- +goose StatementBegin
create function winnow_forget(asked text[], spoken text[], by_person text, run text) returns jsonb
language plpgsql security definer set search_path = pg_catalog, public, pg_temp as $$
declare
  owner    text := public.winnow_tenant();
  -- A shorter text stands in others by chance.
  shortest constant int := 16;
  mems     text[];
  props    text[];
  sess     text[];
  heard    text[];  -- sessions whose transcript has the words
  texts    text[];  -- whole texts
  long     text[];  -- those that are looked for inside others
  forms    text[];  -- long, and as JSON writes them
  changed  text[];  -- keys of changed rows that have digests in the audit
  more     text[];
  subjects text[];
  scoped   text[];
  served_n bigint;
  asides   bigint := 0; -- other rows in which the words stood
  n        bigint;
  size     int;
  col      record;
  result   jsonb;
begin
  perform 1 from public.scopes s where s.tenant = owner order by s.id for update;

  sess := array(select s.id from public.sessions s where s.tenant = owner and (s.id = any (asked)
    or public.winnow_says(spoken, concat_ws(' ', s.name, s.task, s.project, s.source, s.agent, s.note))));
  mems := array(select m.id from public.memories m where m.tenant = owner and (m.id = any (asked)
    or public.winnow_says(spoken, concat_ws(' ', m.title, m.description, m.body, m.category,
      array_to_string(m.tags, ' '), array_to_string(m.topics, ' '), array_to_string(m.macro_topics, ' ')))));
  props := array(select p.id from public.proposals p where p.tenant = owner and (p.id = any (asked)
    or public.winnow_says(spoken, concat_ws(' ', p.title, p.description, p.body, p.category,
      array_to_string(p.tags, ' '), array_to_string(p.topics, ' '), array_to_string(p.macro_topics, ' ')))
    or exists (select from public.evidence e where e.tenant = owner and e.subject = p.id and public.winnow_says(spoken, e.span))));
  loop
    size := cardinality(mems) + cardinality(props);
    texts := array(
      select m.body from public.memories m where m.tenant = owner and m.id = any (mems) and m.body <> ''
      union select p.body from public.proposals p where p.tenant = owner and p.id = any (props) and p.body <> '');
    long := array(select t from unnest(texts) as t where length(t) >= shortest);
    props := array(select p.id from public.proposals p where p.tenant = owner and (p.id = any (props)
      or p.body = any (texts) or public.winnow_says(long, p.body)
      or p.state in ('rejected', 'merged') and p.target = any (mems || props)
      or exists (select from public.sessions s where s.tenant = owner and s.id = any (sess) and s.name = p.session_id and s.principal = p.principal)
      or exists (select from public.memories m where m.tenant = owner and m.id = any (mems) and m.proposal_id = p.id)
      or exists (select from public.memory_links l where l.tenant = owner and l.from_id = p.id
        and l.kind in ('derived_from', 'consolidates', 'merged_into') and l.to_id = any (mems || props || sess))));
    mems := array(select m.id from public.memories m where m.tenant = owner and (m.id = any (mems)
      or m.body = any (texts) or public.winnow_says(long, m.body)
      or m.proposal_id <> '' and m.proposal_id = any (props)
      or exists (select from public.memory_links l where l.tenant = owner and l.from_id = m.id
        and l.kind in ('derived_from', 'consolidates') and l.to_id = any (mems || props || sess))));
    exit when cardinality(mems) + cardinality(props) = size;
  end loop;

  long := array(select distinct t from unnest(long || coalesce(spoken, '{}')) as t);
  forms := array(select distinct f from (
    select t as f from unnest(long) as t
    union select substr(to_json(t)::text, 2, length(to_json(t)::text) - 2) from unnest(long) as t
    union select replace(replace(replace(substr(to_json(t)::text, 2, length(to_json(t)::text) - 2), '<', '\u003c'), '>', '\u003e'), '&', '\u0026')
      from unnest(long) as t) as all_forms);
  heard := array(select s.id from public.sessions s where s.tenant = owner and (s.id = any (sess)
    or exists (select from public.evidence e where e.tenant = owner and e.subject = any (mems || props)
      and e.session_id <> '' and e.session_id = s.name and e.principal = s.principal)
    or exists (select from public.proposals p where p.tenant = owner and p.id = any (props)
      and p.session_id <> '' and p.session_id = s.name and p.principal = s.principal)));
  result := jsonb_build_object(
    'memories', (select coalesce(jsonb_agg(jsonb_build_object('id', m.id, 'scope', m.scope, 'state', m.state, 'text', m.body) order by m.id), '[]')
      from public.memories m where m.tenant = owner and m.id = any (mems)),
    'proposals', (select coalesce(jsonb_agg(jsonb_build_object('id', p.id, 'scope', p.scope, 'state', p.state, 'text', p.body,
        'event', p.event_id, 'principal', p.principal) order by p.id), '[]')
      from public.proposals p where p.tenant = owner and p.id = any (props)),
    'sessions', (select coalesce(jsonb_agg(jsonb_build_object('id', s.id, 'scope', s.scope, 'state', s.state, 'text', s.task,
        'event', s.event_id, 'principal', s.principal) order by s.id), '[]')
      from public.sessions s where s.tenant = owner and s.id = any (sess)),
    'transcripts', (select coalesce(jsonb_agg(jsonb_build_object('id', s.id, 'scope', s.scope, 'event', s.event_id, 'principal', s.principal) order by s.id), '[]')
      from public.sessions s where s.tenant = owner and s.id = any (heard)),
    'forms', to_jsonb(forms));

  -- What a consolidation had replaced and does not carry the words serves again.
  more := array(select m.id from public.memories m where m.tenant = owner and m.successor_id = any (mems) and not m.id = any (mems)
    and m.state = 'archived' and exists (select from public.memory_links l
      where l.tenant = owner and l.from_id = m.successor_id and l.to_id = m.id and l.kind = 'consolidates'));
  result := result || jsonb_build_object('restored', to_jsonb(more));
  scoped := array(
    select m.scope from public.memories m where m.tenant = owner and m.id = any (mems || more)
    union select p.scope from public.proposals p where p.tenant = owner and p.id = any (props));
  update public.scopes s set version = s.version + 1 where s.tenant = owner and s.id = any (scoped);

  -- Everything about the words that is no row of theirs goes.
  delete from public.memory_vectors v where v.tenant = owner and v.memory_id = any (mems);
  delete from public.memory_topics t where t.tenant = owner and t.memory_id = any (mems);
  delete from public.readings r where r.tenant = owner and r.memory_id = any (mems);
  delete from public.served s where s.tenant = owner and s.memory_id = any (mems);
  get diagnostics served_n = row_count;
  delete from public.searches s where s.tenant = owner and public.winnow_says(spoken, array_to_string(s.words, ' ') || ' ' || s.topic);
  delete from public.session_traces t where t.tenant = owner and t.session_id = any (heard);
  delete from public.model_calls c where c.tenant = owner and (c.subject = any (heard || mems || props) or public.winnow_says(forms, c.answer));
  delete from public.http_requests r where r.tenant = owner and public.winnow_says(forms, r.body);
  -- Verdicts quote; what the index has to hear comes anew, after this.
  delete from public.outbox o where o.tenant = owner and (public.winnow_says(forms, o.data) or public.winnow_says(mems || props || sess, o.data));
  delete from public.digest_replies r where r.tenant = owner and exists (select from public.digests d where d.tenant = owner and d.id = r.digest_id
    and (public.winnow_says(mems || props, d.items::text || d.spots::text) or public.winnow_says(forms, d.body || d.items::text || d.spots::text)));
  delete from public.digests d where d.tenant = owner
    and (public.winnow_says(mems || props, d.items::text || d.spots::text) or public.winnow_says(forms, d.body || d.items::text || d.spots::text));

  -- The rows themselves.
  update public.memories m set state = 'archived', title = '', description = '', body = '', category = '', tags = '{}', topics = '{}',
      macro_topics = '{}', summary_topic = '', text_hash = null, archived_at = coalesce(m.archived_at, now()), archive_reason = 'forgotten',
      successor_id = '', version = s.version
    from public.scopes s where m.tenant = owner and m.id = any (mems) and s.tenant = owner and s.id = m.scope;
  update public.memories m set state = 'active', archived_at = null, archive_reason = '', successor_id = '', version = s.version
    from public.scopes s where m.tenant = owner and m.id = any (more) and s.tenant = owner and s.id = m.scope;
  update public.proposals p set state = case when p.state in ('pending', 'needs_review', 'quarantined') then 'expired' else p.state end,
      title = '', description = '', body = '', category = '', tags = '{}', topics = '{}', macro_topics = '{}', text_hash = null, version = s.version
    from public.scopes s where p.tenant = owner and p.id = any (props) and s.tenant = owner and s.id = p.scope;
  update public.sessions s set task = '', source = '', project = '', note = '', agent = '',
      name = case when public.winnow_says(spoken, s.name) then s.id else s.name end
    where s.tenant = owner and s.id = any (sess);
  update public.signals s set note = '' where s.tenant = owner and s.memory_id = any (mems);
  update public.reviews r set note = '' where r.tenant = owner and r.proposal_id = any (props);
  changed := mems || props;
  with gone as (
    update public.decisions d set reason = '', features = '{}', candidates = '[]', inputs = '{}'
    where d.tenant = owner and (d.proposal_id = any (props) or d.memory_id <> '' and d.memory_id = any (mems)) returning d.id)
  select changed || coalesce(array_agg(gone.id), '{}') into changed from gone;
  with gone as (
    update public.decisions d set reason = case when d.target = any (mems || props) then '' else public.winnow_without(forms, d.reason) end,
      candidates = public.winnow_without(forms, d.candidates::text)::json, inputs = public.winnow_without(forms, d.inputs::text)::json
    where d.tenant = owner and not d.id = any (changed) and (d.target <> '' and d.target = any (mems || props)
      or public.winnow_says(forms, d.reason || d.candidates::text || d.inputs::text)) returning d.id)
  select changed || coalesce(array_agg(gone.id), '{}'), count(*) into changed, asides from gone;
  with gone as (
    delete from public.evidence e where e.tenant = owner and (e.subject = any (mems || props) or e.proposal_id <> '' and e.proposal_id = any (props)
      or public.winnow_says(forms, e.span)) returning e.subject || '/' || e.id as key)
  select changed || coalesce(array_agg(gone.key), '{}') into changed from gone;

  -- And wherever else a text stands: notes, reports, summaries of workflows, boot files.
  for col in
    select c.table_name, c.column_name, c.data_type from information_schema.columns c
    join information_schema.columns t on t.table_schema = c.table_schema and t.table_name = c.table_name and t.column_name = 'tenant'
    where c.table_schema = 'public' and c.data_type in ('text', 'json') and c.column_name not in ('tenant', 'id') and c.is_generated = 'NEVER'
      and c.table_name in ('boot_files', 'digest_replies', 'reviews', 'run_items', 'runs', 'sessions', 'signals', 'workflows', 'calibrations')
  loop
    execute format('update public.%1$I set %2$I = public.winnow_without($1, %2$I::text)::%3$s where tenant = $2 and public.winnow_says($1, %2$I::text)',
      col.table_name, col.column_name, col.data_type) using forms, owner;
    get diagnostics n = row_count;
    asides := asides + n;
  end loop;

  -- Bodies of the audit about these, and any that says the words. Each has an entry that
  -- says so; last, because an entry locks the tenant's head until the commit.
  with gone as (
    delete from public.audit_bodies b using public.audit_events e
    where e.tenant = owner and b.tenant = owner and b.link = e.link and b.n = e.n
      and e.action not in ('audit.erased', 'retention.applied', 'memory.forgotten')
      and (e.subject = any (mems || props || sess) or public.winnow_says(forms, b.body))
    returning e.subject)
  select array_agg(distinct gone.subject) into subjects from gone;
  perform public.winnow_audit_note('audit.erased', subjects, array(select json_build_object('forgotten', run)::text from unnest(subjects)));
  subjects := '{}';
  texts := '{}';
  for i in 0 .. greatest(cardinality(changed) - 1, 0) / 1000 loop
    subjects := subjects || run;
    texts := texts || json_build_object('by', by_person, 'rows', changed[i * 1000 + 1 : (i + 1) * 1000])::text;
  end loop;
  perform public.winnow_audit_note('memory.forgotten', subjects, texts);
  return result || jsonb_build_object('served', served_n, 'asides', asides);
end $$;
-- +goose StatementEnd
revoke execute on function winnow_forget(text[], text[], text, text) from public;
grant execute on function winnow_forget(text[], text[], text, text) to winnow_operator;

-- +goose Down
drop function winnow_forget(text[], text[], text, text);
drop function winnow_without(text[], text);
drop function winnow_says(text[], bytea);
drop function winnow_says(text[], text);
