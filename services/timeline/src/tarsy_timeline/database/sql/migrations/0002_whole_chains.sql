-- Facts of whole chains, as the events tell them. `plan` is not read any more; what it knew of old rows is kept below.
alter table sessions
    add column priority smallint not null default 2,
    add column mcp_selection jsonb,
    add column total_stages integer not null default 0,
    add column has_parallel_stages boolean not null default false,
    add column executive_summary text,
    add column executive_summary_error text;
alter table stages
    add column stage_type text not null default 'investigation',
    add column chain_stage integer,
    add column expected_agent_count integer not null default 1,
    add column parallel_type text,
    add column success_policy text,
    add column referenced_stage_id text;
alter table agent_executions
    add column llm_provider text,
    add column original_llm_provider text,
    add column fallback_reason text,
    add column fallback_error_code text,
    add column fallback_count integer not null default 0,
    add column controller text not null default 'function_calling',
    add column max_iterations integer,
    add column iterations integer not null default 0,
    add column forced_conclusion boolean not null default false;

update sessions
set total_stages = jsonb_array_length(plan),
    has_parallel_stages = jsonb_path_exists(plan, '$[*] ? (@.agents.size() > 1)'),
    priority = case
        when lower(trim(severity)) in ('critical', 'emergency', 'fatal', 'disaster', 'page', 'p1', 'sev1') then 0
        when lower(trim(severity)) in ('error', 'high', 'major', 'p2', 'sev2') then 1
        when lower(trim(severity)) in
            ('info', 'informational', 'low', 'minor', 'debug', 'p4', 'p5', 'sev4', 'sev5') then 3
        else 2
    end;
update stages t
set chain_stage = t.stage_index - 1,
    expected_agent_count = greatest(1, coalesce(jsonb_array_length(s.plan -> (t.stage_index - 1) -> 'agents'), 1))
from sessions s
where s.session_id = t.session_id and t.stage_index >= 1;
update agent_executions x
set llm_provider = s.plan -> (t.stage_index - 1) -> 'agents' -> (x.agent_index - 1) ->> 'llm_provider'
from sessions s, stages t
where s.session_id = x.session_id and t.stage_id = x.stage_id and t.stage_index >= 1 and x.agent_index >= 1;

-- The queue, in its order; what filters offer, without reading the rows.
create index sessions_pending on sessions (priority, created_at, session_id) where status = 'pending';
create index sessions_by_alert_type on sessions (alert_type);
create index sessions_by_chain on sessions (chain_id);
