-- Where an alert comes from, as far as its sender says it. Sessions of older versions have none.
alter table sessions
    add column cluster text,
    add column namespace text,
    add column workload text;
create index sessions_by_namespace on sessions (namespace, created_at) where namespace is not null;
create index sessions_by_workload on sessions (workload, created_at) where workload is not null;
