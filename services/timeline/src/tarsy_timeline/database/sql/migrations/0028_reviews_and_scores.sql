-- Reviews of people, and scores of judges.
-- `review_status` is what they made of it; until then it follows from how the session ended.
alter table sessions
    add column review_status text,
    add column assignee text,
    add column quality_rating text,
    add column review_cause text,
    add column review_note text,
    add column reviewed_by text,
    add column reviewed_at timestamptz,
    add column latest_score integer,
    add column scoring_status text,
    add column confidence text;

create function review_status_of(review_status text, status text) returns text language sql immutable parallel safe
return coalesce(
    review_status,
    case when status in ('completed', 'failed', 'timed_out') then 'needs_review' when status = 'cancelled' then 'reviewed' end
);
create index sessions_by_review on sessions (review_status_of(review_status, status), created_at);
create index sessions_by_rating on sessions (reviewed_at) where quality_rating is not null;
create index sessions_by_assignee on sessions (assignee, created_at) where assignee is not null;

create index sessions_by_score on sessions (latest_score, session_id) where latest_score is not null;

-- Each act of a person on a review.
create table reviews (
    session_id text not null,
    number integer not null,
    action text not null,
    from_status text not null,
    to_status text not null,
    assignee text not null,
    rating text not null,
    cause text not null,
    note text not null,
    author text not null,
    at timestamptz not null,
    primary key (session_id, number)
);

-- Runs of the judge. `result`: Score of tarsy_contracts.scores, of those that have completed.
create table scores (
    phase_id text primary key,
    session_id text not null,
    number integer not null,
    status text not null default 'in_progress',
    score integer,
    result jsonb,
    error text,
    stage_id text,
    author text not null default '',
    requested_at timestamptz not null,
    completed_at timestamptz
);
create index scores_by_session on scores (session_id, number);
