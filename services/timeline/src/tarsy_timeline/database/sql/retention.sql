-- A retention run of the tables: the log keeps what is deleted here.

-- name: count_details
select count(*) as sessions, min(completed_at) as oldest
from sessions where completed_at < $1 and details_deleted_at is null and status <> 'deleted'

-- name: delete_details
-- Of the oldest so many sessions; returns how many they were.
with expired as (
    select session_id from sessions
    where completed_at < $1 and details_deleted_at is null and status <> 'deleted'
    order by completed_at, session_id limit $2
    for update
),
timeline as (delete from timeline_events t using expired x where t.session_id = x.session_id),
texts as (delete from search_texts k using expired x where k.session_id = x.session_id and k.source <> 'alert'),
marked as (
    update sessions s set details_deleted_at = now() from expired x where s.session_id = x.session_id
    returning s.session_id
)
select count(*) from marked
