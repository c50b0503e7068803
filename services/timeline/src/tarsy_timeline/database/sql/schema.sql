-- What the migrations add up to (a test compares). Everything here can be thrown away and rebuilt from the log.

-- The log that these tables were projected from. Another one is refused.
create table log_identity (
    singleton boolean primary key default true check (singleton),
    cluster_id text not null,
    topic text not null
);

-- Where the projection of a partition of the log goes on. Compared and set in the transaction of the rows.
create table positions (
    partition integer primary key,
    next_offset bigint not null,
    last_offset bigint,
    last_event_id text
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
    plan jsonb not null default '[]', -- not read any more
    alert_data text not null default '',
    scripted boolean not null default false,
    created_at timestamptz not null,
    started_at timestamptz,
    completed_at timestamptz,
    final_analysis text,
    error_message text,
    priority smallint not null default 2,
    mcp_selection jsonb,
    total_stages integer not null default 0,
    has_parallel_stages boolean not null default false,
    executive_summary text,
    executive_summary_error text,
    chat_enabled boolean not null default true,
    chat_id text,
    chat_message_count integer not null default 0,
    log_spans bigint[] not null default '{}', -- pairs of offsets of the log; empty for sessions of older versions
    details_deleted_at timestamptz,
    cluster text,
    namespace text,
    workload text,
    repeat_count bigint not null default 0,
    last_alert_at timestamptz,
    parent_id text,
    llm_provider text,
    slack_message_fingerprint text,
    changed integer not null default 0,
    labels text[] not null default '{}', -- each as `name=value`
    partial_reason text,
    evidence_limits text[] not null default '{}', -- a sentence each
    chosen_by text not null default '',
    unmatched boolean not null default false,
    session_labels text[] not null default '{}', -- of the session itself: by its calendar and its executive summary
    review_status text, -- null until a person has done something about it: review_status_of() says what holds then
    assignee text,
    quality_rating text,
    review_cause text,
    review_note text,
    reviewed_by text,
    reviewed_at timestamptz,
    latest_score integer,
    scoring_status text, -- null where no judge was asked
    confidence text -- as the analysis says
);
create index sessions_by_time on sessions (created_at, session_id);
create index sessions_by_status on sessions (status, created_at);
create index sessions_by_partition on sessions (partition);
create index sessions_pending on sessions (priority, created_at, session_id) where status = 'pending';
create index sessions_by_alert_type on sessions (alert_type);
create index sessions_by_chain on sessions (chain_id);
create index sessions_by_severity on sessions (lower(left(severity, 300))) where severity is not null;
create index sessions_by_cluster on sessions (cluster, created_at) where cluster is not null;
create index sessions_by_namespace on sessions (namespace, created_at) where namespace is not null;
create index sessions_by_workload on sessions (workload, created_at) where workload is not null;
create index sessions_by_own_label on sessions using gin (session_labels);
create function review_status_of(review_status text, status text) returns text language sql immutable parallel safe
return coalesce(
    review_status,
    case when status in ('completed', 'failed', 'timed_out') then 'needs_review' when status = 'cancelled' then 'reviewed' end
);
create index sessions_by_review on sessions (review_status_of(review_status, status), created_at);
create index sessions_by_rating on sessions (reviewed_at) where quality_rating is not null;
create index sessions_by_assignee on sessions (assignee, created_at) where assignee is not null;
create index sessions_by_score on sessions (latest_score, session_id) where latest_score is not null;
create index sessions_by_parent on sessions (parent_id, created_at) where parent_id is not null;

-- Each act of a person on a review, ReviewChanged of tarsy_contracts.events.review.
create table reviews (
    session_id text not null,
    number integer not null,
    action text not null,
    from_status text not null,
    to_status text not null,
    assignee text not null,
    rating text not null,
    cause text not null,
    note text not null,
    author text not null,
    at timestamptz not null,
    primary key (session_id, number)
);

-- Runs of the judge. `result`: Score of tarsy_contracts.scores, of those that have completed.
create table scores (
    phase_id text primary key,
    session_id text not null,
    number integer not null,
    status text not null default 'in_progress',
    score integer,
    result jsonb,
    error text,
    stage_id text,
    author text not null default '',
    requested_at timestamptz not null,
    completed_at timestamptz
);
create index scores_by_session on scores (session_id, number);

-- Ids that senders of alerts were given, and the session that has the alert.
create table session_aliases (
    alias text primary key,
    session_id text not null
);
create index session_aliases_by_session on session_aliases (session_id);

