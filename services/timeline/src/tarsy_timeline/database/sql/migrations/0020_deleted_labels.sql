-- Labels of sessions that were deleted a moment ago: whoever is limited to session groups is told of the deletion.
create table deleted_labels (
    session_id text primary key,
    labels text[] not null,
    deleted_at timestamptz not null
);
create index deleted_labels_by_time on deleted_labels (deleted_at);
