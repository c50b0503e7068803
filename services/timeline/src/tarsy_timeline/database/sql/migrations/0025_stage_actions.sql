-- What a stage that acts has done: ActionOutcome of tarsy_contracts.actions.
alter table stages add column action jsonb;
