-- Why a chain was chosen; sessions of before do not say it.
alter table sessions add column chosen_by text not null default '';
alter table sessions add column unmatched boolean not null default false;
