-- What a running session does now, and whether it may have changed something. Sessions of before count none, until the
-- tables are rebuilt.
alter table agent_executions
    add column iteration integer,
    add column asked_at timestamptz;
alter table sessions add column changed integer not null default 0;
-- Calls that run. There are few of them at any time.
create index timeline_events_streaming on timeline_events (session_id) where status = 'streaming';
