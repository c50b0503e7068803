-- Tokens by model and day. Sessions of before have theirs under the model and the day of each execution.
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
    primary key (session_id, day, model)
);
create index model_usage_by_day on model_usage (day);
insert into model_usage (
    session_id, day, model, calls, input_tokens, output_tokens, thinking_tokens, cached_input_tokens,
    cache_written_tokens
)
select session_id, (started_at at time zone 'utc')::date, coalesce(model_name, ''), sum(llm_interaction_count),
       least(sum(input_tokens), 9007199254740991), least(sum(output_tokens), 9007199254740991),
       least(sum(thinking_tokens), 9007199254740991), least(sum(cached_input_tokens), 9007199254740991),
       least(sum(cache_written_tokens), 9007199254740991)
from agent_executions
where llm_interaction_count > 0 or input_tokens > 0 or output_tokens > 0
group by 1, 2, 3;
