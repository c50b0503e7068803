-- The last event that a position stands behind: another log, as one that was restored from an older copy and went on,
-- has another event there.
alter table positions add column last_offset bigint, add column last_event_id text;
