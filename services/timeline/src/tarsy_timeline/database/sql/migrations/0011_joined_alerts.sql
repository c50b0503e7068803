-- Alerts that joined a session: how many, and the ids that their senders were given.
alter table sessions add column repeat_count bigint not null default 0;
alter table sessions add column last_alert_at timestamptz;
create table session_aliases (
    alias text primary key,
    session_id text not null
);
create index session_aliases_by_session on session_aliases (session_id);
