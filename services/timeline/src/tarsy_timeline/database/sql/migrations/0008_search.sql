-- The words of alerts and timelines. A task of the service writes them: the projector only notes which session changed,
-- by a trigger, so that the sessions of a version that still writes are noted as well. The sessions of before wait in
-- the queue like any other, the newest first. Nothing large is rewritten, and only `sessions` is locked against writers,
-- for as long as it takes to list its ids (a million in a few seconds).
create function search_plain(content text) returns text language sql immutable strict parallel safe
return regexp_replace(
    content,
    '[ -/:-@[-`{-~\u00a0\u00ab\u00b7\u00bb\u2013\u2014\u2018\u2019\u201c\u201d\u2022\u2026\u2192]+',
    ' ',
    'g'
);

create table search_texts (
    session_id text not null,
    source_id text not null,
    part integer not null,
    source text not null,
    number bigint not null,
    words tsvector not null,
    primary key (session_id, source_id, part)
);
create index search_texts_by_word on search_texts using gin (words);

create table search_queue (
    id bigint generated always as identity primary key,
    session_id text not null
);

create function queue_for_search() returns trigger language plpgsql set search_path from current as $$
begin
    insert into search_queue (session_id) values (new.session_id);
    return null;
end
$$;
create trigger sessions_queued_for_search after insert or update of last_number on sessions
for each row execute function queue_for_search();

insert into search_queue (session_id) select session_id from sessions order by created_at desc, session_id;
