-- The projector ------------------------------------------------------------------------------------------------

-- name: claim_identity
insert into log_identity (cluster_id, topic) values ($1, $2) on conflict do nothing

-- name: read_identity
select cluster_id, topic from log_identity

-- name: begin_position
insert into positions (partition, next_offset) values ($1, $2) on conflict do nothing

-- name: read_position
select next_offset from positions where partition = $1

-- name: move_position
update positions
set next_offset = $3, last_offset = coalesce($4, last_offset), last_event_id = coalesce($5, last_event_id)
where partition = $1 and next_offset = $2

-- name: read_last_records
select partition, last_offset, last_event_id from positions
where partition = any($1::integer[]) and last_event_id is not null

-- name: read_chains
select session_id, last_event_id, last_number from sessions where partition = $1 and session_id = any($2::text[])

-- name: set_aside
insert into unprojected (partition, log_offset, session_id, number, event_type, reason, failed_at)
values ($1, $2, $3, $4, $5, $6, $7)
on conflict do nothing

-- name: count_unprojected
select count(*) as records, count(distinct session_id) as sessions, min(failed_at) as since from unprojected

-- name: read_unprojected
select session_id, event_type, partition, log_offset, reason from unprojected order by failed_at, log_offset limit $1

-- Rows: what does more than change one (rows/row_changes.py has the others). A batch runs each statement once ------

-- name: move_session
-- Events that lie near the last ones lengthen their span of the log; others begin a span, while there are few.
insert into sessions as s (session_id, partition, last_number, last_event_id, created_at, log_spans)
values ($1, $2, $3, $4, $5, array[$6::bigint, $7::bigint])
on conflict (session_id) do update
set last_number = excluded.last_number, last_event_id = excluded.last_event_id,
    log_spans = case
        when s.status = 'deleted' then excluded.log_spans
        when s.log_spans = '{}' then s.log_spans
        when $6::bigint - s.log_spans[cardinality(s.log_spans)] <= 1000 or cardinality(s.log_spans) >= 128
        then s.log_spans[:cardinality(s.log_spans) - 1] || $7::bigint
        else s.log_spans || array[$6::bigint, $7::bigint]
    end

-- name: count_change
-- A call that has run, unless its tool is read-only. Older events do not say whether it is: then one that may be
-- repeated counts as read-only.
update sessions set changed = changed + 1
where session_id = $1 and exists (
    select from timeline_events t
    where t.event_id = $2
      and not coalesce((t.metadata ->> 'read_only')::boolean, (t.metadata ->> 'repeatable')::boolean, true)
)

-- name: delete_session
-- Its last event stays, for readers to go on with. Its labels stay a while: deleted_labels.py says for whom.
with labels as (
    insert into deleted_labels (session_id, labels, deleted_at)
    select session_id, session_labels(alert_type, cluster, namespace, workload, labels), $2
    from sessions where session_id = $1 and status <> 'deleted'
    on conflict (session_id) do update set labels = excluded.labels, deleted_at = excluded.deleted_at
),
     timeline as (delete from timeline_events where session_id = $1),
     executions as (delete from agent_executions where session_id = $1),
     stages as (delete from stages where session_id = $1),
     texts as (delete from search_texts where session_id = $1),
     used as (delete from model_usage where session_id = $1),
     aliases as (delete from session_aliases where session_id = $1),
     reviewed as (delete from reviews where session_id = $1),
     scored as (delete from scores where session_id = $1),
     taught as (delete from memories where session_id = $1),
     judged as (delete from memory_judgements where session_id = $1)
update sessions
set status = 'deleted', created_at = 'epoch', alert_type = default, title = default, severity = default,
    source = default, author = default, runbook_url = default, chain_id = default, plan = default, alert_data = default,
    scripted = default, started_at = default, completed_at = default, final_analysis = default, error_message = default,
    priority = default, mcp_selection = default, total_stages = default, has_parallel_stages = default,
    executive_summary = default, executive_summary_error = default, chat_enabled = default, chat_id = default,
    chat_message_count = default, log_spans = default, details_deleted_at = default,
    cluster = default, namespace = default, workload = default, repeat_count = default, last_alert_at = default,
    parent_id = default, llm_provider = default, slack_message_fingerprint = default, changed = default,
    labels = default, partial_reason = default, evidence_limits = default, chosen_by = default, unmatched = default,
    session_labels = default, review_status = default, assignee = default, quality_rating = default,
    review_cause = default, review_note = default, reviewed_by = default, reviewed_at = default,
    latest_score = default, scoring_status = default, confidence = default
where session_id = $1

-- Answers ------------------------------------------------------------------------------------------------------

-- name: last_number
select last_number from sessions where session_id = $1

-- name: read_alias
select session_id from session_aliases where alias = $1

