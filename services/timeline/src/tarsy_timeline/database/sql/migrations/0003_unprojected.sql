-- Records of the log that PostgreSQL, or the projection, did not take: docs/operations/unprojected-records.md.
create table unprojected (
    partition integer not null,
    log_offset bigint not null,
    session_id text not null,
    number bigint not null,
    event_type text not null,
    reason text not null,
    failed_at timestamptz not null,
    primary key (partition, log_offset)
);
