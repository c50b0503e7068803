-- Where the events of a session lie in its partition of the log, as pairs of offsets: the first and the last of a span.
-- Sessions that were projected before have none.
alter table sessions add column log_spans bigint[] not null default '{}';