-- name: read_visibility
-- Of those of the sessions whose labels are known.
select session_id, {visible:2} as visible
from sessions s where session_id = any($1::text[]) and status <> 'deleted'
union all
select session_id, {visible:2} as visible
from (
    select session_id, null::text as alert_type, null::text as cluster, null::text as namespace,
           null::text as workload, k.labels
    from deleted_labels k join sessions d using (session_id)
    where session_id = any($1::text[]) and d.status = 'deleted'
) s

-- name: forget_deleted_labels
delete from deleted_labels where deleted_at < $1

-- name: conditions
-- Of the list of sessions: for the place of that name in the queries below. Their further arguments begin with $18.
($1::text[] is null or s.status = any($1))
  and ($2::text is null or s.alert_type = $2)
  and ($3::text is null or s.chain_id = $3)
  and ($4::timestamptz is null or s.created_at >= $4)
  and ($5::timestamptz is null or s.created_at < $5)
  and ($6::text is null or starts_with(s.session_id, $6))
  and ($7::text is null or lower(s.severity) = lower($7))
  and ($8::text is null or s.cluster = $8)
  and ($9::text is null or s.namespace = $9)
  and ($10::text is null or s.workload = $10)
  and {visible:11}
  and ($12::text is null or s.session_labels @> array[$12])
  and ($13::text[] is null or review_status_of(s.review_status, s.status) = any($13))
  and ($14::text is null or s.assignee = $14)
  and ($15::text[] is null or s.quality_rating = any($15))
  and ($16::text is null or session_labels(s.alert_type, s.cluster, s.namespace, s.workload, s.labels) @> array[$16])
  and ($17::text[] is null or coalesce(s.scoring_status, 'not_scored') = any($17))

-- name: count_sessions
select count(*)
from sessions s
where s.status <> 'deleted'
  and {conditions}

-- name: list_sessions
select s.*, e.*, g.*, q.queue_position, (
    select count(*) from timeline_events t
    where t.session_id = s.session_id and t.event_type = 'approval' and t.status = 'streaming'
      and (s.completed_at is null or t.created_at > s.completed_at)
) as approvals_waiting
from (
    select * from sessions s
    where s.status <> 'deleted'
      and {conditions}
      and ($18::text[] is null or s.session_id = any($18))
    order by {order}
    limit $19 offset $20
) s
cross join lateral (
    select coalesce(sum(llm_interaction_count), 0) as llm_interaction_count,
           coalesce(sum(mcp_interaction_count), 0) as mcp_interaction_count,
           least(coalesce(sum(input_tokens), 0), 9007199254740991)::bigint as input_tokens,
           least(coalesce(sum(output_tokens), 0), 9007199254740991)::bigint as output_tokens,
           least(coalesce(sum(thinking_tokens), 0), 9007199254740991)::bigint as thinking_tokens,
           least(coalesce(sum(cached_input_tokens), 0), 9007199254740991)::bigint as cached_input_tokens,
           least(coalesce(sum(cache_written_tokens), 0), 9007199254740991)::bigint as cache_written_tokens,
           coalesce(sum(fallback_count), 0) as provider_fallback_count,
           coalesce(bool_or(spec ->> 'parent_execution_id' <> ''), false) as has_sub_agents,
           coalesce(array_agg(distinct model_name) filter (where model_name is not null), '{}') as models
    from agent_executions where session_id = s.session_id
) e
cross join lateral (
    select count(*) filter (where status = 'completed' and stage_type not in ({after_the_end})) as completed_stages,
           count(*) filter (where status in ('failed', 'timed_out') and stage_type not in ({after_the_end})) as failed_stages,
           max(stage_index) as current_stage_index,
           (array_agg(stage_id order by stage_index desc))[1] as current_stage_id,
           count(*) filter (where stage_type = 'action') as action_stages,
           coalesce(array_agg(action ->> 'verdict') filter (where action is not null), '{}') as verdicts
    from stages where session_id = s.session_id
) g
left join (
    select session_id, row_number() over (order by priority, created_at, session_id) as queue_position
    from sessions where status = 'pending'
) q on q.session_id = s.session_id
order by {order}

-- Search -------------------------------------------------------------------------------------------------------

