-- Calls that wait for a person. There are few of them at any time.
create index timeline_events_waiting on timeline_events (session_id)
where event_type = 'approval' and status = 'streaming';
