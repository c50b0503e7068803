-- The session that one was run again from. Sessions of older versions have none.
alter table sessions add column parent_id text;
create index sessions_by_parent on sessions (parent_id, created_at) where parent_id is not null;