-- name: find_sessions
-- One row at least, with the total. A session is found when each term is somewhere in it: with a term that few texts
-- have, those are looked at, else all that have any. The newest five hundred of those that are found are ranked; the
-- others follow by their time.
with words as (
    select case when prefix then (word::text || ':*')::tsquery else word end as query
    from (
        select phraseto_tsquery('simple', search_plain(word)) as word, prefix
        from unnest($18::text[], $19::boolean[]) as asked (word, prefix)
    ) asked
    where numnode(word) > 0
),
terms as materialized (
    select query, (
        select count(*) from (select from search_texts where words @@ query limit 2001) few
    ) as texts
    from words
),
rarest as materialized (
    select query from terms where texts <= 2000 order by texts limit 1
),
found as materialized (
    select c.session_id
    from (
        select distinct k.session_id from rarest r cross join lateral (
            select session_id from search_texts where words @@ r.query
        ) k
    ) c
    where not exists (
        select from terms t
        where t.query <> (select query from rarest)
          and not exists (select from search_texts k where k.session_id = c.session_id and k.words @@ t.query)
    )
    union all
    select x.session_id
    from terms t cross join lateral (
        select distinct session_id from search_texts where words @@ t.query
    ) x
    where not exists (select from rarest)
    group by x.session_id
    having count(*) = (select count(*) from terms)
),
filtered as materialized (
    select s.session_id, s.created_at, s.status, s.alert_type, s.author, s.started_at, s.completed_at, s.latest_score,
           s.quality_rating
    from found f join sessions s on s.session_id = f.session_id and s.status <> 'deleted'
    where {conditions}
),
ranked as materialized (
    select f.session_id, (
        select sum(best)
        from (
            select max(ts_rank(k.words, t.query, 1)) as best
            from terms t join search_texts k on k.session_id = f.session_id and k.words @@ t.query
            group by t.query
        ) r
    ) as relevance
    from (select session_id from filtered where $20 order by created_at desc, session_id desc limit 500) f
)
select n.total, p.session_id
from (select count(*) as total from filtered) n
left join (
    select s.session_id, row_number() over (order by {order}) as place
    from filtered s left join ranked r on r.session_id = s.session_id
    order by {order}
    limit $21 offset $22
) p on true
order by p.place

-- name: read_matches
-- The two texts of each session that fit best, and whether anything but its alert does.
with terms as materialized (
    select case when prefix then (word::text || ':*')::tsquery else word end as query
    from (
        select phraseto_tsquery('simple', search_plain(word)) as word, prefix
        from unnest($2::text[], $3::boolean[]) as asked (word, prefix)
    ) asked
    where numnode(word) > 0
),
matches as materialized (
    select k.session_id, k.source_id, k.part, k.source, m.relevance,
           bool_or(k.source <> 'alert') over (partition by k.session_id) as in_content,
           row_number() over (partition by k.session_id order by m.relevance desc, k.number desc) as place
    from search_texts k
    cross join lateral (select sum(ts_rank(k.words, t.query, 1)) as relevance from terms t where k.words @@ t.query) m
    where k.session_id = any($1::text[]) and m.relevance is not null
)
select m.session_id, m.source, nullif(m.source_id, '') as event_id, m.in_content,
       coalesce(t.content, case m.part when 0 then s.title || E'\n' else '' end
                           || substr(s.alert_data, m.part * 32000 + 1, 32000)) as content
from matches m
join sessions s on s.session_id = m.session_id
left join timeline_events t on t.event_id = m.source_id
where m.place <= 2
order by m.session_id, m.place

-- Memories -----------------------------------------------------------------------------------------------------

-- name: forget_memory
-- The words of the reflection say it, too. The log keeps them, until the session is deleted.
with forgotten as (delete from memories where memory_id = $1),
     reflections as (
         select x.execution_id from agent_executions x join stages t on t.stage_id = x.stage_id
         where t.session_id = $2 and t.stage_type = 'reflection'
     ),
     words as (
         delete from search_texts k using timeline_events e
         where e.session_id = $2 and e.execution_id in (select execution_id from reflections)
           and k.session_id = $2 and k.source_id = e.event_id
     )
update timeline_events set content = '', metadata = '{"erased": true}'
where session_id = $2 and execution_id in (select execution_id from reflections)

-- name: recall_memories
-- Candidates: those that share words with what is asked, words that few have first, and the newest of the same alert
-- type and workload. A word is counted up to 1,000 memories: one that so many have weighs nothing, and of these 100 are
-- looked at. `words`: the part of the weight of all words that a memory has. `{seen}` joins the sessions that the asking
-- session's readers see.
with known as materialized (
    select count(*) as memories from (select from memories limit 1000) m
),
asked as materialized (
    select word, (select count(*) from (select from memory_words w where w.word = a.word limit 1000) c) as found
    from (select word from unnest(memory_stems($1)) word limit 256) a
),
weights as materialized (
    select word, found, ln(1 + (memories - found + 0.5) / (found + 0.5)) as weight
    from asked, known where found > 0 order by weight desc, word limit 64
),
hits as materialized (
    select h.memory_id, g.weight
    from weights g cross join lateral (
        select w.memory_id from memory_words w where w.word = g.word
        limit case when g.found < 1000 then 1000 else 100 end
    ) h
),
scores as materialized (
    select memory_id, sum(weight) as weight from hits group by memory_id
),
candidates as materialized (
    select memory_id from (
        select w.memory_id from (
            select memory_id, weight from scores order by weight desc, memory_id limit 500
        ) w {seen}
        order by w.weight desc, w.memory_id limit 100
    ) by_words
    union
    select memory_id from (
        select w.memory_id from memories w {seen}
        where w.workload = $4 and w.namespace = $3 and $4 <> '' order by w.learned_at desc limit 50
    ) by_workload
    union
    select memory_id from (
        select w.memory_id from memories w {seen}
        where w.alert_type = $2 order by w.learned_at desc limit 50
    ) by_alert_type
)
select m.*, coalesce(w.weight, 0)::float8 as words,
       (select coalesce(sum(weight), 0) from weights)::float8 as all_words,
       j.agreed, j.opposed
