-- The chat of a session: its id once somebody has asked, and how many questions it has.
alter table sessions add column chat_enabled boolean not null default true;
alter table sessions add column chat_id text;
alter table sessions add column chat_message_count integer not null default 0;