-- Labels of sessions that were deleted a moment ago: whoever is limited to session groups is told of the deletion.
create table deleted_labels (
    session_id text primary key,
    labels text[] not null,
    deleted_at timestamptz not null
);
create index deleted_labels_by_time on deleted_labels (deleted_at);

-- number, here and below: that of the last event which changed the row.
-- action: ActionOutcome of tarsy_contracts.actions, of a stage that acts and has ended.
create table stages (
    stage_id text primary key,
    session_id text not null,
    stage_name text not null,
    stage_index integer not null,
    status text not null,
    error_message text,
    started_at timestamptz not null,
    completed_at timestamptz,
    number bigint not null,
    stage_type text not null default 'investigation',
    chain_stage integer,
    expected_agent_count integer not null default 1,
    parallel_type text,
    success_policy text,
    referenced_stage_id text,
    action jsonb
);
create index stages_by_session on stages (session_id, stage_index);

-- spec, outcome: ExecutionSpec and ExecutionOutcome of tarsy_contracts.events.execution; llm_provider is who is asked now.
-- output_tokens include thinking_tokens; input_tokens include what was read from caches and written to them.
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
    number bigint not null,
    llm_provider text,
    original_llm_provider text,
    fallback_reason text,
    fallback_error_code text,
    fallback_count integer not null default 0,
    controller text not null default 'function_calling',
    max_iterations integer,
    iterations integer not null default 0,
    forced_conclusion boolean not null default false,
    thinking_tokens bigint not null default 0,
    cached_input_tokens bigint not null default 0,
    cache_written_tokens bigint not null default 0,
    iteration integer, -- the one that is under way, or was the last; `iterations` is the end's count
    asked_at timestamptz,
    partial_reason text,
    spec jsonb,
    outcome jsonb
);
create index agent_executions_by_session on agent_executions (session_id, agent_index);

-- 0.1.0 reads and writes some of the facts in columns of their own, beside later releases.
create function spread_execution_facts() returns trigger language plpgsql as $$
begin
    if new.spec is not null then
        new.controller = new.spec ->> 'controller';
        new.max_iterations = nullif((new.spec ->> 'max_iterations')::integer, 0);
    end if;
    if new.outcome is not null then
        new.iterations = (new.outcome ->> 'iterations')::integer;
        new.forced_conclusion = (new.outcome ->> 'forced_conclusion')::boolean;
        new.partial_reason = nullif(new.outcome ->> 'partial_reason', '');
    end if;
    return new;
end
$$;
create trigger executions_for_before before insert or update of spec, outcome on agent_executions
for each row execute function spread_execution_facts();

create function gather_execution_facts() returns trigger language plpgsql as $$
begin
    new.spec = coalesce(new.spec, '{}') || jsonb_build_object(
        'agent', new.agent_name,
        'llm_provider', coalesce(new.original_llm_provider, new.llm_provider, ''),
        'controller', new.controller,
        'max_iterations', coalesce(new.max_iterations, 0)
    );
    if new.completed_at is not null then
        new.outcome = coalesce(new.outcome, '{}') || jsonb_build_object(
            'status', new.status,
            'error', coalesce(new.error_message, ''),
            'iterations', new.iterations,
            'forced_conclusion', new.forced_conclusion,
            'partial_reason', coalesce(new.partial_reason, '')
        );
    end if;
    return new;
end
$$;
create trigger executions_of_before before update of controller, iterations on agent_executions
for each row execute function gather_execution_facts();

-- Tokens by the model that answered (empty where no answer named it), and by the day of the event (UTC).
create table model_usage (
    session_id text not null,
    day date not null,
    model text not null,
    calls bigint not null,
    input_tokens bigint not null,
    output_tokens bigint not null,
    thinking_tokens bigint not null,
    cached_input_tokens bigint not null,
    cache_written_tokens bigint not null,
    web_searches bigint not null default 0,
    primary key (session_id, day, model)
);
create index model_usage_by_day on model_usage (day);

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
create index timeline_events_waiting on timeline_events (session_id)
where event_type = 'approval' and status = 'streaming';
create index timeline_events_streaming on timeline_events (session_id) where status = 'streaming';

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

-- Punctuation becomes blanks: the parts of an identifier are words, and the identifier is a phrase.
create function search_plain(content text) returns text language sql immutable strict parallel safe
return regexp_replace(
    content,
    '[ -/:-@[-`{-~\u00a0\u00ab\u00b7\u00bb\u2013\u2014\u2018\u2019\u201c\u201d\u2022\u2026\u2192]+',
    ' ',
    'g'
);

