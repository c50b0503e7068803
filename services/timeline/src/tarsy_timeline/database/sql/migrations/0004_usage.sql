-- Tokens that are counted apart: thoughts, and what providers read from their caches and wrote to them. Summaries
-- count from here on, too; executions before have the tokens of their own questions only.
alter table agent_executions
    add column thinking_tokens bigint not null default 0,
    add column cached_input_tokens bigint not null default 0,
    add column cache_written_tokens bigint not null default 0;
