-- When the timeline of a session was deleted to make room; a rebuild brings it back.
alter table sessions add column details_deleted_at timestamptz;
