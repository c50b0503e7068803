-- Labels of the session itself, by its calendar and its executive summary. Sessions of before have none.
alter table sessions add column session_labels text[] not null default '{}';
create index sessions_by_own_label on sessions using gin (session_labels);