from candidates c
join memories m on m.memory_id = c.memory_id and not m.deprecated and m.session_id <> $5
left join scores w on w.memory_id = m.memory_id
cross join lateral (
    select count(*) filter (where agrees) as agreed, count(*) filter (where not agrees) as opposed
    from memory_judgements where memory_id = m.memory_id
) j
order by m.memory_id

-- name: list_memories
select m.*, s.chain_id, j.agreed, j.opposed, j.judged_at, count(*) over () as total
from memories m
join sessions s on s.session_id = m.session_id
cross join lateral (
    select count(*) filter (where agrees) as agreed, count(*) filter (where not agrees) as opposed,
           max(judged_at) as judged_at
    from memory_judgements where memory_id = m.memory_id
) j
where ($1::text is null or m.category = $1)
  and ($2::text is null or m.valence = $2)
  and ($3::boolean is null or m.deprecated = $3)
  and ($4::text is null or m.session_id = $4)
  and ($5::text is null or not exists (
      select from unnest(memory_stems($5)) asked
      where not exists (select from memory_words w where w.memory_id = m.memory_id and w.word = asked)
  ))
  and ($6::text[] is null or m.memory_id = any($6))
  and {visible:7}
order by m.learned_at desc, m.memory_id
limit $8 offset $9

-- name: read_given_memories
-- The ids of those that a session's agents began with. `cited`: by an agent, in what it wrote.
select memory_id, number, exists (
    select from timeline_events t
    where t.session_id = $1 and t.event_type in ('llm_response', 'final_analysis', 'executive_summary')
      and strpos(t.content, '[memory ' || given.number || ']') > 0
) as cited
from (
    select distinct given ->> 'memory_id' as memory_id, (given ->> 'number')::int as number
    from agent_executions x cross join lateral jsonb_array_elements(x.spec -> 'memories') given
    where x.session_id = $1
) given
order by number, memory_id

-- name: similar_sessions
-- Candidates of the same alert type or workload, the newest first, and those whose alert shares rare words.
with this as materialized (
    select session_id, alert_type, cluster, namespace, workload, title from sessions
    where session_id = $1 and status <> 'deleted'
),
asked as materialized (
    select to_tsquery('simple', quote_literal(word)) as query
    from this, unnest(tsvector_to_array(to_tsvector('simple', search_plain(title)))) word
    where length(word) > 2 limit 24
),
few as materialized (
    select query from asked
    where (select count(*) from (select from search_texts where words @@ query limit 501) x) <= 500
),
by_words as materialized (
    select k.session_id, count(distinct f.query)::float8 / greatest((select count(*) from asked), 1) as words
    from few f cross join lateral (
        select session_id from search_texts where words @@ f.query and source_id = '' limit 500
    ) k
    group by k.session_id order by words desc limit 100
),
candidates as (
    select session_id from by_words
    union
    select session_id from (
        select s.session_id from sessions s, this t
        where s.workload = t.workload order by s.created_at desc limit 100
    ) w
    union
    select session_id from (
        select s.session_id from sessions s, this t
        where s.alert_type = t.alert_type and s.title = t.title order by s.created_at desc limit 100
    ) a
)
select s.session_id, s.title, s.alert_type, s.cluster, s.namespace, s.workload, s.status, s.created_at, s.started_at,
       s.completed_at, s.executive_summary,
       (s.title = t.title and s.alert_type = t.alert_type) as same_alert,
       (s.workload is not distinct from t.workload and s.namespace is not distinct from t.namespace
        and s.cluster is not distinct from t.cluster and t.workload is not null) as same_workload,
       coalesce(w.words, 0)::float8 as words
from candidates c
cross join this t
join sessions s on s.session_id = c.session_id and s.session_id <> t.session_id and s.status <> 'deleted'
left join by_words w on w.session_id = s.session_id
where {visible:2}
order by (s.title = t.title and s.alert_type = t.alert_type)::int * 2
         + (s.workload is not distinct from t.workload and t.workload is not null)::int * 2
         + coalesce(w.words, 0) desc, s.created_at desc
limit $3

-- name: take_search_queue
select id, session_id from search_queue order by id limit $1 for update skip locked

-- name: leave_search_queue
delete from search_queue where id = any($1::bigint[])

-- name: forget_deleted_texts
-- What was written while the session was being deleted.
delete from search_texts k using sessions s
where k.session_id = any($1::text[]) and s.session_id = k.session_id and s.status = 'deleted'

