-- What the evidence of an investigation lacks, a sentence each. Sessions of before do not say it.
alter table sessions add column evidence_limits text[] not null default '{}';
