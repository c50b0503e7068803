-- The log that these tables were projected from. Another one is refused.
create table log_identity (
    singleton boolean primary key default true check (singleton),
    cluster_id text not null,
    topic text not null
);

-- Where the projection of a partition of the log goes on. Compared and set in the transaction of the rows.
create table positions (
    partition integer primary key,
    next_offset bigint not null
);

-- last_number and last_event_id are the session's last accepted event: what a reader that goes on is seeded by.
create table sessions (
    session_id text primary key,
    partition integer not null,
    last_number bigint not null,
    last_event_id text not null,
    status text not null default 'pending',
    alert_type text not null default '',
    title text not null default '',
    severity text,
    source text not null default '',
    author text not null default '',
    runbook_url text,
    chain_id text not null default '',
    plan jsonb not null default '[]',
    alert_data text not null default '',
    scripted boolean not null default false,
    created_at timestamptz not null,
    started_at timestamptz,
    completed_at timestamptz,
    final_analysis text,
    error_message text
);
create index sessions_by_time on sessions (created_at, session_id);
create index sessions_by_status on sessions (status, created_at);
create index sessions_by_partition on sessions (partition);

-- number, here and below: that of the last event which changed the row.
create table stages (
    stage_id text primary key,
    session_id text not null,
    stage_name text not null,
    stage_index integer not null,
    status text not null,
    error_message text,
    started_at timestamptz not null,
    completed_at timestamptz,
    number bigint not null
);
create index stages_by_session on stages (session_id, stage_index);

create table agent_executions (
    execution_id text primary key,
    session_id text not null,
    stage_id text not null,
    agent_name text not null,
    agent_index integer not null,
    status text not null,
    error_message text,
    model_name text,
    llm_interaction_count integer not null default 0,
    mcp_interaction_count integer not null default 0,
    input_tokens bigint not null default 0,
    output_tokens bigint not null default 0,
    started_at timestamptz not null,
    completed_at timestamptz,
    number bigint not null
);
create index agent_executions_by_session on agent_executions (session_id, agent_index);

create table timeline_events (
    event_id text primary key,
    session_id text not null,
    execution_id text,
    event_type text not null,
    status text not null,
    content text not null,
    metadata jsonb not null,
    sequence_number bigint not null,
    created_at timestamptz not null,
    updated_at timestamptz not null,
    number bigint not null
);
create index timeline_events_by_session on timeline_events (session_id, sequence_number);
