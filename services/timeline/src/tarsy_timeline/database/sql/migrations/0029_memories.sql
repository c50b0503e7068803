-- Lessons that investigations have taught. `alert_type` to `workload`: the alert that it was learnt from. `scope`: which facts
-- of an alert have to be the same for it to hold.
create table memories (
    memory_id text primary key,
    session_id text not null,
    text text not null default '',
    category text not null default '',
    valence text not null default '',
    alert_type text not null default '',
    cluster text not null default '',
    namespace text not null default '',
    workload text not null default '',
    scope jsonb not null default '{}',
    confidence double precision not null default 0,
    locked boolean not null default false,
    deprecated boolean not null default false,
    call_ids text[] not null default '{}',
    learned_at timestamptz not null,
    updated_at timestamptz not null
);
create index memories_by_session on memories (session_id);
create index memories_by_time on memories (learned_at, memory_id);
create index memories_by_alert_type on memories (alert_type, learned_at);
create index memories_by_workload on memories (workload, namespace, learned_at);

-- Judgements of sessions about memories that they were given. A memory may come later than these, or be erased.
create table memory_judgements (
    memory_id text not null,
    session_id text not null,
    agrees boolean not null,
    reason text not null default '',
    judged_at timestamptz not null,
    primary key (memory_id, session_id)
);
create index memory_judgements_by_session on memory_judgements (session_id);

-- The stems of each memory. A search reads a few rows of each word, however common it is: a tsvector could not.
create table memory_words (
    memory_id text not null references memories on delete cascade,
    word text not null,
    primary key (memory_id, word)
);
create index memory_words_by_word on memory_words (word, memory_id);

create function memory_stems(content text) returns text[] language sql immutable strict parallel safe
return tsvector_to_array(to_tsvector('english', search_plain(content)));

create function index_memory() returns trigger language plpgsql set search_path from current as $$
begin
    delete from memory_words where memory_id = new.memory_id;
    insert into memory_words (memory_id, word)
    select new.memory_id, word
    from unnest(memory_stems(concat_ws(' ', new.text, new.alert_type, new.namespace, new.workload))) word;
    return null;
end
$$;
create trigger memories_indexed after insert or update of text on memories
for each row execute function index_memory();