-- name: index_alerts
insert into search_texts (session_id, source_id, part, source, number, words)
select s.session_id, '', part, 'alert', 1,
       case part
           when 0 then setweight(
               to_tsvector('simple', search_plain(concat_ws(' ', s.title, s.alert_type, s.session_id))), 'A'
           )
           else ''
       end || setweight(to_tsvector('simple', search_plain(substr(s.alert_data, part * 32000 + 1, 32000))), 'C')
from sessions s cross join generate_series(0, length(s.alert_data) / 32000) as part
where s.session_id = any($1::text[])
  and s.source <> '' -- the alert itself was projected
  and not exists (select from search_texts k where k.session_id = s.session_id and k.source_id = '')
order by s.session_id, part
on conflict do nothing

-- name: index_timelines
insert into search_texts (session_id, source_id, part, source, number, words)
select t.session_id, t.event_id, 0, t.event_type, t.number,
       setweight(
           to_tsvector('simple', search_plain(t.content)),
           case
               when t.event_type in ('final_analysis', 'executive_summary', 'user_question') then 'B'
               else 'D'
           end::"char"
       )
from timeline_events t
left join search_texts k
    on k.session_id = any($1::text[]) and k.session_id = t.session_id and k.source_id = t.event_id and k.part = 0
where t.session_id = any($1::text[]) and t.content <> '' and k.number is distinct from t.number
order by t.session_id, t.event_id
limit $2
on conflict (session_id, source_id, part) do update
set source = excluded.source, number = excluded.number, words = excluded.words

-- name: read_session
select s.*, case when s.status = 'pending' then (
    select queue_position
    from (
        select session_id, row_number() over (order by priority, created_at, session_id) as queue_position
        from sessions where status = 'pending'
    ) q
    where q.session_id = s.session_id
) end as queue_position, array(
    select r.session_id from sessions r
    where r.parent_id = s.session_id and r.status <> 'deleted' order by r.created_at, r.session_id limit 50
) as reruns, (
    select count(*) from timeline_events t
    where t.session_id = s.session_id and t.event_type = 'approval' and t.status = 'streaming'
      and (s.completed_at is null or t.created_at > s.completed_at)
) as approvals_waiting
from sessions s
where s.session_id = $1 and s.status <> 'deleted'

-- name: list_approvals
-- A session that an operator ended unread leaves its waits open. Those of a reply began after the end.
select t.session_id, t.metadata, t.created_at, s.title, a.agent_name, count(*) over () as total,
       d.content as dry_run, d.status as dry_run_status
from timeline_events t
join sessions s on s.session_id = t.session_id and s.status <> 'deleted'
left join agent_executions a on a.execution_id = t.execution_id
left join timeline_events d on d.event_id = t.metadata ->> 'dry_run_event_id'
where t.event_type = 'approval' and t.status = 'streaming'
  and (s.completed_at is null or t.created_at > s.completed_at)
  and ($1::text is null or t.session_id = $1)
  and {visible:3}
order by t.metadata ->> 'expires_at', t.event_id
limit $2

-- name: count_approvals
select count(*) as waiting, min(t.created_at) as oldest
from timeline_events t join sessions s on s.session_id = t.session_id
where t.event_type = 'approval' and t.status = 'streaming'
  and (s.completed_at is null or t.created_at > s.completed_at)

-- name: read_record_place
select partition, log_spans, last_number, last_event_id from sessions where session_id = $1 and status <> 'deleted'

-- name: count_active
select count(*) filter (where status <> 'pending') as running, count(*) filter (where status = 'pending') as waiting,
       min(created_at) filter (where status = 'pending') as waiting_since
from sessions s
where status in ('pending', 'in_progress', 'cancelling')
  and {visible:1}

-- name: read_queued
select s.*, row_number() over (order by priority, created_at, session_id) as queue_position
from sessions s where status = 'pending'
order by priority, created_at, session_id
limit $1

-- name: read_visible_queued
-- Of whoever is limited to groups. The positions are those among all: everything that waits is looked at.
select s.*
from (
    select *, row_number() over (order by priority, created_at, session_id) as queue_position
    from sessions where status = 'pending'
) s
where {visible:2}
order by s.priority, s.created_at, s.session_id
limit $1

-- name: read_active
select s.*, g.*
from sessions s
cross join lateral (
    select max(stage_index) as current_stage_index,
           (array_agg(stage_id order by stage_index desc))[1] as current_stage_id
    from stages where session_id = s.session_id
) g
where s.status in ('in_progress', 'cancelling')
  and {visible:2}
order by s.started_at, s.session_id
limit $1

-- name: read_options
-- Each value is one step in an index that begins with it: the number of sessions does not count.
with recursive found (value) as (
    (select {value} from sessions where {value} > '' order by {value} limit 1)
    union all
    select (select {value} from sessions where {value} > f.value order by {value} limit 1)
    from found f where f.value is not null
)
select value from found where value is not null limit $1

-- name: read_visible_options
-- Of whoever is limited to groups: all of their sessions are looked at.
select {value} as value
from sessions s
where {visible:2} and {value} > ''
group by {value}
order by {value}
limit $1

