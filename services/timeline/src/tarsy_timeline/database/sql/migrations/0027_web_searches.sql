-- Searches of models' own web tools, which have a price each. Sessions of before have none.
alter table model_usage add column web_searches bigint not null default 0;
