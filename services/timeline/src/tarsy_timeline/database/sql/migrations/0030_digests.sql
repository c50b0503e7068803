-- Digests of a week, and the receivers that have them: the process that sends one now, and until when nobody else does.
-- Not of the log: a rebuild takes it along.
create table digests (
    last_day date not null,
    receiver text not null,
    holder text not null,
    held_until timestamptz not null,
    sent_at timestamptz,
    primary key (last_day, receiver)
);
