-- Facts of executions, whole: ExecutionSpec and ExecutionOutcome of tarsy_contracts.events.execution.
alter table agent_executions
    add column spec jsonb,
    add column outcome jsonb;

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

update agent_executions set controller = controller;