-- Words by which sessions are found: of the alert (source_id '', in parts of 32,000 characters) and of each timeline
-- event. number: that of the row that they are of.
create table search_texts (
    session_id text not null,
    source_id text not null,
    part integer not null,
    source text not null,
    number bigint not null,
    words tsvector not null,
    primary key (session_id, source_id, part)
);
create index search_texts_by_word on search_texts using gin (words);

-- Sessions whose words are to be written; one may stand here several times.
create table search_queue (
    id bigint generated always as identity primary key,
    session_id text not null
);

create function queue_for_search() returns trigger language plpgsql set search_path from current as $$
begin
    insert into search_queue (session_id) values (new.session_id);
    return null;
end
$$;
create trigger sessions_queued_for_search after insert or update of last_number on sessions
for each row execute function queue_for_search();

-- Of before session_labels; an older version may ask it still.
-- Whether a session with these labels is in one of the groups: a list of objects, each with the values that count of
-- the labels that it names.
create function in_session_groups(groups jsonb, alert_type text, cluster text, namespace text, workload text)
returns boolean language sql immutable parallel safe
return exists (
    select from jsonb_array_elements(groups) g
    where (not g ? 'alert_type' or g -> 'alert_type' ? alert_type)
      and (not g ? 'cluster' or g -> 'cluster' ? cluster)
      and (not g ? 'namespace' or g -> 'namespace' ? namespace)
      and (not g ? 'workload' or g -> 'workload' ? workload)
);

-- Labels of a session, as an index has them: `team=shop`. Those that the sender chose are in `labels` so already.
create function session_labels(alert_type text, cluster text, namespace text, workload text, labels text[])
returns text[] language sql immutable parallel safe
return array_remove(
    array['alert_type=' || alert_type, 'cluster=' || cluster, 'namespace=' || namespace, 'workload=' || workload], null
) || labels;
create index sessions_by_label on sessions
using gin (session_labels(alert_type, cluster, namespace, workload, labels));

-- Lessons that investigations have taught. `alert_type` to `workload`: the alert that it was learnt from. `scope`: which facts
-- of an alert have to be the same for it to hold.
create table memories (
    memory_id text primary key,
    session_id text not null,
    text text not null default '',
    category text not null default '',
    valence text not null default '',
    alert_type text not null default '',
    cluster text not null default '',
    namespace text not null default '',
    workload text not null default '',
    scope jsonb not null default '{}',
    confidence double precision not null default 0,
    locked boolean not null default false,
    deprecated boolean not null default false,
    call_ids text[] not null default '{}',
    learned_at timestamptz not null,
    updated_at timestamptz not null
);
create index memories_by_session on memories (session_id);
create index memories_by_time on memories (learned_at, memory_id);
create index memories_by_alert_type on memories (alert_type, learned_at);
create index memories_by_workload on memories (workload, namespace, learned_at);

-- Judgements of sessions about memories that they were given. A memory may come later than these, or be erased.
create table memory_judgements (
    memory_id text not null,
    session_id text not null,
    agrees boolean not null,
    reason text not null default '',
    judged_at timestamptz not null,
    primary key (memory_id, session_id)
);
create index memory_judgements_by_session on memory_judgements (session_id);

-- The stems of each memory. A search reads a few rows of each word, however common it is: a tsvector could not.
create table memory_words (
    memory_id text not null references memories on delete cascade,
    word text not null,
    primary key (memory_id, word)
);
create index memory_words_by_word on memory_words (word, memory_id);

create function memory_stems(content text) returns text[] language sql immutable strict parallel safe
return tsvector_to_array(to_tsvector('english', search_plain(content)));

create function index_memory() returns trigger language plpgsql set search_path from current as $$
begin
    delete from memory_words where memory_id = new.memory_id;
    insert into memory_words (memory_id, word)
    select new.memory_id, word
    from unnest(memory_stems(concat_ws(' ', new.text, new.alert_type, new.namespace, new.workload))) word;
    return null;
end
$$;
create trigger memories_indexed after insert or update of text on memories
for each row execute function index_memory();

-- Digests of a week, and the receivers that have them: the process that sends one now, and until when nobody else does.
-- Not of the log: a rebuild takes it along.
create table digests (
    last_day date not null,
    receiver text not null,
    holder text not null,
    held_until timestamptz not null,
    sent_at timestamptz,
    primary key (last_day, receiver)
);
