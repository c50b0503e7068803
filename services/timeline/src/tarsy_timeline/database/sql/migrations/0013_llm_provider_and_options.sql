-- The LLM provider that the sender chose. Sessions of older versions have none.
alter table sessions add column llm_provider text;
-- For the values that the list can be filtered by. Nothing bounds a severity, but an entry of an index is bounded.
create index sessions_by_severity on sessions (lower(left(severity, 300))) where severity is not null;
create index sessions_by_cluster on sessions (cluster, created_at) where cluster is not null;