-- name: read_labels
select label
from (
    select session_labels from sessions s
    where {visible:3}
    order by created_at desc, session_id desc limit $1
) s, unnest(session_labels) as label
group by label
order by label
limit $2

-- name: read_runbooks
select runbook_url
from (
    select runbook_url, created_at from sessions s
    where {visible:3}
    order by created_at desc, session_id desc limit $1
) s
where runbook_url is not null
group by runbook_url
order by max(created_at) desc, runbook_url
limit $2

-- name: read_reviews
select r.* from reviews r join sessions s on s.session_id = r.session_id and s.status <> 'deleted'
where r.session_id = $1 order by r.number

-- name: read_scores
select c.* from scores c join sessions s on s.session_id = c.session_id and s.status <> 'deleted'
where c.session_id = $1 order by c.number

-- name: read_ratings
-- What people said of investigations in these days, beside what their judge and they themselves said. The newest first.
select s.quality_rating, s.confidence, c.score, coalesce(c.judge, '') as judge, coalesce(c.prompt, '') as prompt
from sessions s
left join lateral (
    select score, result ->> 'llm_provider' as judge, result ->> 'prompt_digest' as prompt
    from scores where session_id = s.session_id and score is not null
    order by number desc limit 1
) c on true
where s.status <> 'deleted' and s.quality_rating is not null
  and s.reviewed_at >= $1::date and s.reviewed_at < $2::date + 1
  and {visible:3}
order by s.reviewed_at desc, s.session_id
limit $4

-- name: read_stages
select * from stages where session_id = $1 order by stage_index

-- name: read_executions
select * from agent_executions where session_id = $1 order by agent_index, execution_id

-- name: read_timeline
select t.*, a.stage_id
from timeline_events t left join agent_executions a on a.execution_id = t.execution_id
where t.session_id = $1
order by t.sequence_number

-- name: read_open_calls
select * from timeline_events
where session_id = any($1::text[]) and status = 'streaming' and event_type in ('llm_tool_call', 'runbook')
order by session_id, sequence_number

-- name: read_native_calls
select * from timeline_events where session_id = $1 and event_type = any($2::text[]) order by sequence_number

-- name: read_usage_of
-- $2: the days, in order, on which prices change. `day` is one on which all tokens of its row have the same price.
select session_id, model, min(day) as day, sum(calls)::bigint as calls,
       sum(input_tokens)::bigint as input_tokens, sum(output_tokens)::bigint as output_tokens,
       sum(cached_input_tokens)::bigint as cached_input_tokens, sum(cache_written_tokens)::bigint as cache_written_tokens,
       sum(web_searches)::bigint as web_searches
from model_usage where session_id = any($1::text[])
group by session_id, model, width_bucket(day, $2::date[])
order by session_id, model

-- name: report_usage
-- For each key, model and time between changes of prices ($4, in order), and for each key without a model. A session may
-- have several keys; the key that is null has each row once: it is that of all. $5, $6: only of this alert type, chain.
select key, model, min(day) as day, count(distinct session_id) as sessions, sum(calls)::bigint as calls,
       least(sum(input_tokens), 9007199254740991)::bigint as input_tokens,
       least(sum(output_tokens), 9007199254740991)::bigint as output_tokens,
       least(sum(thinking_tokens), 9007199254740991)::bigint as thinking_tokens,
       least(sum(cached_input_tokens), 9007199254740991)::bigint as cached_input_tokens,
       least(sum(cache_written_tokens), 9007199254740991)::bigint as cache_written_tokens,
       least(sum(web_searches), 9007199254740991)::bigint as web_searches
from (
    select width_bucket(u.day, $4::date[]) as era, array_append({keys}, null) as keys, u.*
    from model_usage u join sessions s on s.session_id = u.session_id
    where u.day between $1::date and $2::date and s.status <> 'deleted'
      and ($5::text is null or s.alert_type = $5) and ($6::text is null or s.chain_id = $6)
      and {visible:3}
) used cross join lateral unnest(used.keys) as key
group by grouping sets ((key, model, era), (key))

-- name: report_series
-- For each day and model, of the $4 keys with the most tokens; those of other keys stand under null.
with used as (
    select key, u.*
    from model_usage u join sessions s on s.session_id = u.session_id cross join lateral unnest({keys}) as key
    where u.day between $1::date and $2::date and s.status <> 'deleted' and {visible:3}
), greatest_keys as (
    select key from used group by key order by sum(input_tokens + output_tokens) desc, key limit $4
)
select g.key, day, model, sum(calls)::bigint as calls,
       least(sum(input_tokens), 9007199254740991)::bigint as input_tokens,
       least(sum(output_tokens), 9007199254740991)::bigint as output_tokens,
       least(sum(cached_input_tokens), 9007199254740991)::bigint as cached_input_tokens,
       least(sum(cache_written_tokens), 9007199254740991)::bigint as cache_written_tokens,
       least(sum(web_searches), 9007199254740991)::bigint as web_searches
