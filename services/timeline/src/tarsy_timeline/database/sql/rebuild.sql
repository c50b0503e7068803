-- A rebuild beside the live tables. {live} and {fresh} are names of schemas, which settings check.

-- name: secondary_indexes
-- Those that no constraint needs.
select i.indexname, i.indexdef
from pg_indexes i
where i.schemaname = $1
  and not exists (
      select from pg_constraint c join pg_namespace n on n.oid = c.connamespace
      where n.nspname = i.schemaname and c.conname = i.indexname
  )
order by i.indexname

-- name: tables_of
select tablename from pg_tables where schemaname = $1 order by tablename

-- name: hold_search_queue
-- The whole schema is queued once, when its rows are there.
alter table "{fresh}".sessions disable trigger sessions_queued_for_search

-- name: fill_search_queue
insert into "{fresh}".search_queue (session_id) select session_id from "{fresh}".sessions order by created_at desc

-- name: release_search_queue
alter table "{fresh}".sessions enable trigger sessions_queued_for_search

-- name: functions_with_path
-- Functions that look for tables in the schema that they were made in, whatever its name is now.
select p.oid::regprocedure::text as name from pg_proc p join pg_namespace n on n.oid = p.pronamespace
where n.nspname = $1 and exists (select from unnest(p.proconfig) as setting where setting like 'search_path=%')

-- name: positions_behind
select partition, l.next_offset
from "{live}".positions l left join "{fresh}".positions f using (partition)
where f.next_offset is null or f.next_offset < l.next_offset
order by partition

-- name: take_digests_along
-- No log tells which receivers have a digest: a table that is made anew would have them sent again.
insert into "{fresh}".digests select * from "{live}".digests on conflict do nothing

-- name: missing_sessions
select l.session_id from "{live}".sessions l
where l.status <> 'deleted'
  and not exists (select from "{fresh}".sessions f where f.session_id = l.session_id)

-- name: count_missing
select count(*) from unnest($1::text[]) as wanted (session_id)
where not exists (select from "{fresh}".sessions f where f.session_id = wanted.session_id)

-- name: keep_deleted
insert into sessions (session_id, partition, last_number, last_event_id, status, created_at)
values ($1, $2, $3, $4, 'deleted', 'epoch')
on conflict do nothing

-- name: table_checksum
-- failed_at, of `unprojected`, is when a projector met the record: no other meets it then.
select count(*) as rows,
       coalesce(sum(hashtextextended((to_jsonb(t) - 'failed_at')::text, 0)::numeric), 0)::text as checksum
from "{live}"."{table}" t
