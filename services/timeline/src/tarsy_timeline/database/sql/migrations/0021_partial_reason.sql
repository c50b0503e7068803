-- Why an analysis is less than whole. Sessions and agents of older versions have none.
alter table sessions add column partial_reason text;
alter table agent_executions add column partial_reason text;