from used left join greatest_keys g on g.key = used.key
group by g.key, day, model
order by day, g.key, model

-- name: report_causes
-- What sessions whose alerts came in these days came to: labels of their own (`label`), and the first line of why they failed
-- (`failure`). And what people wrote in these days as the real cause (`cause`). The $4 most frequent of each.
select kind, name, count
from (
    select kind, name, count(*) as count, row_number() over (partition by kind order by count(*) desc, name) as place
    from (
        select 'label' as kind, label as name
        from sessions s cross join lateral unnest(s.session_labels) label
        where s.created_at >= $1::date::timestamp at time zone 'UTC'
          and s.created_at < ($2::date + 1)::timestamp at time zone 'UTC'
          and s.status <> 'deleted' and {visible:3}
        union all
        select 'failure', left(split_part(ltrim(s.error_message), E'\n', 1), 200)
        from sessions s
        where s.created_at >= $1::date::timestamp at time zone 'UTC'
          and s.created_at < ($2::date + 1)::timestamp at time zone 'UTC'
          and s.status in ('failed', 'timed_out') and s.error_message <> '' and {visible:3}
        union all
        select 'cause', left(split_part(ltrim(s.review_cause), E'\n', 1), 200)
        from sessions s
        where s.quality_rating is not null and s.reviewed_at >= $1::date::timestamp at time zone 'UTC'
          and s.reviewed_at < ($2::date + 1)::timestamp at time zone 'UTC'
          and s.status <> 'deleted' and s.review_cause <> '' and {visible:3}
    ) found
    group by kind, name
) counted
where place <= $4
order by kind, place

-- name: report_slow_tools
-- Of sessions whose alerts came in these days: the $4 tools of which nine calls in ten took longest. $5: our own server.
select t.metadata ->> 'server_name' as server, t.metadata ->> 'tool_name' as tool, count(*) as calls,
       percentile_cont(0.9) within group (order by (t.metadata ->> 'duration_ms')::float8) / 1000 as p90_seconds
from sessions s join timeline_events t on t.session_id = s.session_id
where s.created_at >= $1::date::timestamp at time zone 'UTC'
  and s.created_at < ($2::date + 1)::timestamp at time zone 'UTC'
  and s.status <> 'deleted' and {visible:3}
  and t.event_type = 'llm_tool_call' and jsonb_typeof(t.metadata -> 'duration_ms') = 'number'
  and t.metadata ->> 'server_name' <> $5
group by server, tool
order by p90_seconds desc, server, tool
limit $4

