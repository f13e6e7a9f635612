-- Roles belong to the cluster, not to a database, so several databases and
-- several processes may make them at once: whoever comes second is content.
select pg_advisory_xact_lock(1464422991); -- within a database they take turns

do $$
declare
  wanted text;
begin
  foreach wanted in array array['winnow_owner', 'winnow_app', 'winnow_relay', 'winnow_operator'] loop
    if not exists (select from pg_roles where rolname = wanted) then
      begin
        execute format('create role %I nologin nosuperuser nobypassrls', wanted);
      exception when duplicate_object or unique_violation then null;
      end;
    end if;
  end loop;
  -- An operator's session may do all that a worker may.
  if not pg_has_role('winnow_operator', 'winnow_app', 'member') then
    begin
      grant winnow_app to winnow_operator;
    exception when unique_violation then null; -- another process did it
    end;
  end if;
  if not pg_has_role(current_user, 'winnow_owner', 'member') then
    execute format('grant winnow_owner to %I', current_user);
  end if;
end $$;
revoke create on schema public from public;
grant usage, create on schema public to winnow_owner;
grant usage on schema public to winnow_app, winnow_relay;