-- name: report_unread_skills
-- Skills that agents of sessions whose alerts came in these days began with, and that none of them read: the $4 most
-- offered. $5, $6: the server and the tool that load one. A required skill stands in the instructions, and is read so.
with asked as (
    select s.session_id from sessions s
    where s.created_at >= $1::date::timestamp at time zone 'UTC'
      and s.created_at < ($2::date + 1)::timestamp at time zone 'UTC'
      and s.status <> 'deleted' and {visible:3}
), offered as (
    select skill ->> 'name' as name, count(*) as count, bool_or((skill ->> 'required')::boolean) as required
    from asked a join agent_executions x on x.session_id = a.session_id
    cross join lateral jsonb_array_elements(
        case when jsonb_typeof(x.spec -> 'skills') = 'array' then x.spec -> 'skills' else '[]' end
    ) skill
    group by name
), loaded as (
    select distinct btrim(name) as name
    from asked a join timeline_events t on t.session_id = a.session_id
    cross join lateral jsonb_array_elements_text(
        case jsonb_typeof(t.metadata #> '{arguments,names}')
        when 'array' then t.metadata #> '{arguments,names}'
        when 'string' then jsonb_build_array(t.metadata #> '{arguments,names}')
        else '[]' end
    ) name
    where t.event_type = 'llm_tool_call' and t.metadata ->> 'server_name' = $5 and t.metadata ->> 'tool_name' = $6
)
select o.name, o.count from offered o
where not coalesce(o.required, false) and not exists (select from loaded l where l.name = o.name)
order by o.count desc, o.name
limit $4

-- name: count_learned
select count(*) from memories m join sessions s on s.session_id = m.session_id
where m.learned_at >= $1::date::timestamp at time zone 'UTC'
  and m.learned_at < ($2::date + 1)::timestamp at time zone 'UTC'
  and s.status <> 'deleted' and {visible:3}

-- name: claim_digest
-- Whose turn it is to send the digest that ends with day $1 to receiver $2: holder $3, for $4 seconds. Its row, if it is.
insert into digests (last_day, receiver, holder, held_until)
values ($1::date, $2, $3, now() + make_interval(secs => $4))
on conflict (last_day, receiver) do update
set holder = excluded.holder, held_until = excluded.held_until
where digests.sent_at is null and (digests.holder = excluded.holder or digests.held_until <= now())
returning last_day

-- name: is_digest_sent
select sent_at is not null from digests where last_day = $1::date and receiver = $2

-- name: note_digest_sent
update digests set sent_at = coalesce(sent_at, now()) where last_day = $1::date and receiver = $2

-- name: read_greatest_sessions
-- The $7 sessions with the most tokens of these days: each with its models, by time between changes of prices ($4).
with chosen as (
    select s.session_id, s.alert_type, s.chain_id, s.created_at
    from model_usage u join sessions s on s.session_id = u.session_id
    where u.day between $1::date and $2::date and s.status <> 'deleted'
      and ($5::text is null or s.alert_type = $5) and ($6::text is null or s.chain_id = $6)
      and {visible:3}
    group by s.session_id order by sum(u.input_tokens + u.output_tokens) desc, s.session_id limit $7
)
select c.session_id, c.alert_type, c.chain_id, c.created_at, u.model, min(u.day) as day, sum(u.calls)::bigint as calls,
       least(sum(u.input_tokens), 9007199254740991)::bigint as input_tokens,
       least(sum(u.output_tokens), 9007199254740991)::bigint as output_tokens,
       least(sum(u.cached_input_tokens), 9007199254740991)::bigint as cached_input_tokens,
       least(sum(u.cache_written_tokens), 9007199254740991)::bigint as cache_written_tokens,
       least(sum(u.web_searches), 9007199254740991)::bigint as web_searches
from chosen c join model_usage u on u.session_id = c.session_id
where u.day between $1::date and $2::date
group by c.session_id, c.alert_type, c.chain_id, c.created_at, u.model, width_bucket(u.day, $4::date[])
order by c.session_id

-- name: report_outcomes
-- By day (`kind` 3), alert type (5), hour of the week (6), and all (7), each where the others are null.
select grouping(day, alert_type, hour) as kind, day::text as day, alert_type, hour, count(*) as sessions,
       count(*) filter (where status = 'completed') as completed,
       count(*) filter (where status in ('failed', 'timed_out')) as failed,
       count(*) filter (where status = 'cancelled') as cancelled,
       percentile_cont(0.5) within group (order by seconds) as p50_seconds,
       percentile_cont(0.9) within group (order by seconds) as p90_seconds,
       count(latest_score) as scored, avg(latest_score)::float8 as mean_score
from (
    select (s.created_at at time zone 'UTC')::date as day, s.alert_type, s.status, s.latest_score,
           24 * extract(isodow from s.created_at at time zone 'UTC')::integer - 24
               + extract(hour from s.created_at at time zone 'UTC')::integer as hour,
           case when s.status = 'completed' then extract(epoch from s.completed_at - s.started_at)::float8 end as seconds
    from sessions s
    where s.created_at >= $1::date::timestamp at time zone 'UTC'
      and s.created_at < ($2::date + 1)::timestamp at time zone 'UTC'
      and s.status <> 'deleted' and {visible:3}
) begun
group by grouping sets ((day), (alert_type), (hour), ())

-- name: read_calls
-- Those that are called so, or whose id begins so: at most two, for one is enough to know that they are several.
select t.content, t.metadata, s.partition
from timeline_events t join sessions s on s.session_id = t.session_id
where t.session_id = $1
  and (t.event_id = any($2::text[])
       or (t.event_type in ('llm_tool_call', 'runbook') and starts_with(t.metadata ->> 'call_id', $3)))
limit 2

-- name: read_positions
select partition, next_offset from positions order by partition

-- name: read_all_chains
select session_id, partition, last_event_id, last_number from sessions

-- name: read_open_chains
select session_id, partition, last_event_id, last_number from sessions
where status in ('pending', 'in_progress', 'cancelling')

-- name: read_chains_of
select session_id, partition, last_event_id, last_number from sessions where session_id = any($1::text[])

-- name: read_sessions_of
select s.*, case when s.status = 'pending' then (
    select queue_position
    from (
        select session_id, row_number() over (order by priority, created_at, session_id) as queue_position
        from sessions where status = 'pending'
    ) q
    where q.session_id = s.session_id
) end as queue_position, array(
    select r.session_id from sessions r
    where r.parent_id = s.session_id and r.status <> 'deleted' order by r.created_at, r.session_id limit 50
) as reruns, (
    select count(*) from timeline_events t
    where t.session_id = s.session_id and t.event_type = 'approval' and t.status = 'streaming'
      and (s.completed_at is null or t.created_at > s.completed_at)
) as approvals_waiting
from sessions s
where s.session_id = any($1::text[])

-- name: read_stages_of
select * from stages where session_id = any($1::text[]) order by session_id, stage_index

-- name: read_executions_of
select * from agent_executions where session_id = any($1::text[]) order by session_id, agent_index, execution_id

-- name: read_timelines_of
select t.*, a.stage_id
from timeline_events t left join agent_executions a on a.execution_id = t.execution_id
where t.session_id = any($1::text[])
order by t.session_id, t.sequence_number
